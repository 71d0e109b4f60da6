import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { Binary, type Document } from 'bson';
import { logIn } from '../../../../nodes/storage/database-query/mongodb-login';
import type { MongoMechanism } from '../../../../nodes/storage/database-query/mongodb-target';

interface Account {
  readonly user: string;
  /** The secret of the mechanism: the password itself, or its MD5 hash. */
  readonly secret: string;
  readonly mechanism: MongoMechanism;
}

/** The server side of SCRAM (RFC 5802). It stores keys, not the password. */
function serverOf(
  { user, secret, mechanism }: Account,
  changes: { rounds?: number; liar?: boolean; nonce?: string } = {},
) {
  const digest = mechanism === 'SCRAM-SHA-256' ? 'sha256' : 'sha1';
  const salt = Buffer.from('sixteen bytes ok');
  const rounds = changes.rounds ?? 4_096;
  const salted = pbkdf2Sync(secret, salt, Math.min(rounds, 5_000), digest === 'sha256' ? 32 : 20, digest);
  const hmac = (key: Buffer, text: string): Buffer => createHmac(digest, key).update(text).digest();
  const stored = createHash(digest).update(hmac(salted, 'Client Key')).digest();
  let authMessage = '';
  let extra = 0;
  const ask = async (command: Document): Promise<Document> => {
    const payload = Buffer.from((command.payload as Binary).value()).toString();
    if (command.saslStart === 1) {
      expect(command.mechanism).toBe(mechanism);
      const bare = payload.slice('n,,'.length);
      const [, name, nonce] = /^n=(.*),r=(.*)$/.exec(bare) ?? [];
      expect(name).toBe(user);
      const first = `r=${changes.nonce ?? nonce}server,s=${salt.toString('base64')},i=${rounds}`;
      authMessage = `${bare},${first}`;
      return { conversationId: 7, payload: new Binary(Buffer.from(first)), done: false };
    }
    expect(command).toMatchObject({ saslContinue: 1, conversationId: 7 });
    if (payload === '') {
      extra += 1;
      return { conversationId: 7, payload: new Binary(Buffer.alloc(0)), done: true };
    }
    const [, unproved = '', proof = ''] = /^(.*),p=(.*)$/.exec(payload) ?? [];
    authMessage += `,${unproved}`;
    const signature = hmac(stored, authMessage);
    const key = Buffer.from(Buffer.from(proof, 'base64').map((byte, index) => byte ^ (signature[index] ?? 0)));
    if (!createHash(digest).update(key).digest().equals(stored)) throw new Error('wrong password');
    const shown = hmac(hmac(salted, changes.liar ? 'Liar Key' : 'Server Key'), authMessage).toString('base64');
    return { conversationId: 7, payload: new Binary(Buffer.from(`v=${shown}`)), done: false };
  };
  return { ask, extra: () => extra };
}

const login = (user: string, password: string) => ({ user, password, source: 'admin', mechanism: undefined });
const oldHash = (user: string, password: string): string =>
  createHash('md5').update(`${user}:mongo:${password}`).digest('hex');

test.each<[MongoMechanism, string, string]>([
  ['SCRAM-SHA-256', 'pencil', 'pencil'],
  ['SCRAM-SHA-256', 'I\u00adX', 'IX'],
  ['SCRAM-SHA-256', 'Ⅸ\u00a0x', 'IX x'],
  ['SCRAM-SHA-1', 'pencil', oldHash('user', 'pencil')],
])('%s proves the password %j', async (mechanism, password, secret) => {
  const server = serverOf({ user: 'user', secret, mechanism });
  await logIn(login('user', password), mechanism, server.ask);
  expect(server.extra()).toBe(1);
});

test('a name may have any characters', async () => {
  const server = serverOf({ user: 'a=2Cb=3Dc', secret: 'x', mechanism: 'SCRAM-SHA-256' });
  await logIn(login('a,b=c', 'x'), 'SCRAM-SHA-256', server.ask);
  expect(server.extra()).toBe(1);
});

test('a wrong password is refused', async () => {
  const server = serverOf({ user: 'user', secret: 'pencil', mechanism: 'SCRAM-SHA-256' });
  await expect(logIn(login('user', 'pen'), 'SCRAM-SHA-256', server.ask)).rejects.toThrow('wrong password');
});

test.each([
  ['does not know the password', { liar: true }, { kind: 'login' }],
  ['asks for too many rounds', { rounds: 100_001 }, { kind: 'protocol' }],
  ['answers another nonce', { nonce: 'other' }, { kind: 'protocol' }],
])('a server that %s is refused', async (_what, changes, error) => {
  const server = serverOf({ user: 'user', secret: 'x', mechanism: 'SCRAM-SHA-256' }, changes);
  await expect(logIn(login('user', 'x'), 'SCRAM-SHA-256', server.ask)).rejects.toMatchObject(error);
});

test.each([{}, { payload: 'x' }, { payload: new Binary(Buffer.from('nonsense')) }])(
  '%j is no answer',
  async (reply) => {
    await expect(logIn(login('user', 'x'), 'SCRAM-SHA-256', async () => reply)).rejects.toMatchObject({
      kind: 'protocol',
    });
  },
);

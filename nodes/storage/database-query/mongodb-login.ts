import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Binary, type Document } from 'bson';
import { EgressError } from '../../../lib/egress';
import { DatabaseError } from './contract';
import type { MongoMechanism, MongoTarget } from './mongodb-target';

const derive = promisify(pbkdf2);

/** A server may ask for as many rounds of hashing as it likes; those that are honest ask for 15,000. */
const MAX_ROUNDS = 100_000;

type Login = NonNullable<MongoTarget['login']>;

/** Puts one command to the database of the user, and gives a reply that is no refusal. */
type Ask = (command: Document) => Promise<Document>;

/** SCRAM (RFC 5802, RFC 7677), as MongoDB carries it. @throws DatabaseError, EgressError */
export async function logIn(login: Login, mechanism: MongoMechanism, ask: Ask): Promise<void> {
  const digest = mechanism === 'SCRAM-SHA-256' ? 'sha256' : 'sha1';
  const hmac = (key: Buffer, text: string): Buffer => createHmac(digest, key).update(text).digest();
  const nonce = randomBytes(24).toString('base64');
  const bare = `n=${login.user.replace(/=/g, '=3D').replace(/,/g, '=2C')},r=${nonce}`;
  const begun = await ask({
    saslStart: 1,
    mechanism,
    payload: bytes(`n,,${bare}`),
    options: { skipEmptyExchange: true },
  });
  const first = payloadOf(begun);
  const { r: joint = '', s: salt = '', i: rounds = '' } = attributesOf(first);
  if (!joint.startsWith(nonce) || joint === nonce || !(Number(rounds) >= 4_096 && Number(rounds) <= MAX_ROUNDS))
    throw nonsense();
  const salted = await derive(
    passwordOf(login, mechanism),
    Buffer.from(salt, 'base64'),
    Number(rounds),
    digest === 'sha256' ? 32 : 20,
    digest,
  );
  const unproved = `c=biws,r=${joint}`;
  const said = `${bare},${first},${unproved}`;
  const key = hmac(salted, 'Client Key');
  const signature = hmac(createHash(digest).update(key).digest(), said);
  const proof = Buffer.from(key.map((byte, index) => byte ^ (signature[index] as number)));
  const conversationId: unknown = begun.conversationId;
  const proved = bytes(`${unproved},p=${proof.toString('base64')}`);
  const ended = await ask({ saslContinue: 1, conversationId, payload: proved });
  const shown = Buffer.from(attributesOf(payloadOf(ended)).v ?? '', 'base64');
  const expected = hmac(hmac(salted, 'Server Key'), said);
  if (shown.length !== expected.length || !timingSafeEqual(shown, expected)) {
    throw new DatabaseError('login', 'the server did not show that it knows the password', null);
  }
  if (ended.done !== true) await ask({ saslContinue: 1, conversationId, payload: bytes('') });
}

const bytes = (text: string): Binary => new Binary(Buffer.from(text));

function payloadOf({ payload }: Document): string {
  if (!(payload instanceof Binary)) throw nonsense();
  return Buffer.from(payload.value()).toString();
}

/** `r=abc,s=def,i=15000`. */
const attributesOf = (text: string): Partial<Record<string, string>> =>
  Object.fromEntries(text.split(',').map((part) => [part.slice(0, 1), part.slice(2)]));

/** The older of the two has a hash of the password from before it. */
function passwordOf({ user, password }: Login, mechanism: MongoMechanism): string {
  if (mechanism === 'SCRAM-SHA-1') return createHash('md5').update(`${user}:mongo:${password}`).digest('hex');
  // SASLprep (RFC 4013), but for characters that it forbids, which no server has let anybody choose.
  return password
    .replace(/\p{Zs}/gu, ' ')
    .replace(/\u00ad/g, '')
    .normalize('NFKC');
}

const nonsense = (): EgressError => new EgressError('protocol', 'the server does not log in as MongoDB does');

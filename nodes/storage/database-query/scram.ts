import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { EgressError } from '../../../lib/egress';
import { DatabaseError } from './contract';

const derive = promisify(pbkdf2);

/** A server can request any number of hash iterations; honest ones request 4,096 to 15,000. */
const MAX_ROUNDS = 100_000;

const BYTES = { sha1: 20, sha256: 32 } as const;

interface Scram {
  /** The first message of the client. */
  readonly first: string;
  /** The response to the first message of the server. @throws EgressError if it is malformed */
  prove(serverFirst: string): Promise<string>;
  /** Verifies that the server knows the password, too. @throws DatabaseError */
  check(serverFinal: string): void;
}

/** The client's side of a SCRAM login, which does not send the password (RFC 5802, RFC 7677), without channel binding. */
export function scram(digest: keyof typeof BYTES, user: string, password: string): Scram {
  const hmac = (key: Buffer, text: string): Buffer => createHmac(digest, key).update(text).digest();
  const nonce = randomBytes(24).toString('base64');
  const bare = `n=${user.replace(/=/g, '=3D').replace(/,/g, '=2C')},r=${nonce}`;
  let expected: Buffer | null = null;
  return {
    first: `n,,${bare}`,
    async prove(serverFirst) {
      const { r: joint = '', s: salt = '', i: rounds = '' } = attributesOf(serverFirst);
      if (!joint.startsWith(nonce) || joint === nonce || !(Number(rounds) >= 1 && Number(rounds) <= MAX_ROUNDS)) {
        throw new EgressError('protocol', 'the server does not log in as it should');
      }
      const salted = await derive(password, Buffer.from(salt, 'base64'), Number(rounds), BYTES[digest], digest);
      const unproved = `c=biws,r=${joint}`;
      const authMessage = `${bare},${serverFirst},${unproved}`;
      const key = hmac(salted, 'Client Key');
      const signature = hmac(createHash(digest).update(key).digest(), authMessage);
      expected = hmac(hmac(salted, 'Server Key'), authMessage);
      const proof = Buffer.from(key.map((byte, index) => byte ^ (signature[index] as number)));
      return `${unproved},p=${proof.toString('base64')}`;
    },
    check(serverFinal) {
      const shown = Buffer.from(attributesOf(serverFinal).v ?? '', 'base64');
      if (expected === null || shown.length !== expected.length || !timingSafeEqual(shown, expected)) {
        throw new DatabaseError('login', 'the server did not show that it knows the password', null);
      }
    },
  };
}

/** `r=abc,s=def,i=15000`. */
const attributesOf = (text: string): Partial<Record<string, string>> =>
  Object.fromEntries(text.split(',').map((part) => [part.slice(0, 1), part.slice(2)]));

/** SASLprep (RFC 4013), but for characters that it forbids, which no server has let anybody choose. */
export const prepared = (password: string): string =>
  password
    .replace(/\p{Zs}/gu, ' ')
    .replace(/\u00ad/g, '')
    .normalize('NFKC');

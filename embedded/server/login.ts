import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';
import { ServerError } from '../bson/error';
import { Binary, type Doc, type Maybe, type Value } from '../bson/value';
import type { Credentials } from './context';

const ITERATIONS = 15_000;
const KEY_BYTES = 32;
const MECHANISM = 'SCRAM-SHA-256';

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

/** The stored verifier of a password (RFC 5802 section 3). */
interface Verifier {
  readonly user: string;
  readonly salt: Buffer;
  readonly storedKey: Buffer;
  readonly serverKey: Buffer;
}

export function verifierOf({ user, password }: Credentials, salt = randomBytes(28)): Verifier {
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, ITERATIONS, KEY_BYTES, 'sha256');
  return { user, salt, storedKey: sha256(hmac(salted, 'Client Key')), serverKey: hmac(salted, 'Server Key') };
}

type State =
  | { kind: 'out' }
  | { kind: 'challenged'; user: string; nonce: string; firstBare: string; serverFirst: string }
  | { kind: 'in' };

const refused = (): ServerError => new ServerError(18, 'Authentication failed.');

/** The login of one connection: SCRAM-SHA-256 (RFC 7677), or none when not required. */
export class Login {
  private state: State;

  constructor(private readonly verifier: Verifier | undefined) {
    this.state = { kind: verifier === undefined ? 'in' : 'out' };
  }

  get done(): boolean {
    return this.state.kind === 'in';
  }

  /** The user, for connectionStatus. */
  get user(): string | undefined {
    return this.done ? this.verifier?.user : undefined;
  }

  /** saslStart: replies to the client's first message with salt and nonce. An unknown user fails only at the end. */
  start(mechanism: Maybe, payload: Maybe, makeNonce = (): string => randomBytes(18).toString('base64')): Doc {
    if (this.verifier === undefined || mechanism !== MECHANISM) throw refused();
    const message = textOf(payload);
    const firstBare = /^[ny],[^,]*,(.*)$/s.exec(message)?.[1] ?? '';
    const fields = attributes(firstBare);
    const [user, clientNonce] = [fields.get('n'), fields.get('r')];
    if (user === undefined || clientNonce === undefined || clientNonce === '') throw refused();
    const nonce = clientNonce + makeNonce();
    const serverFirst = `r=${nonce},s=${this.verifier.salt.toString('base64')},i=${ITERATIONS}`;
    this.state = {
      kind: 'challenged',
      user: user.replaceAll('=2C', ',').replaceAll('=3D', '='),
      nonce,
      firstBare,
      serverFirst,
    };
    return answer(serverFirst, false);
  }

  /** saslContinue: the client's proof, answered with the server's signature. @throws ServerError 18 */
  proceed(payload: Maybe): Doc {
    const { state, verifier } = this;
    if (verifier === undefined) throw refused();
    if (state.kind === 'in') return answer('', true);
    this.state = { kind: 'out' };
    if (state.kind !== 'challenged') throw refused();
    const message = textOf(payload);
    const fields = attributes(message);
    const withoutProof = message.slice(0, Math.max(0, message.lastIndexOf(',p=')));
    const signed = `${state.firstBare},${state.serverFirst},${withoutProof}`;
    const signature = hmac(verifier.storedKey, signed);
    const proof = Buffer.from(fields.get('p') ?? '', 'base64');
    if (proof.length !== KEY_BYTES || fields.get('r') !== state.nonce) throw refused();
    const clientKey = Buffer.from(proof.map((byte, i) => byte ^ (signature[i] as number)));
    if (!timingSafeEqual(sha256(clientKey), verifier.storedKey) || state.user !== verifier.user) throw refused();
    this.state = { kind: 'in' };
    return answer(`v=${hmac(verifier.serverKey, signed).toString('base64')}`, true);
  }
}

const answer = (text: string, done: boolean): Doc =>
  new Map<string, Value>([
    ['conversationId', 1],
    ['done', done],
    ['payload', new Binary(Buffer.from(text), 0)],
  ]);

function textOf(payload: Maybe): string {
  if (payload instanceof Binary) return Buffer.from(payload.bytes).toString('utf8');
  if (typeof payload === 'string') return Buffer.from(payload, 'base64').toString('utf8');
  throw refused();
}

/** `a=1,b=2` as a map; values may hold `=`. */
const attributes = (text: string): Map<string, string> =>
  new Map(text.split(',').map((part) => [part.slice(0, 1), part.slice(2)] as const));

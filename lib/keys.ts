import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { ConfigError } from './config';
import { deriveKey } from './crypto';
import { type KeyName, readOrMakeKeyFile } from './key-file';
import type { KeyTexts } from './keys-config';

/** A key that signs access tokens: an HS256 secret or an Ed25519 key in PKCS#8 PEM. */
export type SigningKey =
  | { readonly kind: 'secret'; readonly secret: Buffer }
  | { readonly kind: 'private'; readonly pem: string };

/** A key that verifies access tokens: an HS256 secret or an Ed25519 key in SPKI PEM. */
export type VerifyingKey =
  | { readonly kind: 'secret'; readonly secret: Buffer }
  | { readonly kind: 'public'; readonly pem: string };

/** The keys of a deployment. All its processes must have the same ones. */
export interface Keys {
  /** Root key of all encryption. */
  readonly master: Buffer;
  /** Signs access tokens. */
  readonly jwt: SigningKey;
  /** Signs the principals that services pass to each other. */
  readonly principal: Buffer;
  /** Derives ids that cannot be guessed. */
  readonly ids: Buffer;
  /** Authenticates records of the audit log. */
  readonly audit: Buffer;
  /** Keys that are still accepted, but no longer used to sign or encrypt. */
  readonly previous: {
    readonly master: readonly Buffer[];
    readonly jwt: readonly VerifyingKey[];
    readonly principal: readonly Buffer[];
  };
}

/** Keys and their source. `made`: this first start has just created `file`. */
export interface LoadedKeys {
  readonly keys: Keys;
  readonly file: string | null;
  readonly made: boolean;
}

/**
 * Takes keys from the environment, and missing ones from `keys.json` in the data directory, which is created if absent,
 * readable by its owner only.
 * @throws ConfigError for a key that is too short, or an invalid file
 */
export function loadKeys(texts: KeyTexts, dataDir: string): LoadedKeys {
  const complete =
    texts.master !== null && (texts.jwtSecret ?? texts.jwtPrivateKey) !== null && texts.principal !== null;
  const stored = complete ? null : readOrMakeKeyFile(dataDir);
  const pick = (variable: string, given: string | null, name: KeyName): Buffer =>
    given === null ? strong(`${name} in ${stored?.path}`, stored?.content[name] as string) : strong(variable, given);
  const earlier = <K>(variable: string, given: readonly string[], name: KeyName, read: ReadKey<K>): K[] => [
    ...given.map((text, index) => read(`${variable}, entry ${index + 1},`, text)),
    ...(stored?.content.previous?.[name] ?? []).map((text) => read(`previous.${name} in ${stored?.path}`, text)),
  ];
  const principal = pick('PRINCIPAL_KEY', texts.principal, 'principal_key');
  const master = pick('MASTER_KEY', texts.master, 'master_key');
  return {
    keys: {
      master,
      jwt:
        texts.jwtPrivateKey === null
          ? { kind: 'secret', secret: pick('JWT_SECRET', texts.jwtSecret, 'jwt_secret') }
          : { kind: 'private', pem: ed25519(texts.jwtPrivateKey) },
      principal,
      // Encrypted in the database at the first start; they outlive rotations.
      ids: deriveKey(principal, 'everstep ids'),
      audit: deriveKey(master, 'everstep audit'),
      previous: {
        master: earlier('MASTER_KEY_PREVIOUS', texts.previous.master, 'master_key', strong),
        jwt: earlier('JWT_PREVIOUS', texts.previous.jwt, 'jwt_secret', verifying),
        principal: earlier('PRINCIPAL_KEY_PREVIOUS', texts.previous.principal, 'principal_key', strong),
      },
    },
    file: stored?.path ?? null,
    made: stored?.made ?? false,
  };
}

/** Parses a key; the name is used in error messages. */
type ReadKey<K> = (name: string, text: string) => K;

/** The bytes of a key: decoded base64 if it has 32 bytes or more, otherwise the text itself. */
export function keyBytes(text: string): Buffer {
  const base64 = /^[A-Za-z0-9+/_-]{43,}={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null;
  return base64 !== null && base64.length >= 32 ? base64 : Buffer.from(text);
}

/** @throws ConfigError below 32 bytes */
function strong(name: string, text: string): Buffer {
  const key = keyBytes(text);
  if (key.length >= 32) return key;
  throw new ConfigError([`${name} must hold at least 32 bytes (make one with: openssl rand -base64 32)`]);
}

function ed25519(text: string): string {
  const pem = linesOf(text);
  if (parsed(() => createPrivateKey(pem))?.asymmetricKeyType === 'ed25519') return pem;
  throw new ConfigError([
    'JWT_PRIVATE_KEY must hold an Ed25519 private key as PEM text (make one with: openssl genpkey -algorithm ed25519)',
  ]);
}

/** A secret, or the public half of an Ed25519 key; a private key is accepted as well. @throws ConfigError */
function verifying(name: string, text: string): VerifyingKey {
  if (!text.includes('-----BEGIN')) return { kind: 'secret', secret: strong(name, text) };
  const key = parsed(() => createPublicKey(linesOf(text)));
  if (key?.asymmetricKeyType === 'ed25519')
    return { kind: 'public', pem: String(key.export({ type: 'spki', format: 'pem' })) };
  throw new ConfigError([`${name} must hold a secret, or an Ed25519 key as PEM text`]);
}

/**
 * Environment variables often encode line breaks as `
 * `.
 */
const linesOf = (text: string): string => text.replaceAll('\\n', '\n');

function parsed(parse: () => KeyObject): KeyObject | null {
  try {
    return parse();
  } catch {
    // The parser's message names no variable.
    return null;
  }
}

import { createPrivateKey, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type KeyTexts, ConfigError } from './config';
import { deriveKey } from './crypto';

/** The keys of a deployment. Every process of one deployment must hold the same ones. */
export interface Keys {
  /** Root of the secret vault. */
  readonly master: Buffer;
  /** Signs access tokens: an HS256 secret or a PKCS#8 PEM text of an Ed25519 key. */
  readonly jwt:
    | { readonly kind: 'secret'; readonly secret: Buffer }
    | { readonly kind: 'private'; readonly pem: string };
  /** Signs principals that services hand each other. */
  readonly principal: Buffer;
  /** Derives ids that nobody outside can compute. */
  readonly ids: Buffer;
}

/** Keys and where they came from: `made` means that a first start has just written them to `file`. */
export interface LoadedKeys {
  readonly keys: Keys;
  readonly file: string | null;
  readonly made: boolean;
}

const NAMES = ['master_key', 'jwt_secret', 'principal_key'] as const;
type KeyFile = Record<(typeof NAMES)[number], string>;

/**
 * Takes keys from the environment's texts, and the missing ones from `keys.json` in the data directory, which is
 * made on first use, readable by its owner alone. @throws ConfigError for a key that is too short or a broken file.
 */
export function loadKeys(texts: KeyTexts, dataDir: string): LoadedKeys {
  const complete =
    texts.master !== null && (texts.jwtSecret ?? texts.jwtPrivateKey) !== null && texts.principal !== null;
  const path = join(dataDir, 'keys.json');
  const stored = complete ? null : readOrMake(path);
  const pick = (variable: string, given: string | null, name: keyof KeyFile): Buffer =>
    strong(given === null ? `${name} in ${path}` : variable, given ?? (stored?.content[name] as string));
  const principal = pick('PRINCIPAL_KEY', texts.principal, 'principal_key');
  return {
    keys: {
      master: pick('MASTER_KEY', texts.master, 'master_key'),
      jwt:
        texts.jwtPrivateKey === null
          ? { kind: 'secret', secret: pick('JWT_SECRET', texts.jwtSecret, 'jwt_secret') }
          : { kind: 'private', pem: ed25519(texts.jwtPrivateKey.replaceAll('\\n', '\n')) },
      principal,
      ids: deriveKey(principal, 'everstep ids'),
    },
    file: stored === null ? null : path,
    made: stored?.made ?? false,
  };
}

function readOrMake(path: string): { content: KeyFile; made: boolean } {
  try {
    return { content: parse(path, readFileSync(path, 'utf8')), made: false };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const content = Object.fromEntries(NAMES.map((name) => [name, randomBytes(32).toString('base64')])) as KeyFile;
  if (makeWhole(path, `${JSON.stringify(content, null, 2)}\n`)) return { content, made: true };
  return { content: parse(path, readFileSync(path, 'utf8')), made: false };
}

/**
 * Makes a file that is there whole or not at all; false when there is one already. A link, unlike a rename, never takes
 * the place of a file: keys are read before the data folder is locked, and of two processes that start at once the
 * one that is then refused must not leave its keys behind, which open nothing of what the other one seals.
 */
function makeWhole(path: string, text: string): boolean {
  const folder = dirname(path);
  const aside = `${path}.${process.pid}.new`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  rmSync(aside, { force: true });
  writeFileSync(aside, text, { mode: 0o600, flush: true });
  try {
    linkSync(aside, path);
    flushFolder(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(aside);
  }
}

/** Brings a new name to the disk, before anything that depends on it gets there. Windows does it unasked. */
function flushFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const open = openSync(folder, 'r');
  try {
    fsyncSync(open);
  } finally {
    closeSync(open);
  }
}

function parse(path: string, text: string): KeyFile {
  try {
    const content = JSON.parse(text) as Partial<KeyFile>;
    if (NAMES.every((name) => typeof content[name] === 'string')) return content as KeyFile;
  } catch {
    // Told below: text that is no JSON and JSON that lacks a key have the same mend.
  }
  throw new ConfigError([
    `${path} is not a key file with ${NAMES.join(', ')}; restore it from a backup (new keys cannot open old secrets)`,
  ]);
}

function strong(name: string, text: string): Buffer {
  const base64 = /^[A-Za-z0-9+/_-]{43,}={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null;
  const key = base64 !== null && base64.length >= 32 ? base64 : Buffer.from(text);
  if (key.length >= 32) return key;
  throw new ConfigError([`${name} must hold at least 32 bytes (make one with: openssl rand -base64 32)`]);
}

function ed25519(pem: string): string {
  if (keyType(pem) === 'ed25519') return pem;
  throw new ConfigError([
    'JWT_PRIVATE_KEY must hold an Ed25519 private key as PEM text (make one with: openssl genpkey -algorithm ed25519)',
  ]);
}

function keyType(pem: string): string | undefined {
  try {
    return createPrivateKey(pem).asymmetricKeyType;
  } catch {
    // The parser's own words name no variable and help nobody.
    return undefined;
  }
}

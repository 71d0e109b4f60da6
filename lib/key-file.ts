import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from './config';
import { isObject } from './json';

/** The keys in the file. */
export const KEY_NAMES = ['master_key', 'jwt_secret', 'principal_key'] as const;
export type KeyName = (typeof KEY_NAMES)[number];

/** Content of `keys.json`: the current keys, and previous ones, newest first. */
export type KeyFile = Record<KeyName, string> & { previous?: Partial<Record<KeyName, string[]>> };

/** Reads the key file of a data directory, or creates it with new keys. @throws ConfigError when it is invalid */
export function readOrMakeKeyFile(dataDir: string): { path: string; content: KeyFile; made: boolean } {
  const path = keyFilePath(dataDir);
  const found = readKeyFile(path);
  if (found !== null) return { path, content: found, made: false };
  const content: KeyFile = { master_key: newKey(), jwt_secret: newKey(), principal_key: newKey() };
  if (makeWhole(path, textOf(content))) return { path, content, made: true };
  return { path, content: parse(path, readFileSync(path, 'utf8')), made: false };
}

export const keyFilePath = (dataDir: string): string => join(dataDir, 'keys.json');

/** Reads a key file; null when there is none. @throws ConfigError when it is invalid */
export function readKeyFile(path: string): KeyFile | null {
  try {
    return parse(path, readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return null;
  }
}

/** Replaces a key file atomically: after a crash the old or the new one exists, complete. */
export function replaceKeyFile(path: string, content: KeyFile): void {
  const aside = writeAside(path, textOf(content));
  renameSync(aside, path);
  flushFolder(dirname(path));
}

/** Adds new keys under the given names; the current ones become previous. Pure except for the new keys. */
export const withNewKeys = (file: KeyFile, names: readonly KeyName[], make: () => string = newKey): KeyFile => ({
  ...file,
  ...Object.fromEntries(names.map((name) => [name, make()])),
  previous: {
    ...file.previous,
    ...Object.fromEntries(names.map((name) => [name, [file[name], ...(file.previous?.[name] ?? [])]])),
  },
});

const newKey = (): string => randomBytes(32).toString('base64');

const textOf = (content: KeyFile): string => `${JSON.stringify(content, null, 2)}\n`;

/**
 * Creates a file atomically; false when it exists. A link, unlike a rename, never replaces a file. Keys are read before
 * the data folder is locked: of two processes starting at once, the refused one must not leave keys that cannot decrypt
 * the other's data.
 */
function makeWhole(path: string, text: string): boolean {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const aside = writeAside(path, text);
  try {
    linkSync(aside, path);
    flushFolder(dirname(path));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(aside);
  }
}

function writeAside(path: string, text: string): string {
  const aside = `${path}.${process.pid}.new`;
  rmSync(aside, { force: true });
  writeFileSync(aside, text, { mode: 0o600, flush: true });
  return aside;
}

/** Flushes a new directory entry before anything that depends on it. Windows does it by itself. */
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
    const content: unknown = JSON.parse(text);
    if (isKeyFile(content)) return content;
  } catch {
    // Reported below: invalid JSON and a missing key have the same remedy.
  }
  throw new ConfigError([
    `${path} is not a key file with ${KEY_NAMES.join(', ')}; restore it from a backup (new keys cannot open old secrets)`,
  ]);
}

function isKeyFile(content: unknown): content is KeyFile {
  if (!isObject(content) || !KEY_NAMES.every((name) => typeof content[name] === 'string')) return false;
  const { previous = {} } = content;
  return isObject(previous) && Object.values(previous).every(isTexts);
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === 'string');

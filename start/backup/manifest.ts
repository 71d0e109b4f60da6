import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../../lib/json';

/** What lies in a backup beside the data, and makes it one: it is written last. */
export interface Manifest {
  readonly format: 'everstep.backup';
  readonly format_version: 1;
  /** RFC 3339. */
  readonly made_at: string;
  /** Of the program that made it. */
  readonly version: string;
  /** Of `data.db`. */
  readonly bytes: number;
  readonly sha256: string;
  /** Documents by collection. */
  readonly collections: Readonly<Record<string, number>>;
  /** Which master key the secrets in it are sealed under; null where none are. Says nothing about the key. */
  readonly master_key_id: string | null;
  /** Whether `keys.json` is in it. */
  readonly keys: boolean;
}

export const DATA = 'data.db';
export const MANIFEST = 'manifest.json';
export const KEYS = 'keys.json';

/** The manifest of a backup. @throws Error where there is none that this version can read */
export function readManifest(dir: string): Manifest {
  const value = parsed(join(dir, MANIFEST));
  if (isObject(value) && value.format === 'everstep.backup' && value.format_version !== 1)
    throw new Error(
      `the backup in ${dir} was made by a newer version (${String(value.version)}); restore it with that`,
    );
  if (!isManifest(value)) throw new Error(`there is no backup in ${dir}, or one that was not finished`);
  return value;
}

function parsed(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    // Told by who knows the folder.
    if (fault instanceof SyntaxError || code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw fault;
  }
}

const isManifest = (value: unknown): value is Manifest =>
  isObject(value) &&
  value.format === 'everstep.backup' &&
  typeof value.bytes === 'number' &&
  typeof value.sha256 === 'string' &&
  isObject(value.collections) &&
  Object.values(value.collections).every((count) => typeof count === 'number') &&
  (value.master_key_id === null || typeof value.master_key_id === 'string') &&
  typeof value.keys === 'boolean';

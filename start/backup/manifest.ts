import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../../lib/json';

/** The manifest of a backup. It is written last: a folder without it is an unfinished backup. */
export interface Manifest {
  readonly format: 'everstep.backup';
  readonly format_version: 1;
  /** RFC 3339. */
  readonly made_at: string;
  /** Version of the program that made it. */
  readonly version: string;
  /** Size of `data.db`. */
  readonly bytes: number;
  readonly sha256: string;
  /** Number of documents by collection. */
  readonly collections: Readonly<Record<string, number>>;
  /** Id of the master key that the secrets are encrypted with; null without secrets. Reveals nothing about the key. */
  readonly master_key_id: string | null;
  /** Whether the backup includes `keys.json`. */
  readonly keys: boolean;
}

export const DATA = 'data.db';
export const MANIFEST = 'manifest.json';
export const KEYS = 'keys.json';

/** Reads the manifest of a backup. @throws Error when there is none that this version supports */
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
    // Null: the caller reports it with the folder's name.
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

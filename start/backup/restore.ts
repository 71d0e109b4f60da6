import { existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isObject } from '../../lib/json';
import type { Progress } from '../store-copy';
import { copyFile, fingerprint, flush } from './files';
import { type Contents, lookThrough } from './look';
import { assertKeysOf } from './keys';
import { DATA, KEYS, type Manifest, readManifest } from './manifest';

/** Looks through a backup without restoring it. @throws Error naming what is wrong with it */
export async function checkBackup(from: string, progress: Progress): Promise<Manifest> {
  const manifest = await wholeBackup(from);
  const aside = mkdtempSync(join(tmpdir(), 'everstep-check-'));
  try {
    // The backup itself stays as it is: a store that is opened is written to.
    await copyFile(join(from, DATA), join(aside, DATA));
    progress('whole; looking through it');
    assertSame(await lookThrough(aside), manifest);
    return manifest;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/**
 * Makes a store of a backup in `dataDir`, which may have nothing in it but the keys.
 * @throws Error when there is something else, or the backup is not whole; then nothing of it stays, unless somebody has
 *   begun to serve the folder at that very moment: then that has the keys of the backup
 */
export async function restoreBackup(from: string, dataDir: string, progress: Progress): Promise<Manifest> {
  const manifest = await wholeBackup(from);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const others = readdirSync(dataDir).filter((name) => name !== KEYS);
  if (others.length > 0)
    throw new Error(`${dataDir} is not empty (${others.slice(0, 3).join(', ')}); restore into a new folder`);
  if (manifest.keys && existsSync(join(dataDir, KEYS)))
    throw new Error(`${dataDir} has a ${KEYS}, and so has the backup; move the one away that is not to count`);
  const aside = mkdtempSync(`${join(dataDir, '.restore-')}`);
  try {
    await copyFile(join(from, DATA), join(aside, DATA));
    assertWhole(await fingerprint(join(aside, DATA)), manifest, aside);
    progress('copied; looking through it');
    assertSame(await lookThrough(aside), manifest);
    if (manifest.keys) await copyFile(join(from, KEYS), join(aside, KEYS));
    flush(join(aside, DATA));
    // A link, unlike a rename, never takes the place of what somebody has made meanwhile. Keys come first: a store that
    // is started without its own would make others.
    if (manifest.keys) linkSync(join(aside, KEYS), join(dataDir, KEYS));
    linkSync(join(aside, DATA), join(dataDir, DATA));
    flush(dataDir);
    return manifest;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

async function wholeBackup(from: string): Promise<Manifest> {
  const manifest = readManifest(from);
  assertWhole(await fingerprint(join(from, DATA)), manifest, from);
  if (manifest.keys) assertKeysOf(from, manifest.master_key_id);
  return manifest;
}

function assertWhole(found: { bytes: number; sha256: string }, { bytes, sha256 }: Manifest, where: string): void {
  if (found.bytes !== bytes || found.sha256 !== sha256)
    throw new Error(`${join(where, DATA)} is not what was backed up: its size or hash is another one`);
}

function assertSame(found: Contents, { collections, master_key_id }: Manifest): void {
  const names = new Set([...Object.keys(found.collections), ...Object.keys(collections)]);
  const wrong = [...names].filter((name) => found.collections[name] !== collections[name]);
  if (wrong.length > 0 || found.master_key_id !== master_key_id || !isObject(collections))
    throw new Error(`the store does not hold what the manifest says: ${wrong.join(', ') || 'its master key'}`);
}

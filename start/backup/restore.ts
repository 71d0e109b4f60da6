import { existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isObject } from '../../lib/json';
import type { Progress } from '../store-copy';
import { copyFile, fingerprint, flush } from './files';
import { type Contents, inspectStore } from './inspect';
import { assertKeysOf } from './keys';
import { DATA, KEYS, type Manifest, readManifest } from './manifest';

/** Checks a backup without restoring it. @throws Error naming the fault */
export async function checkBackup(from: string, progress: Progress): Promise<Manifest> {
  const manifest = await wholeBackup(from);
  const aside = mkdtempSync(join(tmpdir(), 'everstep-check-'));
  try {
    // Opened as a copy: opening a store writes to it.
    await copyFile(join(from, DATA), join(aside, DATA));
    progress('complete; checking it');
    assertSame(await inspectStore(aside), manifest);
    return manifest;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/**
 * Restores a backup into `dataDir`, which must be empty except for the keys.
 * @throws Error when it is not, or the backup is incomplete; then nothing is left behind, except the backup's keys if
 *   another process has started on the folder at that moment
 */
export async function restoreBackup(from: string, dataDir: string, progress: Progress): Promise<Manifest> {
  const manifest = await wholeBackup(from);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const others = readdirSync(dataDir).filter((name) => name !== KEYS);
  if (others.length > 0)
    throw new Error(`${dataDir} is not empty (${others.slice(0, 3).join(', ')}); restore into a new folder`);
  if (manifest.keys && existsSync(join(dataDir, KEYS)))
    throw new Error(`Both ${dataDir} and the backup have a ${KEYS}; move away the one that should not be used`);
  const aside = mkdtempSync(`${join(dataDir, '.restore-')}`);
  try {
    await copyFile(join(from, DATA), join(aside, DATA));
    assertWhole(await fingerprint(join(aside, DATA)), manifest, aside);
    progress('copied; checking it');
    assertSame(await inspectStore(aside), manifest);
    if (manifest.keys) await copyFile(join(from, KEYS), join(aside, KEYS));
    flush(join(aside, DATA));
    // A link, unlike a rename, never replaces a file created meanwhile. Keys come first: a store started without them
    // would create new ones.
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
    throw new Error(`${join(where, DATA)} differs from what was backed up: wrong size or hash`);
}

function assertSame(found: Contents, { collections, master_key_id }: Manifest): void {
  const names = new Set([...Object.keys(found.collections), ...Object.keys(collections)]);
  const wrong = [...names].filter((name) => found.collections[name] !== collections[name]);
  if (wrong.length > 0 || found.master_key_id !== master_key_id || !isObject(collections))
    throw new Error(`the store does not match the manifest: ${wrong.join(', ') || 'its master key'}`);
}

import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { copyStore } from '../../embedded';
import type { Progress } from '../store-copy';
import { VERSION } from '../version';
import { copyFile, fingerprint, flush } from './files';
import { assertKeysOf } from './keys';
import { inspectStore } from './inspect';
import { DATA, KEYS, MANIFEST, type Manifest } from './manifest';

const TENTH = 10;

/**
 * Backs up the store in `dataDir`, also while it is in use. The target folder appears complete or not at all.
 * @throws Error when `out` is not empty, or the copy is damaged
 */
export async function createBackup(
  dataDir: string,
  out: string,
  { withKeys, now, progress }: { withKeys: boolean; now: number; progress: Progress },
): Promise<Manifest> {
  const target = resolve(out);
  if (existsSync(target) && readdirSync(target).length > 0) throw new Error(`the folder ${target} is not empty`);
  if (withKeys && !existsSync(join(dataDir, KEYS)))
    throw new Error(`there is no ${join(dataDir, KEYS)}: the keys are environment variables`);
  // In the same folder as the target, so that a rename puts it in place.
  const aside = join(dirname(target), `.${basename(target)}.${process.pid}.part`);
  mkdirSync(dirname(target), { recursive: true });
  mkdirSync(aside, { mode: 0o700 });
  try {
    const file = join(aside, DATA);
    await copyStore(dataDir, file, inTenths(progress));
    chmodSync(file, 0o600);
    progress('copied; checking the copy');
    const contents = await inspectStore(aside);
    if (withKeys) {
      await copyFile(join(dataDir, KEYS), join(aside, KEYS));
      assertKeysOf(aside, contents.master_key_id);
    }
    const manifest: Manifest = {
      format: 'everstep.backup',
      format_version: 1,
      made_at: new Date(now).toISOString(),
      version: VERSION,
      ...(await fingerprint(file)),
      ...contents,
      keys: withKeys,
    };
    flush(file);
    writeFileSync(join(aside, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
    flush(aside);
    // A rename replaces an empty folder only.
    renameSync(aside, target);
    flush(dirname(target));
    return manifest;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** Reports every 10 % once. */
function inTenths(progress: Progress): (pages: { done: number; total: number }) => void {
  let reported = 0;
  return ({ done, total }) => {
    const tenths = Math.floor((done * TENTH) / Math.max(1, total));
    if (tenths > reported) progress(`${tenths * TENTH} % of ${total} pages`);
    reported = tenths;
  };
}

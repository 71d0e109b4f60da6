import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

const CHECKSUM_BYTES = 4;

let pending: { readonly script: Script; readonly folder: string; readonly name: string } | null = null;

/**
 * Runs a bundle with the functions that an earlier start had compiled. Node's own compile cache keeps what is compiled before
 * a file runs, which are few functions of a bundle, as V8 compiles each one when it is first called.
 *
 * @param file the path of a CommonJS bundle
 */
export function runBundle(file: string): void {
  const folder = Module.getCompileCacheDir();
  // Node maps the frames of modules to their sources, and not those of scripts.
  if (folder === undefined || process.sourceMapsEnabled) {
    createRequire(file)(file);
    return;
  }
  const text = readFileSync(file);
  // V8 compares only the lengths of texts.
  const name = `${basename(file, '.js')}-${crc32(text).toString(16)}.code`;
  const cachedData = read(join(folder, name));
  const script = new Script(Module.wrap(text.toString('latin1')), {
    filename: file,
    ...(cachedData === null ? {} : { cachedData }),
  });
  if (cachedData === null || script.cachedDataRejected) pending = { script, folder, name };
  const bundle = { exports: {} };
  script.runInThisContext()(bundle.exports, createRequire(file), bundle, file, dirname(file));
}

/**
 * Stores what this start has compiled, for the next ones; nothing when that is stored already. V8 refuses the file under flags
 * other than those of this moment. A folder that cannot be written stays as it is.
 */
export function saveCompiled(): void {
  if (pending === null) return;
  const { script, folder, name } = pending;
  pending = null;
  try {
    const [bundle] = name.split('-');
    for (const old of readdirSync(folder))
      if (old.startsWith(`${bundle}-`) && old.endsWith('.code')) rmSync(join(folder, old));
    const data = script.createCachedData();
    const checksum = Buffer.alloc(CHECKSUM_BYTES);
    checksum.writeUInt32LE(crc32(data));
    const aside = join(folder, `${name}.${process.pid}`);
    writeFileSync(aside, Buffer.concat([data, checksum]), { mode: 0o600 });
    renameSync(aside, join(folder, name));
  } catch {
    // The next start compiles again.
  }
}

/** Null without the file, or when it is damaged. */
function read(path: string): Buffer | null {
  let stored: Buffer;
  try {
    stored = readFileSync(path);
  } catch {
    return null;
  }
  const data = stored.subarray(0, -CHECKSUM_BYTES);
  return stored.length > CHECKSUM_BYTES && stored.readUInt32LE(data.length) === crc32(data) ? data : null;
}

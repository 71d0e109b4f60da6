import { join } from 'node:path';
import { readKeyFile } from '../../lib/key-file';
import { masterKeyId } from '../../lib/keyring';
import { keyBytes } from '../../lib/keys';
import { KEYS } from './manifest';

/**
 * Checks that the keys in a folder open the data beside them, with the current master key or a previous one.
 * @throws Error when they do not, or are invalid
 */
export function assertKeysOf(dir: string, needed: string | null): void {
  const path = join(dir, KEYS);
  const file = readKeyFile(path);
  if (file === null) throw new Error(`there is no ${path}, which the manifest names`);
  const masters = [file.master_key, ...(file.previous?.master_key ?? [])];
  if (needed !== null && !masters.some((text) => masterKeyId(keyBytes(text)) === needed))
    throw new Error(`${path} does not hold the master key ${needed}, which the data is encrypted with`);
}

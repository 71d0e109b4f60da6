import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { keyFilePath } from '../../../lib/key-file';
import { type Check, type Finding, fault, note, ok, warning } from '../finding';

const MIN_FREE_BYTES = 1024 ** 3;
const TOO_LITTLE = 100 * 1024 ** 2;
const MIB = 1024 ** 2;

/** DATA_DIR: usable, private, with enough space. */
export const dataFolder: Check = {
  name: 'data folder',
  mend: 'Make DATA_DIR a folder on a local disk that the service can read and write.',
  async run({ config: { dataDir, mongoUrl } }) {
    if (!existsSync(dataDir)) {
      const above = nearest(dataDir);
      if (!mayWrite(above))
        return [
          fault(`${dataDir} cannot be created: ${above} is not writable`, `chown ${above} to the user of the service.`),
        ];
      return [ok(`${dataDir} will be created by the first start`), spaceFinding(above, free(above))];
    }
    if (!statSync(dataDir).isDirectory()) return [fault(`${dataDir} is not a folder`, 'Set DATA_DIR to a folder.')];
    if (!mayWrite(dataDir)) return [fault(`${dataDir} is not writable`, `chown -R it to the user of the service.`)];
    const used = mongoUrl === null || existsSync(keyFilePath(dataDir));
    return [...modes(dataDir, used), spaceFinding(dataDir, free(dataDir))];
  },
};

function modes(dataDir: string, used: boolean): Finding[] {
  const found: Finding[] = [];
  const folder = statSync(dataDir).mode & 0o777;
  // The store restricts its folder at each start; a folder without a store may still hold keys.
  if (used && (folder & 0o077) !== 0)
    found.push(warning(`${dataDir} is open to other users (${octal(folder)})`, `chmod 700 ${dataDir}`));
  const keys = keyFilePath(dataDir);
  if (existsSync(keys)) {
    const mode = statSync(keys).mode & 0o777;
    if ((mode & 0o077) !== 0)
      found.push(
        fault(
          `${keys} can be read by other users (${octal(mode)})`,
          `chmod 600 ${keys}; replace the keys (docs/keys.md) if others could log in.`,
        ),
      );
  }
  return found.length > 0 ? found : [ok(`only this user can access ${dataDir}`)];
}

/** `bytes`: free space at `path`. Pure. */
export function spaceFinding(path: string, bytes: number): Finding {
  const text = `${Math.floor(bytes / MIB)} MiB are free where ${path} is`;
  if (bytes < TOO_LITTLE) return fault(text, 'Free space: on a full disk every write fails.');
  return bytes < MIN_FREE_BYTES ? note(text, 'Free space before it is needed.') : ok(text);
}

function free(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

const nearest = (path: string): string => (existsSync(path) ? path : nearest(dirname(path)));

const octal = (mode: number): string => mode.toString(8).padStart(3, '0');

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    // Not writable, whatever the reason.
    return false;
  }
}

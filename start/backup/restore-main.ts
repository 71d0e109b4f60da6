import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { masterKeyId } from '../../lib/keyring';
import { keyFilePath, readKeyFile } from '../../lib/key-file';
import { keyBytes } from '../../lib/keys';
import { fatal } from '../error-text';
import { restoreBackup } from './restore';

const USAGE = 'usage: npm run restore -- DIR    into the empty folder of DATA_DIR';

/** `npm run restore`: restores a store from a backup of `npm run backup`. */
async function main(): Promise<void> {
  const { positionals } = parseArgs({ allowPositionals: true, options: {} });
  const [dir] = positionals;
  if (dir === undefined || positionals.length > 1) throw new Error(USAGE);
  if (process.env.MONGO_URL)
    throw new Error('MONGO_URL is set: a backup is restored into DATA_DIR, see docs/backup.md');
  const dataDir = resolve(process.env.DATA_DIR ?? 'data');
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const { collections, master_key_id: needed } = await restoreBackup(resolve(dir), dataDir, say);
  const documents = Object.values(collections).reduce((sum, count) => sum + count, 0);
  say(`${documents} documents in ${Object.keys(collections).length} collections are in ${dataDir}`);
  const given = process.env.MASTER_KEY ?? readKeyFile(keyFilePath(dataDir))?.master_key;
  if (given === undefined && needed !== null)
    say(`Before the start, put back keys.json, or set MASTER_KEY to the key ${needed}`);
  else if (given !== undefined && needed !== null && masterKeyId(keyBytes(given)) !== needed)
    say(`The configured master key is not ${needed}, which this data is encrypted with; see docs/keys.md`);
}

main().catch((fault: unknown) => fatal(fault instanceof Error ? fault.message : fault));

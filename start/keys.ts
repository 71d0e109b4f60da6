import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  KEY_NAMES,
  type KeyFile,
  keyFilePath,
  type KeyName,
  readKeyFile,
  replaceKeyFile,
  withNewKeys,
} from '../lib/key-file';
import { masterKeyId } from '../lib/keyring';
import { keyBytes } from '../lib/keys';
import { MASTER_RECORDS } from '../lib/master-key-record';
import { PROGRESS_RECORDS, type ProgressRecord } from '../lib/rotation-progress';
import { runTool, type WithDatabase } from './store-tool';

const USAGE = `usage: npm run keys -- rotate [--only master|token|principal]   new keys in DATA_DIR/keys.json; restart after it
       npm run keys -- retire [--despite-unreadable]             drops the former ones, when nothing needs them
       npm run keys -- forget [--url mongodb://...]              the master key is lost: lets the next start take another`;

const KEY_OPTIONS: Readonly<Record<string, KeyName>> = {
  master: 'master_key',
  token: 'jwt_secret',
  principal: 'principal_key',
};

const path = keyFilePath(resolve(process.env.DATA_DIR ?? 'data'));
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** `npm run keys`: rotates the keys that the first start made, and recovers from a lost one. */
runTool(async (withDatabase) => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { only: { type: 'string' }, url: { type: 'string' }, 'despite-unreadable': { type: 'boolean' } },
  });
  switch (positionals.join(' ')) {
    case 'rotate':
      return rotate(values.only);
    case 'retire':
      return retire(withDatabase, values['despite-unreadable'] === true);
    case 'forget':
      return forget(withDatabase, values.url);
    default:
      throw new Error(USAGE);
  }
});

function rotate(only: string | undefined): void {
  const name = only === undefined ? undefined : KEY_OPTIONS[only];
  if (only !== undefined && name === undefined) throw new Error(USAGE);
  const names = name === undefined ? KEY_NAMES : [name];
  replaceKeyFile(path, withNewKeys(existing(), names));
  say(`${path} has new keys: ${names.join(', ')}. The previous keys are kept in the file.`);
  say('Restart the service: it keeps serving while it re-encrypts everything under the new master key.');
  say('When GET /api/v1/system/keys says "done", and tokens have had 12 hours to expire: npm run keys -- retire');
}

/** `despiteUnreadable`: ignores values that no known key can decrypt. */
async function retire(withDatabase: WithDatabase, despiteUnreadable: boolean): Promise<void> {
  const { previous: _dropped, ...file } = existing();
  const current = masterKeyId(keyBytes(file.master_key));
  await withDatabase(undefined, async (db) => {
    const records = await db.collection<ProgressRecord>(PROGRESS_RECORDS).find().toArray();
    const needed = ({ left, unreadable }: ProgressRecord): number => left - (despiteUnreadable ? unreadable : 0);
    const behind = records.filter(
      (record) => record.key_id !== current || needed(record) > 0 || record.finished_at === null,
    );
    if (records.length > 0 && behind.length === 0) return records.length;
    const names = behind.map(({ _id }) => _id).join(', ') || 'everything';
    throw new Error(
      `Not everything is encrypted under the newest master key yet (${names}); start the service and wait`,
    );
  });
  replaceKeyFile(path, file);
  say(`${path} holds no previous keys any more. Restart the service at any time.`);
}

async function forget(withDatabase: WithDatabase, url: string | undefined): Promise<void> {
  await withDatabase(url, async (db) => {
    const { deletedCount } = await db.collection<{ _id: string }>(MASTER_RECORDS).deleteOne({ _id: 'master' });
    return deletedCount;
  });
  say('The next start accepts any MASTER_KEY. Values encrypted under the lost key stay unreadable: store them again.');
}

/** @throws Error without a key file: the keys are environment variables then */
function existing(): KeyFile {
  const file = readKeyFile(path);
  if (file !== null) return file;
  throw new Error(`There is no ${path}; rotate keys from environment variables where they are set, see docs/keys.md`);
}

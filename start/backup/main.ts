import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { fatal } from '../error-text';
import type { Manifest } from './manifest';
import { checkBackup } from './restore';
import { createBackup } from './create';

const USAGE = `usage: npm run backup -- DIR [--with-keys]   the built-in store of DATA_DIR, also while it is served
       npm run backup -- DIR --check       looks through a backup`;

/** `npm run backup`: progress on stderr, the manifest on stdout. */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'with-keys': { type: 'boolean', default: false }, check: { type: 'boolean', default: false } },
  });
  const [dir] = positionals;
  if (dir === undefined || positionals.length > 1) throw new Error(USAGE);
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  if (values.check) return print(await checkBackup(resolve(dir), say));
  if (process.env.MONGO_URL)
    throw new Error('MONGO_URL is set: back MongoDB up with its own tools, see docs/backup.md');
  const dataDir = resolve(process.env.DATA_DIR ?? 'data');
  const manifest = await createBackup(dataDir, dir, { withKeys: values['with-keys'], now: Date.now(), progress: say });
  print(manifest);
  say(
    manifest.keys
      ? 'The backup includes keys.json: anyone with this folder can read every secret'
      : `The backup has no keys. Keep them elsewhere: without the master key ${manifest.master_key_id} no secret can be read`,
  );
}

const print = (manifest: Manifest): void => void process.stdout.write(`${JSON.stringify(manifest, null, 2)}\n`);

main().catch((fault: unknown) => fatal(fault instanceof Error ? fault.message : fault));

import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Db } from 'mongodb';
import { createConnection } from 'mongoose';
import { systemClock } from '../lib/clock';
import { loadKeys } from '../lib/keys';
import { settleKeys } from '../lib/master-key-record';
import { AuditLog } from '../mixins/audit';
import { removeFactors, waiveFactors } from '../services/auth/factors/operator';
import { loadConfig } from './broker-options';
import { runTool } from './store-tool';

const USAGE = `usage: npm run second-factor -- remove TENANT EMAIL [--url mongodb://...]   removes the second factors of an account
       npm run second-factor -- waive TENANT [--url mongodb://...]          the tenant no longer requires one`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** `npm run second-factor`: the operator's way out for owners who have lost their second factor. */
runTool(async (withDatabase) => {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { url: { type: 'string' } } });
  const [command, slug, email] = positionals;
  const isRemoval = command === 'remove' && email !== undefined;
  if (slug === undefined || (!isRemoval && command !== 'waive')) throw new Error(USAGE);
  await withDatabase(values.url, async (db) => {
    const parts = await openParts(db);
    if (isRemoval) {
      await removeFactors(parts, slug, email);
      say(`${email} of ${slug} signs in without a second factor now; the sessions of the account are ended.`);
    } else {
      await waiveFactors(parts, slug);
      say(`${slug} no longer requires a second factor.`);
    }
    await parts.audit.settled();
    say('A running service takes this into account within seconds.');
  });
});

/** The audit log needs the keys of the service. @throws Error where they are not here */
async function openParts(db: Db) {
  const config = loadConfig();
  const loaded = loadKeys(config.keys, config.dataDir);
  if (loaded.made) {
    if (loaded.file !== null) rmSync(loaded.file);
    throw new Error(`There is no keys.json in ${config.dataDir}; set DATA_DIR, or the keys, as for the service`);
  }
  const connection = createConnection().setClient(await db.client.connect());
  const { keys } = await settleKeys(connection, loaded.keys, systemClock.now());
  const warn = (message: string): void => void process.stderr.write(`${message}\n`);
  const audit = new AuditLog({ db: connection, keys, clock: systemClock, warn });
  return { db: connection, audit, now: systemClock.now() };
}

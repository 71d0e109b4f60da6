import { rmSync } from 'node:fs';
import type { Db } from 'mongodb';
import { createConnection } from 'mongoose';
import { systemClock } from '../lib/clock';
import { loadKeys } from '../lib/keys';
import { settleKeys } from '../lib/master-key-record';
import { AuditLog } from '../mixins/audit';
import { loadConfig } from './broker-options';

/** What a command of the operator works with: the audit log needs the keys of the service. @throws Error where they are not here */
export async function openParts(db: Db) {
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
  return { db: connection, audit, now: systemClock.now(), config };
}

import type { Connection } from 'mongoose';
import { ConfigError } from './config';
import { isDuplicateKey } from './duplicate-key';
import { Keyring, masterKeyId, type Sealed, type StoredSeal } from './keyring';
import type { Keys } from './keys';
import { checkMasterKey } from './master-key';

const MAX_TRIES = 10;
const ROOTS = { purpose: 'everstep roots', context: ['roots'], what: 'record of roots' } as const;
/** Keys that never change, even when others are rotated. */
const ROOT_NAMES = ['ids', 'audit'] as const;
type Roots = Pick<Keys, (typeof ROOT_NAMES)[number]>;

/** The master keys that have encrypted the data. One record per deployment. */
interface MasterRecord {
  readonly _id: 'master';
  /** Key ids, oldest first; the last one is current. They reveal nothing about the keys. */
  readonly keys: readonly { readonly id: string; readonly since: Date }[];
  /**
   * Keys for derived ids and audit log MACs. They must survive rotations: otherwise repeats would not be recognized,
   * and the log would appear forged.
   */
  readonly roots: StoredSeal;
}

/** Keys that match the data. */
interface SettledKeys {
  readonly keys: Keys;
  readonly keyring: Keyring;
  /** MASTER_KEY was rotated out; the process continues with the current key. */
  readonly retired: boolean;
}

/** Collection of the record. */
export const MASTER_RECORDS = 'deployment_keys';

const recordsOf = (db: Connection) => db.collection<MasterRecord>(MASTER_RECORDS);

/**
 * Compares the master key with the data's, and rotates to a new one if the current one is known as well. Safe to run
 * concurrently: each update names the state that it read.
 * @throws ConfigError for a key that cannot decrypt the data
 */
export async function settleKeys(db: Connection, keys: Keys, nowMs: number): Promise<SettledKeys> {
  const records = recordsOf(db);
  const others = keys.previous.master;
  const given = masterKeyId(keys.master);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const record = await records.findOne({ _id: 'master' });
    const recorded = (record?.keys ?? []).map(({ id }) => id);
    const verdict = checkMasterKey(recorded, given, others.map(masterKeyId));
    switch (verdict.kind) {
      case 'refused':
        throw new ConfigError([verdict.why]);
      case 'first':
        await insertFirst(db, keys, nowMs);
        break;
      case 'rotate':
        await rotate(db, record as MasterRecord, new Keyring(keys.master, others), nowMs);
        break;
      case 'current':
      case 'retired':
        return settled(record as MasterRecord, keys, verdict.kind === 'retired' ? verdict.current : given);
    }
  }
  throw new Error('Other processes keep changing the record of master keys; restart this process');
}

/** The current key's id, and when each key came into use. */
export async function mastersOf(db: Connection): Promise<MasterRecord['keys']> {
  return (await recordsOf(db).findOne({ _id: 'master' }))?.keys ?? [];
}

/** Drops the record when the key is lost: encrypted values stay unreadable, and any key may be used next. */
export async function forgetMasters(db: Connection): Promise<boolean> {
  return (await recordsOf(db).deleteOne({ _id: 'master' })).deletedCount === 1;
}

function settled(record: MasterRecord, keys: Keys, current: string): SettledKeys {
  const all = [keys.master, ...keys.previous.master];
  const master = all.find((key) => masterKeyId(key) === current) as Buffer;
  const others = all.filter((key) => key !== master);
  const keyring = new Keyring(master, others);
  return {
    keys: { ...keys, master, ...openRoots(keyring, record), previous: { ...keys.previous, master: others } },
    keyring,
    retired: master !== keys.master,
  };
}

async function insertFirst(db: Connection, keys: Keys, nowMs: number): Promise<void> {
  const keyring = new Keyring(keys.master);
  const first = { id: keyring.newestId, since: new Date(nowMs) };
  try {
    await recordsOf(db).insertOne({ _id: 'master', keys: [first], roots: sealRoots(keyring, keys) });
  } catch (error) {
    // Another process was first; its result is read next.
    if (!isDuplicateKey(error)) throw error;
  }
}

/** Stores the new key and the roots encrypted with it in one write, so that a crash cannot separate them. */
async function rotate(db: Connection, record: MasterRecord, keyring: Keyring, nowMs: number): Promise<void> {
  const roots = sealRoots(keyring, openRoots(keyring, record));
  const next = [...record.keys, { id: keyring.newestId, since: new Date(nowMs) }];
  await recordsOf(db).updateOne({ _id: 'master', keys: [...record.keys] }, { $set: { keys: next, roots } });
}

const sealRoots = (keyring: Keyring, roots: Roots): Sealed =>
  keyring.seal(
    ROOTS,
    JSON.stringify(Object.fromEntries(ROOT_NAMES.map((name) => [name, roots[name].toString('hex')]))),
  );

function openRoots(keyring: Keyring, { roots }: MasterRecord): Roots {
  // Only `sealRoots` writes it.
  const texts = JSON.parse(keyring.open(ROOTS, roots).toString()) as Record<keyof Roots, string>;
  return { ids: Buffer.from(texts.ids, 'hex'), audit: Buffer.from(texts.audit, 'hex') };
}

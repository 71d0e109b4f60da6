import type { Connection } from 'mongoose';
import { ConfigError } from '../../lib/config';
import { isDuplicateKey } from '../../lib/duplicate-key';
import { Keyring, masterKeyId, type Sealed, type StoredSeal } from '../../lib/keyring';
import type { Keys } from '../../lib/keys';
import { judgeMaster } from '../../lib/master-key';

const MAX_TRIES = 10;
const ROOTS = { purpose: 'everstep roots', context: ['roots'], what: 'record of roots' } as const;
/** Keys that stay what they were at the first start, whatever is rotated. */
const ROOT_NAMES = ['ids', 'audit'] as const;
type Roots = Pick<Keys, (typeof ROOT_NAMES)[number]>;

/** Which master keys the data has been sealed under. One record for all processes of a deployment. */
interface MasterRecord {
  readonly _id: 'master';
  /** Oldest first; the last one is in use. Ids say nothing about the keys. */
  readonly keys: readonly { readonly id: string; readonly since: Date }[];
  /**
   * What derived ids and the proofs of the audit log are made with. They must outlive every key: repeats would not be
   * recognised, and the log would look forged.
   */
  readonly roots: StoredSeal;
}

/** Keys that agree with the data. */
export interface SettledKeys {
  readonly keys: Keys;
  readonly keyring: Keyring;
  /** MASTER_KEY is one of before the rotation; the process goes on under the one in use. */
  readonly retired: boolean;
}

/** Name of the collection that holds the record. */
export const MASTER_RECORDS = 'deployment_keys';

const recordsOf = (db: Connection) => db.collection<MasterRecord>(MASTER_RECORDS);

/**
 * Looks whether the master key is the one of the data, and puts a new one in its place when the earlier one is known as
 * well. Any number of processes may do so at once: each change names the state that it saw.
 * @throws ConfigError for a key that opens nothing of what is there
 */
export async function settleKeys(db: Connection, keys: Keys, nowMs: number): Promise<SettledKeys> {
  const records = recordsOf(db);
  const others = keys.previous.master;
  const given = masterKeyId(keys.master);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const record = await records.findOne({ _id: 'master' });
    const recorded = (record?.keys ?? []).map(({ id }) => id);
    const verdict = judgeMaster(recorded, given, others.map(masterKeyId));
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
  throw new Error('The record of master keys is changed all the time; start again');
}

/** Id of the key in use, and when each one came into use. */
export async function mastersOf(db: Connection): Promise<MasterRecord['keys']> {
  return (await recordsOf(db).findOne({ _id: 'master' }))?.keys ?? [];
}

/** Drops the record, for who has lost the key: what is sealed stays closed, and any key may be the next one. */
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
    // Another process was first; what it wrote is looked at next.
    if (!isDuplicateKey(error)) throw error;
  }
}

/** The new key and the roots under it in one write, so that no crash comes in between. */
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
  // Only `sealRoots` writes what opens.
  const texts = JSON.parse(keyring.open(ROOTS, roots).toString()) as Record<keyof Roots, string>;
  return { ids: Buffer.from(texts.ids, 'hex'), audit: Buffer.from(texts.audit, 'hex') };
}

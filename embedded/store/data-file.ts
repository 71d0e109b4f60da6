import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from '../../lib/sqlite';
import { DamageError, resultCode, SQLITE, textOf } from './damage';
import { isFull, ROOM_BYTES } from './reserve';

/** The data file in the store's folder; recent changes are in its log. */
export const FILE = 'data.db';
/** Data file of earlier versions. */
const EARLIER_FILE = 'data.mdb';
/** Stored in the file: layout version and application id. */
const FORMAT = 1;
const APPLICATION = 0x45765374;

export const PAGE_BYTES = 4096;
/** Pages in the log before a commit moves them into the file. More makes moves rarer and pages that change often cheaper. */
const CHECKPOINT_PAGES = 4_000;
/** The same where a thread moves them beside the commits: only when it cannot keep up, or fails. */
const LATE_CHECKPOINT_PAGES = 16_000;
/** Size of the log file after a checkpoint. */
const LOG_LIMIT_BYTES = 64 * 1024 * 1024;

const RESTORE = 'Run "npm run doctor", and restore a backup: docs/backup.md';

/** The store in a folder cannot be opened; the message names the path and what to do. */
export class StoreError extends Error {
  /** @param kind `full`: there is no space left, and the same call may succeed when there is */
  constructor(
    readonly kind: 'damaged' | 'full' | 'refused',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'StoreError';
  }
}

export const pragma = (db: DatabaseSync, name: string): number =>
  Object.values(db.prepare(`PRAGMA ${name}`).get() as Record<string, number>)[0] ?? 0;

/** @throws StoreError when the file is another program's or of another format */
export function assertStore(db: DatabaseSync, file: string): void {
  if (pragma(db, 'application_id') !== APPLICATION || pragma(db, 'user_version') !== FORMAT)
    throw new StoreError('refused', `${file} is not a store of this version`);
}

/**
 * Ensures that the folder has a data file; creates one in a new folder. It appears under its name only when complete,
 * so an existing file is never mistaken for a new one.
 * @throws StoreError when data was here and is missing
 */
export function ensureDataFile(dir: string, sync: boolean): string {
  const file = join(dir, FILE);
  const found = statSync(file, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) throw new StoreError('refused', `${file} is not a file`);
  if (found?.size === 0)
    throw new StoreError(
      'damaged',
      `${file} is empty: the data that was in it is lost. ${RESTORE}. To start without it, remove the file`,
    );
  if (found === undefined) {
    if (existsSync(join(dir, EARLIER_FILE)))
      throw new StoreError(
        'refused',
        `${join(dir, EARLIER_FILE)} was written by an earlier version: dump it with that version (npm run store:dump) and load it with this one`,
      );
    const log = `${file}-wal`;
    if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0)
      throw new StoreError('damaged', `${file} is missing, but its log ${log} is there. Put the file back. ${RESTORE}`);
    createDataFile(file, sync);
  }
  return file;
}

function createDataFile(file: string, sync: boolean): void {
  const unfinished = `${file}.new`;
  rmSync(unfinished, { force: true });
  const db = new DatabaseSync(unfinished);
  try {
    // The first two can only be chosen while the file is empty.
    db.exec(`
      PRAGMA page_size = ${PAGE_BYTES};
      PRAGMA auto_vacuum = INCREMENTAL;
      PRAGMA journal_mode = MEMORY;
      PRAGMA synchronous = ${sync ? 'FULL' : 'OFF'};
    `);
    createTables(db);
  } catch (error) {
    db.close();
    rmSync(unfinished, { force: true });
    throw error;
  }
  db.close();
  renameSync(unfinished, file);
  if (sync) flushFolder(dirname(file));
}

/** Flushes a folder's entries to disk. */
function flushFolder(dir: string): void {
  const folder = openSync(dir, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Creates the tables. `c` is the checksum of a row. */
const createTables = (db: DatabaseSync): void =>
  db.exec(`
    BEGIN IMMEDIATE;
    CREATE TABLE meta (k BLOB PRIMARY KEY, v BLOB NOT NULL, c INTEGER) WITHOUT ROWID;
    CREATE TABLE documents (r INTEGER PRIMARY KEY, v BLOB NOT NULL, c INTEGER);
    CREATE TABLE indexes (k BLOB PRIMARY KEY, v BLOB NOT NULL, c INTEGER) WITHOUT ROWID;
    PRAGMA application_id = ${APPLICATION};
    PRAGMA user_version = ${FORMAT};
    COMMIT;
  `);

/** Prepares the writing connection. @throws Error when the file belongs to another program, or is damaged */
export function prepareFile(db: DatabaseSync, file: string, sync: boolean, hasCheckpointThread: boolean): void {
  // Version 0.1.0 filled the file in place; its first start, if killed, left a file without tables.
  const unfilled = pragma(db, 'schema_version') === 0 && pragma(db, 'application_id') === 0;
  if (!unfilled) assertStore(db, file);
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = ${sync ? 'FULL' : 'OFF'};
    PRAGMA wal_autocheckpoint = ${hasCheckpointThread ? LATE_CHECKPOINT_PAGES : CHECKPOINT_PAGES};
    PRAGMA journal_size_limit = ${LOG_LIMIT_BYTES};
  `);
  if (unfilled) createTables(db);
  else addChecksums(db);
}

/** Files of version 0.1.0 have no checksums: those of their rows are NULL until a row is rewritten. */
function addChecksums(db: DatabaseSync): void {
  if (db.prepare(`SELECT 1 FROM pragma_table_info('documents') WHERE name = 'c'`).get() !== undefined) return;
  const add = ['meta', 'documents', 'indexes'].map((table) => `ALTER TABLE ${table} ADD COLUMN c INTEGER;`);
  db.exec(`BEGIN IMMEDIATE; ${add.join(' ')} COMMIT;`);
}

/** An error of opening or closing the file, with its path and what to do. */
export function openingError(error: unknown, file: string): StoreError {
  if (error instanceof StoreError) return error;
  const dir = dirname(file);
  const text = textOf(error);
  const code = resultCode(error);
  if (isFull(error, dir))
    return new StoreError(
      'full',
      `no space left on the disk of ${dir}: free at least ${ROOM_BYTES / 1024 ** 2} MiB there, then start again`,
      { cause: error },
    );
  if (code === SQLITE.corrupt || code === SQLITE.notADatabase || error instanceof DamageError)
    return new StoreError('damaged', `${file} is damaged (${text}). ${RESTORE}`, { cause: error });
  return new StoreError('refused', `${file} cannot be opened: ${text}`, { cause: error });
}

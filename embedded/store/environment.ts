import { existsSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { DocumentTable, KeyTable, Statements } from './tables';

/** Where reads look: the newest commit, or (when `pin` is set) a pinned state. */
export interface Snapshot {
  pin?: Pin;
  /** The pin was given up on the way, so what was read earlier may be of an older state. */
  moved?: boolean;
}

/** A state that stays readable, whatever is written meanwhile. */
export interface Pin {
  readonly connection: Connection;
  /** The number of commits before this state. */
  readonly commits: number;
  users: number;
}

/** Everything that is kept. */
export interface Tables {
  /** Catalogue records, counters, ids. */
  readonly meta: KeyTable;
  readonly documents: DocumentTable;
  /** index id (4 bytes) + encoded fields, then for a unique index -> record id, else + record id -> nothing */
  readonly indexes: KeyTable;
}

/** The file in the store's folder that everything is in, but for what its log has. */
export const FILE = 'data.db';
/** What earlier versions kept their data in. */
const EARLIER_FILE = 'data.mdb';
/** Written into the file: the layout of the tables, and whose file it is. */
const FORMAT = 1;
const APPLICATION = 0x45765374;

const PAGE_BYTES = 4096;
/** Most bytes of pages that the connection which writes keeps in memory; the system's cache holds the rest of the file. */
const CACHE_BYTES = 24 * 1024 * 1024;
const PIN_CACHE_BYTES = 2 * 1024 * 1024;
/** Pages in the log before a commit moves them into the file. More makes moves rarer and pages that change often cheaper. */
const CHECKPOINT_PAGES = 4_000;
/** What is left of the log file after it was moved. */
const LOG_LIMIT_BYTES = 64 * 1024 * 1024;

const IDLE_CONNECTIONS = 4;
/** Beyond so many states at once a read goes on over the newest one instead. */
const MOST_PINS = 32;

/**
 * One SQLite file with three tables and its write-ahead log.
 *
 * E1  A transaction that returned is on disk: with `synchronous=FULL` the log is synced before COMMIT returns.
 * E2  There is one writer and it is synchronous, so reads between two `write` calls see exactly the last commit. They
 *     share one read transaction, which spares the locks of one per statement.
 */
export class Environment {
  private readonly file: string;
  private readonly main: Connection;
  private readonly idle: Connection[] = [];
  private readonly pins = new Set<Pin>();
  private newest: Pin | undefined;
  private commits = 0;
  private state: 'resting' | 'reading' | 'writing' = 'resting';

  private constructor(
    private readonly dir: string,
    sync: boolean,
  ) {
    this.file = join(dir, FILE);
    if (!existsSync(this.file) && existsSync(join(dir, EARLIER_FILE)))
      throw new Error(
        `${join(dir, EARLIER_FILE)} was written by an earlier version: dump it with that version (npm run store:dump) and load it with this one`,
      );
    this.main = new Connection(this.file, CACHE_BYTES);
    prepareFile(this.main.db, sync);
  }

  /** Opens or creates the files in `dir`. Without `sync` commits survive the death of the process, not of the machine. */
  static open(dir: string, sync: boolean): Environment {
    return new Environment(dir, sync);
  }

  get meta(): KeyTable {
    return this.at().meta;
  }

  get documents(): DocumentTable {
    return this.at().documents;
  }

  get indexes(): KeyTable {
    return this.at().indexes;
  }

  /** The tables as a read sees them. */
  at(snapshot: Snapshot = {}): Tables {
    if (snapshot.pin !== undefined) return snapshot.pin.connection;
    if (this.state === 'resting') {
      this.main.begin();
      this.state = 'reading';
    }
    return this.main;
  }

  /** Runs `action` in one transaction and makes it durable; what it throws undoes everything. */
  write(action: () => void): void {
    this.rest();
    this.main.beginWriting();
    this.state = 'writing';
    try {
      action();
      this.main.commit();
      this.commits++;
    } catch (error) {
      this.main.rollback();
      throw error;
    } finally {
      this.state = 'resting';
    }
  }

  /** Keeps the present state readable until `unpin`; undefined when too many are kept already. */
  pin(): Pin | undefined {
    if (this.newest?.commits === this.commits) {
      this.newest.users++;
      return this.newest;
    }
    if (this.pins.size >= MOST_PINS) return undefined;
    const connection = this.idle.pop() ?? new Connection(this.file, PIN_CACHE_BYTES);
    connection.begin();
    this.newest = { connection, commits: this.commits, users: 1 };
    this.pins.add(this.newest);
    return this.newest;
  }

  unpin(pin: Pin): void {
    if (--pin.users > 0) return;
    this.pins.delete(pin);
    if (this.newest === pin) this.newest = undefined;
    pin.connection.commit();
    if (this.idle.length < IDLE_CONNECTIONS) this.idle.push(pin.connection);
    else pin.connection.close();
  }

  /** Bytes of the data file in use, and of the file. */
  sizes(): { file: number; used: number } {
    const { pages, free } = this.pages();
    return { file: pages * PAGE_BYTES, used: (pages - free) * PAGE_BYTES };
  }

  /** Bytes of the log, which cannot be emptied while an old state is pinned. */
  logBytes(): number {
    return statSync(`${this.file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Bytes that the disk has left for us. */
  freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.dir);
    return bavail * bsize;
  }

  /** Pages of the file, and how many of them hold nothing. */
  pages(): { pages: number; free: number } {
    const { db } = this.main;
    return { pages: pragma(db, 'page_count'), free: pragma(db, 'freelist_count') };
  }

  /** Inside `write`: gives at most so many empty pages at the end of the file back to the system. */
  giveBack(pages: number): void {
    this.main.db.exec(`PRAGMA incremental_vacuum(${pages})`);
  }

  close(): void {
    this.rest();
    for (const { connection } of this.pins) connection.close();
    for (const connection of this.idle) connection.close();
    // SQLite would do this at the last close, but a statement that is not collected yet keeps the connection half open.
    this.main.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.main.close();
  }

  private rest(): void {
    if (this.state === 'reading') this.main.commit();
    this.state = 'resting';
  }
}

/** One connection to the file: its page cache, statements and transaction. */
class Connection implements Tables {
  readonly db: DatabaseSyncInstance;
  readonly meta: KeyTable;
  readonly documents: DocumentTable;
  readonly indexes: KeyTable;
  private readonly statements: Statements;

  constructor(file: string, cacheBytes: number) {
    this.db = new DatabaseSync(file);
    this.db.exec(`PRAGMA cache_size = -${cacheBytes / 1024}; PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON`);
    this.statements = new Statements(this.db);
    this.meta = new KeyTable(this.statements, 'meta');
    this.documents = new DocumentTable(this.statements);
    this.indexes = new KeyTable(this.statements, 'indexes');
  }

  /** Begins to read. SQLite takes the state at the first read, not at BEGIN. */
  begin(): void {
    this.statements.one('BEGIN').run();
    this.statements.one('SELECT 1 FROM meta LIMIT 1').get();
  }

  beginWriting(): void {
    this.statements.one('BEGIN IMMEDIATE').run();
  }

  commit(): void {
    this.statements.one('COMMIT').run();
  }

  rollback(): void {
    // A full disk or a failed write makes SQLite roll back by itself.
    if (this.db.isTransaction) this.statements.one('ROLLBACK').run();
  }

  close(): void {
    this.db.close();
  }
}

const pragma = (db: DatabaseSyncInstance, name: string): number =>
  Object.values(db.prepare(`PRAGMA ${name}`).get() as Record<string, number>)[0] ?? 0;

/** @throws Error when the file is another program's or of another format */
export function assertStore(db: DatabaseSyncInstance): void {
  if (pragma(db, 'application_id') !== APPLICATION || pragma(db, 'user_version') !== FORMAT)
    throw new Error(`${FILE} is not a store of this version`);
}

/** @throws Error when the file is another program's or of another format */
function prepareFile(db: DatabaseSyncInstance, sync: boolean): void {
  // A first start that was killed may have left a file with nothing but the mark of its journal.
  const fresh = pragma(db, 'schema_version') === 0 && pragma(db, 'application_id') === 0;
  // These two can only be chosen while the file is empty; what is left of such a start has them already.
  if (fresh) db.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA auto_vacuum = INCREMENTAL`);
  else assertStore(db);
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = ${sync ? 'FULL' : 'OFF'};
    PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
    PRAGMA journal_size_limit = ${LOG_LIMIT_BYTES};
  `);
  if (fresh)
    db.exec(`
      BEGIN IMMEDIATE;
      CREATE TABLE meta (k BLOB PRIMARY KEY, v BLOB NOT NULL) WITHOUT ROWID;
      CREATE TABLE documents (r INTEGER PRIMARY KEY, v BLOB NOT NULL);
      CREATE TABLE indexes (k BLOB PRIMARY KEY, v BLOB NOT NULL) WITHOUT ROWID;
      PRAGMA application_id = ${APPLICATION};
      PRAGMA user_version = ${FORMAT};
      COMMIT;
    `);
}

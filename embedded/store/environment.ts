import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '../../lib/sqlite';
import { ensureDataFile, FILE, openingError, PAGE_BYTES, pragma, prepareFile, StoreError } from './data-file';
import { Reserve } from './reserve';
import { DocumentTable, KeyTable, Statements } from './tables';

/** What reads see: the latest commit, or a pinned state. */
export interface Snapshot {
  pin?: Pin;
  /** The pin was given up meanwhile, so earlier reads may be of an older state. */
  moved?: boolean;
}

/** A state that stays readable during writes. */
interface Pin {
  readonly connection: Connection;
  /** Number of commits before this state. */
  readonly commits: number;
  users: number;
}

/** The tables. */
export interface Tables {
  /** Catalogue records, counters, ids. */
  readonly meta: KeyTable;
  readonly documents: DocumentTable;
  /** index id (4 bytes) + encoded fields, then for a unique index -> record id, else + record id -> nothing */
  readonly indexes: KeyTable;
}

/** Called after each commit with the number of rows that have been changed since the file was opened. */
type OnCommit = (changedRows: number) => void;

/** Page cache of the writing connection, in bytes; the system's cache holds the rest of the file. */
const CACHE_BYTES = 8 * 1024 * 1024;
const PIN_CACHE_BYTES = 2 * 1024 * 1024;
const IDLE_CONNECTIONS = 4;
/** Maximum pinned states; above it, a read continues on the latest one. */
const MAX_PINS = 32;

/**
 * One SQLite file with three tables and its write-ahead log.
 *
 * E1 A transaction that returned is on disk: with `synchronous=FULL` the log is synced before COMMIT returns.
 * E2 There is one synchronous writer, so reads between two `write` calls see exactly the last commit. They share one
 *   read transaction, which saves locking per statement.
 * E3 Changes of another process are never overwritten: a write that detects them fails, and so do all later ones.
 */
export class Environment {
  readonly file: string;
  readonly reserve: Reserve;
  private readonly main: Connection;
  private readonly idle: Connection[] = [];
  private readonly pins = new Set<Pin>();
  private newest: Pin | undefined;
  private commits = 0;
  private readonly version: number;
  private state: 'resting' | 'reading' | 'writing' = 'resting';

  private constructor(
    readonly dir: string,
    sync: boolean,
    reserveBytes: number,
    private readonly onCommit: OnCommit | undefined,
  ) {
    this.reserve = new Reserve(dir, reserveBytes);
    this.file = ensureDataFile(dir, sync);
    this.main = new Connection(this.file, CACHE_BYTES);
    try {
      prepareFile(this.main.db, this.file, sync, onCommit !== undefined);
      this.main.begin();
      this.version = this.main.version();
      this.main.end();
    } catch (error) {
      this.main.close();
      throw error;
    }
  }

  /**
   * Opens or creates the files in `dir`. Without `sync` commits survive the process, not the machine. On a full disk
   * the reserve is released first. With `onCommit`, its receiver has the log moved into the file.
   * @throws StoreError naming the path and what to do
   */
  static open(dir: string, sync: boolean, reserveBytes = 0, onCommit?: OnCommit): Environment {
    const open = (): Environment => new Environment(dir, sync, reserveBytes, onCommit);
    try {
      return open();
    } catch (error) {
      const fault = openingError(error, join(dir, FILE));
      if (fault.kind !== 'full' || !new Reserve(dir, reserveBytes).release()) throw fault;
    }
    try {
      const env = open();
      env.reserve.released = true;
      return env;
    } catch (error) {
      throw openingError(error, join(dir, FILE));
    }
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

  /** The tables for a read. */
  at(snapshot: Snapshot = {}): Tables {
    if (snapshot.pin !== undefined) return snapshot.pin.connection;
    if (this.state === 'resting') {
      this.main.begin();
      this.state = 'reading';
    }
    return this.main;
  }

  /**
   * Runs `action` in one durable transaction; an error rolls it back.
   * @throws StoreError when another process has written to the file: the state in memory is invalid then (E3)
   */
  write(action: () => void): void {
    this.rest();
    this.main.beginWriting();
    this.state = 'writing';
    try {
      if (this.main.version() !== this.version)
        throw new StoreError(
          'refused',
          `another process has written to ${this.file}; stop it, then start this one again`,
        );
      action();
      this.main.commit();
      this.commits++;
    } catch (error) {
      this.main.end();
      throw error;
    } finally {
      this.state = 'resting';
    }
    this.onCommit?.(this.main.changedRows());
  }

  /** Keeps the current state readable until `unpin`; undefined when too many are pinned. */
  pin(): Pin | undefined {
    if (this.newest?.commits === this.commits) {
      this.newest.users++;
      return this.newest;
    }
    if (this.pins.size >= MAX_PINS) return undefined;
    const connection = this.idle.pop() ?? new Connection(this.file, PIN_CACHE_BYTES);
    try {
      connection.begin();
    } catch (error) {
      connection.close();
      throw error;
    }
    this.newest = { connection, commits: this.commits, users: 1 };
    this.pins.add(this.newest);
    return this.newest;
  }

  unpin(pin: Pin): void {
    if (--pin.users > 0) return;
    this.pins.delete(pin);
    if (this.newest === pin) this.newest = undefined;
    pin.connection.end();
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

  /** Whether a store that was full can accept all writes again. */
  hasRoom(): boolean {
    return this.reserve.hasRoom(this.pages().free * PAGE_BYTES);
  }

  /** Number of pages, and how many are empty. */
  pages(): { pages: number; free: number } {
    const { db } = this.main;
    return { pages: pragma(db, 'page_count'), free: pragma(db, 'freelist_count') };
  }

  /** Inside `write`: returns up to this many empty pages at the file's end to the system. */
  giveBack(pages: number): void {
    this.main.db.exec(`PRAGMA incremental_vacuum(${pages})`);
  }

  /** Checkpoints the log, as far as pinned states allow it. */
  checkpoint(): void {
    this.rest();
    this.main.db.exec('PRAGMA wal_checkpoint(PASSIVE)');
  }

  /** @throws StoreError when the checkpoint failed; nothing is lost, and everything is closed */
  close(): void {
    this.rest();
    for (const { connection } of this.pins) connection.close();
    for (const connection of this.idle) connection.close();
    try {
      // SQLite would checkpoint at the last close, but an uncollected statement keeps the connection half open.
      this.main.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch (error) {
      throw openingError(error, this.file);
    } finally {
      this.main.close();
    }
  }

  /** Closes the files of a store that could not be opened. */
  abandon(): void {
    this.rest();
    this.main.close();
  }

  private rest(): void {
    if (this.state === 'reading') this.main.end();
    this.state = 'resting';
  }
}

/** One connection to the file: its page cache, statements and transaction. */
class Connection implements Tables {
  readonly db: DatabaseSync;
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

  /** Begins a read. SQLite fixes the state at the first read, not at BEGIN. */
  begin(): void {
    this.statements.one('BEGIN').run();
    try {
      this.statements.one('SELECT 1 FROM meta LIMIT 1').get();
    } catch (error) {
      this.end();
      throw error;
    }
  }

  beginWriting(): void {
    this.statements.one('BEGIN IMMEDIATE').run();
  }

  commit(): void {
    this.statements.one('COMMIT').run();
  }

  /** Ends a transaction without a commit, after reads or a failure. A failed write may have ended it already. */
  end(): void {
    if (this.db.isTransaction) this.statements.one('ROLLBACK').run();
  }

  /** A number that changes when another connection, of any process, writes to the file. */
  version(): number {
    return (this.statements.one('PRAGMA data_version').get() as unknown as [number])[0];
  }

  changedRows(): number {
    return (this.statements.one('SELECT total_changes()').get() as unknown as [number])[0];
  }

  close(): void {
    this.db.close();
  }
}

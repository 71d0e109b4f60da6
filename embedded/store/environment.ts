import { statfsSync } from 'node:fs';
import { type Database, open, type RootDatabase, type Transaction } from 'lmdb';
import { residentFileBytes } from './resident';

/** A table of byte keys and byte values. */
export type Table = Database<Buffer, Buffer>;

/** Where reads look: the newest commit, or (when `transaction` is set) a pinned snapshot. */
export interface Snapshot {
  transaction?: Transaction;
  /** The pin was given up on the way, so what was read earlier may be of an older state. */
  moved?: boolean;
}

/**
 * The LMDB environment: one file, three tables.
 *
 * E1  A transaction that returned is on disk: `overlappingSync` is off, so LMDB writes the data, calls fdatasync, and
 *     then writes its meta page through a descriptor opened with O_DSYNC, all before `write` returns.
 * E2  There is one writer and it is synchronous, so reads between two `write` calls see exactly the last commit.
 */
export class Environment {
  private root: RootDatabase<Buffer, Buffer>;
  private tables: Tables;
  /** Resident bytes of mapped files just after the file was mapped. */
  private residentAtOpen: number;

  private constructor(
    private readonly dir: string,
    private readonly sync: boolean,
  ) {
    this.root = openRoot(dir, sync);
    this.tables = openTables(this.root);
    this.residentAtOpen = this.resident();
  }

  /** Opens or creates the files in `dir`. Without `sync` commits survive the death of the process, not of the machine. */
  static open(dir: string, sync: boolean): Environment {
    return new Environment(dir, sync);
  }

  /** Catalogue records, counters, ids. */
  get meta(): Table {
    return this.tables.meta;
  }

  /** collection id (4 bytes) + record id (6) -> BSON */
  get documents(): Table {
    return this.tables.documents;
  }

  /** index id (4 bytes) + encoded fields, then for a unique index -> record id, else + record id -> nothing */
  get indexes(): Table {
    return this.tables.indexes;
  }

  /** Runs `action` in one transaction and makes it durable; what it throws undoes everything. */
  write(action: () => void): void {
    // Answering nothing matters: LMDB would keep the transaction open for as long as an answered promise is pending.
    this.root.transactionSync(() => {
      action();
    });
  }

  /** Bytes by which the mapped pages in memory have grown since the file was mapped. */
  residentGrowth(): number {
    return this.resident() - this.residentAtOpen;
  }

  /**
   * Maps the file anew, which gives the pages that reads have touched back to the system: they count as this process's
   * memory until then, though they are cache. Takes a few milliseconds; nothing may be pinned. What is committed is on
   * disk and nothing else is held, so a crash in between loses nothing.
   */
  remap(): void {
    // No asynchronous write is ever queued, so the close has nothing to wait for and is done when it returns.
    void this.root.close();
    this.root = openRoot(this.dir, this.sync);
    this.tables = openTables(this.root);
    this.residentAtOpen = this.resident();
  }

  /** Keeps the present state readable until `unpin`, whatever is written meanwhile. */
  pin(): Transaction {
    return this.root.useReadTransaction();
  }

  unpin(transaction: Transaction): void {
    transaction.done();
  }

  /** Bytes of the data file in use, and of the file. */
  sizes(): { file: number; used: number } {
    const { mapSize, lastPageNumber, root } = this.root.getStats() as {
      mapSize: number;
      lastPageNumber: number;
      root: { pageSize: number };
    };
    return { file: mapSize, used: (lastPageNumber + 1) * root.pageSize };
  }

  /** Bytes that the disk has left for us. */
  freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.dir);
    return bavail * bsize;
  }

  async close(): Promise<void> {
    await this.root.close();
  }

  private resident(): number {
    return residentFileBytes() ?? this.sizes().used;
  }
}

interface Tables {
  readonly meta: Table;
  readonly documents: Table;
  readonly indexes: Table;
}

const openRoot = (dir: string, sync: boolean): RootDatabase<Buffer, Buffer> =>
  open<Buffer, Buffer>({
    path: dir,
    // A dot in the folder's name would otherwise make LMDB take it for a file.
    noSubdir: false,
    maxDbs: 8,
    encoding: 'binary',
    keyEncoding: 'binary',
    overlappingSync: false,
    noSync: !sync,
  });

function openTables(root: RootDatabase<Buffer, Buffer>): Tables {
  const table = (name: string): Table => root.openDB({ name, encoding: 'binary', keyEncoding: 'binary' });
  return { meta: table('meta'), documents: table('documents'), indexes: table('indexes') };
}

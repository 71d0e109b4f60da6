import { statfsSync } from 'node:fs';
import { type Database, open, type RootDatabase, type Transaction } from 'lmdb';

/** A table of byte keys and byte values. */
export type Table = Database<Buffer, Buffer>;

/** Where reads look: the newest commit, or (when `transaction` is set) a pinned snapshot. */
export interface Snapshot {
  transaction?: Transaction;
}

/**
 * The LMDB environment: one file, three tables.
 *
 * E1  A transaction that returned is on disk: `overlappingSync` is off, so LMDB writes the data, calls fdatasync, and
 *     then writes its meta page through a descriptor opened with O_DSYNC, all before `write` returns.
 * E2  There is one writer and it is synchronous, so reads between two `write` calls see exactly the last commit.
 */
export class Environment {
  /** Catalogue records, counters, ids. */
  readonly meta: Table;
  /** collection id (4 bytes) + record id (6) -> BSON */
  readonly documents: Table;
  /** index id (4 bytes) + encoded fields, then for a unique index -> record id, else + record id -> nothing */
  readonly indexes: Table;

  private constructor(
    private readonly root: RootDatabase<Buffer, Buffer>,
    private readonly dir: string,
  ) {
    const table = (name: string): Table => root.openDB({ name, encoding: 'binary', keyEncoding: 'binary' });
    this.meta = table('meta');
    this.documents = table('documents');
    this.indexes = table('indexes');
  }

  /** Opens or creates the files in `dir`. Without `sync` commits survive the death of the process, not of the machine. */
  static open(dir: string, sync: boolean): Environment {
    return new Environment(
      open<Buffer, Buffer>({
        path: dir,
        // A dot in the folder's name would otherwise make LMDB take it for a file.
        noSubdir: false,
        maxDbs: 8,
        encoding: 'binary',
        keyEncoding: 'binary',
        overlappingSync: false,
        noSync: !sync,
      }),
      dir,
    );
  }

  /** Runs `action` in one transaction and makes it durable; what it throws undoes everything. */
  write<T>(action: () => T): T {
    return this.root.transactionSync(action);
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
}

import type {
  DatabaseSyncInstance as DatabaseSync,
  StatementSyncInstance as StatementSync,
} from '@photostructure/sqlite';

/** Keys from `start` up to but without `end`, by bytes. */
export interface KeyRange {
  readonly start: Buffer;
  readonly end: Buffer;
}

/** A row of a table of byte keys. */
export interface Row {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** How to walk a range: `last` is the key that was seen last, which the walk goes on behind. */
export interface Walk<K> {
  readonly reverse?: boolean;
  readonly last?: K | undefined;
}

/** What SQLite gives for a blob, as a Buffer over the same bytes. */
const buffer = (blob: unknown): Buffer => {
  const { buffer: bytes, byteOffset, byteLength } = blob as Uint8Array<ArrayBuffer>;
  return Buffer.from(bytes, byteOffset, byteLength);
};

/**
 * Prepared statements of one connection. A statement is one cursor, and a join walks a table while an outer walk of the
 * same statement is open: such a second use gets a statement of its own.
 */
export class Statements {
  private readonly single = new Map<string, StatementSync>();
  private readonly idle = new Map<string, StatementSync[]>();

  constructor(private readonly db: DatabaseSync) {}

  /** A statement that is done when the call on it returns. */
  one(sql: string): StatementSync {
    let statement = this.single.get(sql);
    if (statement === undefined) this.single.set(sql, (statement = this.prepare(sql)));
    return statement;
  }

  /** Rows one at a time; the cursor is closed when the consumer leaves. */
  *rows(sql: string, ...parameters: (Buffer | number)[]): Generator<unknown[], void, undefined> {
    let idle = this.idle.get(sql);
    if (idle === undefined) this.idle.set(sql, (idle = []));
    const statement = idle.pop() ?? this.prepare(sql);
    try {
      yield* statement.iterate(...parameters) as Iterable<unknown[]>;
    } finally {
      idle.push(statement);
    }
  }

  private prepare(sql: string): StatementSync {
    const statement = this.db.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  }
}

/** A table of byte keys and byte values in the order of the keys' bytes. */
export class KeyTable {
  constructor(
    private readonly statements: Statements,
    private readonly name: 'meta' | 'indexes',
  ) {}

  get(key: Buffer): Buffer | undefined {
    const row = this.statements.one(`SELECT v FROM ${this.name} WHERE k = ?`).get(key) as unknown[] | undefined;
    return row === undefined ? undefined : buffer(row[0]);
  }

  put(key: Buffer, value: Buffer): void {
    this.statements.one(`INSERT OR REPLACE INTO ${this.name} (k, v) VALUES (?, ?)`).run(key, value);
  }

  remove(key: Buffer): void {
    this.statements.one(`DELETE FROM ${this.name} WHERE k = ?`).run(key);
  }

  *rows({ start, end }: KeyRange, { reverse = false, last }: Walk<Buffer> = {}): Generator<Row, void, undefined> {
    const select = `SELECT k, v FROM ${this.name} WHERE`;
    const rows = reverse
      ? this.statements.rows(`${select} k < ? AND k >= ? ORDER BY k DESC`, last ?? end, start)
      : last === undefined
        ? this.statements.rows(`${select} k >= ? AND k < ? ORDER BY k`, start, end)
        : this.statements.rows(`${select} k > ? AND k < ? ORDER BY k`, last, end);
    for (const [key, value] of rows) yield { key: buffer(key), value: buffer(value) };
  }

  count({ start, end }: KeyRange): number {
    const count = this.statements.one(`SELECT count(*) FROM ${this.name} WHERE k >= ? AND k < ?`);
    return (count.get(start, end) as unknown as [number])[0];
  }

  /** Removes the first rows of a range, at most `limit`; answers how many. */
  removeSome({ start, end }: KeyRange, limit: number): number {
    const some = `SELECT k FROM ${this.name} WHERE k >= ? AND k < ? ORDER BY k LIMIT ?`;
    const remove = this.statements.one(`DELETE FROM ${this.name} WHERE k IN (${some})`);
    return Number(remove.run(start, end, limit).changes);
  }
}

/** Bits of a row's number that are the record's; the collection's id is above them. */
const RECORD_BITS = 40;
/** Numbers arrive in SQLite as doubles, in which a whole row number would not be exact: it is put together there. */
const rowNumber = (collection: string, record: string): string =>
  `(CAST(${collection} AS INTEGER) << ${RECORD_BITS} | CAST(${record} AS INTEGER))`;
const RECORD = `r & ${2 ** RECORD_BITS - 1}`;

/** A stored document and its number within the collection. */
export interface StoredDocument {
  readonly recordId: number;
  readonly bytes: Buffer;
}

/** The documents of all collections, in the order in which they were stored. Record ids are from 1 to 2^40 - 1. */
export class DocumentTable {
  constructor(private readonly statements: Statements) {}

  get(collection: number, record: number): Buffer | undefined {
    const select = this.statements.one(`SELECT v FROM documents WHERE r = ${rowNumber('?', '?')}`);
    const row = select.get(collection, record) as unknown[] | undefined;
    return row === undefined ? undefined : buffer(row[0]);
  }

  put(collection: number, record: number, bytes: Buffer): void {
    this.statements
      .one(`INSERT OR REPLACE INTO documents (r, v) VALUES (${rowNumber('?', '?')}, ?)`)
      .run(collection, record, bytes);
  }

  remove(collection: number, record: number): void {
    this.statements.one(`DELETE FROM documents WHERE r = ${rowNumber('?', '?')}`).run(collection, record);
  }

  *rows(collection: number, { reverse = false, last }: Walk<number> = {}): Generator<StoredDocument, void, undefined> {
    const select = `SELECT ${RECORD}, v FROM documents WHERE r > ${rowNumber('?', '?')} AND r < ${rowNumber('?', '?')}`;
    const rows = reverse
      ? this.statements.rows(
          `${select} ORDER BY r DESC`,
          collection,
          0,
          last === undefined ? collection + 1 : collection,
          last ?? 0,
        )
      : this.statements.rows(`${select} ORDER BY r`, collection, last ?? 0, collection + 1, 0);
    for (const [recordId, bytes] of rows) yield { recordId: recordId as number, bytes: buffer(bytes) };
  }

  /** Removes the first documents of a collection, at most `limit`; answers how many. */
  removeSome(collection: number, limit: number): number {
    const [from, to] = [rowNumber('?', '0'), rowNumber('?', '0')];
    const some = `SELECT r FROM documents WHERE r >= ${from} AND r < ${to} ORDER BY r LIMIT ?`;
    const remove = this.statements.one(`DELETE FROM documents WHERE r IN (${some})`);
    return Number(remove.run(collection, collection + 1, limit).changes);
  }
}

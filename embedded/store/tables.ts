import { crc32 } from 'node:zlib';
import type { DatabaseSync, StatementSync } from '../../lib/sqlite';
import { asDamage, DamageError, MALFORMED } from './damage';

/** Keys from `start` up to, but not including, `end`. */
interface KeyRange {
  readonly start: Buffer;
  readonly end: Buffer;
}

/** A row of a table of byte keys. */
export interface Row {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** Direction of a walk: `last` is the last seen key, after which it continues. */
interface Walk<K> {
  readonly reverse?: boolean;
  readonly last?: K | undefined;
}

/** An SQLite blob as a Buffer over the same bytes; a damaged row may have another type. */
const buffer = (blob: unknown): Buffer => {
  if (!ArrayBuffer.isView(blob)) throw new Error(MALFORMED);
  const { buffer: bytes, byteOffset, byteLength } = blob as Uint8Array<ArrayBuffer>;
  return Buffer.from(bytes, byteOffset, byteLength);
};

/**
 * Prepared statements of one connection. A statement has one cursor, and a join may walk a table inside an outer walk
 * of the same statement: nested uses get their own statement.
 */
export class Statements {
  private readonly single = new Map<string, StatementSync>();
  private readonly idle = new Map<string, StatementSync[]>();

  constructor(private readonly db: DatabaseSync) {}

  /** A statement that is finished when its call returns. */
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
    const cursor = statement.iterate(...parameters) as IterableIterator<unknown[]>;
    try {
      yield* cursor;
    } catch (error) {
      // After a failed step the statement stays open and would fail the COMMIT.
      cursor.return?.();
      throw error;
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

/** A stored checksum: a signed 32-bit integer, which SQLite stores in four bytes. */
const signed = (checksum: number): number => checksum | 0;

/** True when the checksum does not match. Rows of version 0.1.0 have none until they are rewritten. */
const differs = (stored: unknown, computed: number): boolean => stored !== null && stored !== computed;

/** A table of byte keys and byte values in the order of the keys' bytes. */
export class KeyTable {
  constructor(
    private readonly statements: Statements,
    private readonly name: 'meta' | 'indexes',
  ) {}

  get(key: Buffer): Buffer | undefined {
    return this.asDamageOf(key, () => {
      const row = this.statements.one(`SELECT v, c FROM ${this.name} WHERE k = ?`).get(key) as unknown[] | undefined;
      return row === undefined ? undefined : this.checked(key, buffer(row[0]), row[1]);
    });
  }

  put(key: Buffer, value: Buffer): void {
    this.asDamageOf(key, () => {
      const put = this.statements.one(`INSERT OR REPLACE INTO ${this.name} (k, v, c) VALUES (?, ?, ?)`);
      put.run(key, value, checksumOf(key, value));
    });
  }

  remove(key: Buffer): void {
    this.asDamageOf(key, () => this.statements.one(`DELETE FROM ${this.name} WHERE k = ?`).run(key));
  }

  *rows({ start, end }: KeyRange, { reverse = false, last }: Walk<Buffer> = {}): Generator<Row, void, undefined> {
    const select = `SELECT k, v, c FROM ${this.name} WHERE`;
    const rows = reverse
      ? this.statements.rows(`${select} k < ? AND k >= ? ORDER BY k DESC`, last ?? end, start)
      : last === undefined
        ? this.statements.rows(`${select} k >= ? AND k < ? ORDER BY k`, start, end)
        : this.statements.rows(`${select} k > ? AND k < ? ORDER BY k`, last, end);
    try {
      for (const [k, value, checksum] of rows) {
        const key = buffer(k);
        yield { key, value: this.checked(key, buffer(value), checksum) };
      }
    } catch (error) {
      throw this.damage(error, start);
    }
  }

  count({ start, end }: KeyRange): number {
    return this.asDamageOf(start, () => {
      const count = this.statements.one(`SELECT count(*) FROM ${this.name} WHERE k >= ? AND k < ?`);
      return (count.get(start, end) as unknown as [number])[0];
    });
  }

  /** Deletes the first rows of a range, up to `limit`; returns their number. */
  removeSome({ start, end }: KeyRange, limit: number): number {
    return this.asDamageOf(start, () => {
      const some = `SELECT k FROM ${this.name} WHERE k >= ? AND k < ? ORDER BY k LIMIT ?`;
      const remove = this.statements.one(`DELETE FROM ${this.name} WHERE k IN (${some})`);
      return Number(remove.run(start, end, limit).changes);
    });
  }

  private checked(key: Buffer, value: Buffer, stored: unknown): Buffer {
    if (differs(stored, checksumOf(key, value)))
      throw new DamageError(this.name, this.idOf(key), 'the checksum of an entry does not match');
    return value;
  }

  private asDamageOf<T>(key: Buffer, action: () => T): T {
    try {
      return action();
    } catch (error) {
      throw this.damage(error, key);
    }
  }

  private damage(error: unknown, key: Buffer): unknown {
    return asDamage(error, this.name, this.idOf(key));
  }

  /** Keys of index entries begin with the index's id. */
  private idOf(key: Buffer): number | undefined {
    return this.name === 'indexes' && key.length >= 4 ? key.readUInt32BE(0) : undefined;
  }
}

const checksumOf = (key: Buffer, value: Buffer): number =>
  signed(value.length === 0 ? crc32(key) : crc32(value, crc32(key)));

/** Bits of a row number that hold the record id; the collection id is above them. */
const RECORD_BITS = 40;
/** Numbers are passed to SQLite as doubles, which cannot hold a row number exactly: it is computed there. */
const rowNumber = (collection: string, record: string): string =>
  `(CAST(${collection} AS INTEGER) << ${RECORD_BITS} | CAST(${record} AS INTEGER))`;
const RECORD = `r & ${2 ** RECORD_BITS - 1}`;

/** A stored document and its number within the collection. */
export interface StoredDocument {
  readonly recordId: number;
  readonly bytes: Buffer;
}

/** The row number is part of the checksum: a document under another row's number is damage, too. */
function documentChecksum(collection: number, record: number, bytes: Buffer): number {
  const row = (Math.imul(collection, 0x9e3779b1) ^ record) >>> 0;
  return signed(bytes.length === 0 ? row : crc32(bytes, row));
}

/** The documents of all collections, in the order in which they were stored. Record ids are from 1 to 2^40 - 1. */
export class DocumentTable {
  constructor(private readonly statements: Statements) {}

  get(collection: number, record: number): Buffer | undefined {
    return asDamageOf(collection, () => {
      const select = this.statements.one(`SELECT v, c FROM documents WHERE r = ${rowNumber('?', '?')}`);
      const row = select.get(collection, record) as unknown[] | undefined;
      return row === undefined ? undefined : checked(collection, record, buffer(row[0]), row[1]);
    });
  }

  put(collection: number, record: number, bytes: Buffer): void {
    asDamageOf(collection, () =>
      this.statements
        .one(`INSERT OR REPLACE INTO documents (r, v, c) VALUES (${rowNumber('?', '?')}, ?, ?)`)
        .run(collection, record, bytes, documentChecksum(collection, record, bytes)),
    );
  }

  remove(collection: number, record: number): void {
    asDamageOf(collection, () =>
      this.statements.one(`DELETE FROM documents WHERE r = ${rowNumber('?', '?')}`).run(collection, record),
    );
  }

  *rows(collection: number, { reverse = false, last }: Walk<number> = {}): Generator<StoredDocument, void, undefined> {
    const select = `SELECT ${RECORD}, v, c FROM documents WHERE r > ${rowNumber('?', '?')} AND r < ${rowNumber('?', '?')}`;
    const rows = reverse
      ? this.statements.rows(
          `${select} ORDER BY r DESC`,
          collection,
          0,
          last === undefined ? collection + 1 : collection,
          last ?? 0,
        )
      : this.statements.rows(`${select} ORDER BY r`, collection, last ?? 0, collection + 1, 0);
    try {
      for (const [recordId, bytes, checksum] of rows as Iterable<[number, unknown, unknown]>)
        yield { recordId, bytes: checked(collection, recordId, buffer(bytes), checksum) };
    } catch (error) {
      throw asDamage(error, 'documents', collection);
    }
  }

  /** Deletes the first documents of a collection, up to `limit`; returns their number. */
  removeSome(collection: number, limit: number): number {
    return asDamageOf(collection, () => {
      const [from, to] = [rowNumber('?', '0'), rowNumber('?', '0')];
      const some = `SELECT r FROM documents WHERE r >= ${from} AND r < ${to} ORDER BY r LIMIT ?`;
      const remove = this.statements.one(`DELETE FROM documents WHERE r IN (${some})`);
      return Number(remove.run(collection, collection + 1, limit).changes);
    });
  }
}

function asDamageOf<T>(collection: number, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw asDamage(error, 'documents', collection);
  }
}

function checked(collection: number, record: number, bytes: Buffer, stored: unknown): Buffer {
  if (differs(stored, documentChecksum(collection, record, bytes)))
    throw new DamageError('documents', collection, `the checksum of record ${record} does not match`, record);
  return bytes;
}

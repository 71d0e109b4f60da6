import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from '../sqlite';
import type { IndexedDocument, Position, Rows } from './contract';

/** Files of another format are rebuilt. Changes with the tables below and with the result of `termsOf`. */
const FORMAT = 1;

/** `documents.id` differs for every revision, so that its rows can be written before it is visible. */
const TABLES = `
  CREATE TABLE position(epoch TEXT NOT NULL, seq INTEGER NOT NULL);
  CREATE TABLE documents(id INTEGER PRIMARY KEY, document TEXT NOT NULL UNIQUE, revision INTEGER NOT NULL);
  CREATE TABLE last(id INTEGER NOT NULL);
  INSERT INTO last VALUES (0);
`;

/** How one kind of index stores a document's rows. */
export interface RowStore<R extends Rows> {
  readonly tables: string;
  insert(file: IndexFile, id: number, rows: R): void;
  /** `which`: an SQL condition on the column `document`, which has values of `documents.id`. */
  remove(file: IndexFile, which: string, ...values: SQLInputValue[]): void;
}

/** SQLite's primary result code; null for other errors. */
export const sqliteCode = (fault: unknown): number | null =>
  typeof fault === 'object' && fault !== null && 'errcode' in fault ? Number(fault.errcode) & 0xff : null;

/**
 * One index of a knowledge base in a SQLite file. Derived data: it may be deleted at any time, and is not written
 * durably. Runs in a pool thread.
 */
export class IndexFile {
  readonly #statements = new Map<string, StatementSync>();

  private constructor(readonly db: DatabaseSync) {}

  static open(path: string, tables: string): IndexFile {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const file = new IndexFile(new DatabaseSync(path));
    try {
      file.db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY');
      const { user_version: format } = file.row<{ user_version: number }>('PRAGMA user_version') ?? { user_version: 0 };
      if (format === FORMAT) return file;
      if (format !== 0) {
        file.close();
        IndexFile.delete(path);
        return IndexFile.open(path, tables);
      }
      file.write(() => file.db.exec(`${TABLES} ${tables} PRAGMA user_version = ${FORMAT}`));
      return file;
    } catch (fault) {
      if (file.db.isOpen) file.close();
      throw fault;
    }
  }

  static delete(path: string): void {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
  }

  close(): void {
    this.db.close();
  }

  /** A prepared statement of a constant text. */
  sql(text: string): StatementSync {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const made = this.db.prepare(text);
    this.#statements.set(text, made);
    return made;
  }

  row<T>(text: string, ...values: SQLInputValue[]): T | undefined {
    return this.sql(text).get(...values) as T | undefined;
  }

  rows<T>(text: string, ...values: SQLInputValue[]): T[] {
    return this.sql(text).all(...values) as T[];
  }

  write<T>(work: () => T): T {
    this.db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.db.exec('COMMIT');
      return result;
    } catch (fault) {
      if (this.db.isTransaction) this.db.exec('ROLLBACK');
      throw fault;
    }
  }

  position(): Position | null {
    return this.row<Position>('SELECT epoch, seq FROM position') ?? null;
  }

  setPosition({ epoch, seq }: Position): void {
    this.write(() => {
      this.sql('DELETE FROM position').run();
      this.sql('INSERT INTO position VALUES (?, ?)').run(epoch, seq);
    });
  }

  /** Documents by id, in pages. */
  documents(after: string, limit: number): IndexedDocument[] {
    return this.rows(
      'SELECT document AS id, revision FROM documents WHERE document > ? ORDER BY 1 LIMIT ?',
      after,
      limit,
    );
  }

  /**
   * Writes rows of a document. `into`: the result of the previous call; null for the first rows. `last`: the revision
   * becomes visible with all its rows, and replaces the previous one.
   */
  put<R extends Rows>(
    store: RowStore<R>,
    { id, revision }: IndexedDocument,
    rows: R,
    into: number | null,
    last: boolean,
  ): number {
    return this.write(() => {
      const own = into ?? (this.row<{ id: number }>('UPDATE last SET id = id + 1 RETURNING id') as { id: number }).id;
      store.insert(this, own, rows);
      if (last) {
        this.#remove(store, JSON.stringify([id]));
        this.sql('INSERT INTO documents VALUES (?, ?, ?)').run(own, id, revision);
      }
      return own;
    });
  }

  remove<R extends Rows>(store: RowStore<R>, documents: readonly string[]): void {
    this.write(() => this.#remove(store, JSON.stringify(documents)));
  }

  /** Removes rows of documents that were not completed. */
  removeUnfinished<R extends Rows>(store: RowStore<R>): void {
    this.write(() => store.remove(this, 'document NOT IN (SELECT id FROM documents)'));
  }

  #remove<R extends Rows>(store: RowStore<R>, documents: string): void {
    const named = 'document IN (SELECT value FROM json_each(?))';
    store.remove(this, `document IN (SELECT id FROM documents WHERE ${named})`, documents);
    this.sql(`DELETE FROM documents WHERE ${named}`).run(documents);
  }
}

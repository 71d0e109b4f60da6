/** Result codes of SQLite (https://www.sqlite.org/rescode.html); the low byte of an extended code. */
export const SQLITE = { busy: 5, ioError: 10, corrupt: 11, full: 13, notADatabase: 26 } as const;

/** SQLite's text for a damaged file. */
export const MALFORMED = 'database disk image is malformed';

/** Errors of a statement's cursor carry SQLite's text but no code. */
const BY_TEXT: Readonly<Record<string, number>> = {
  'database is locked': SQLITE.busy,
  'disk I/O error': SQLITE.ioError,
  [MALFORMED]: SQLITE.corrupt,
  'database or disk is full': SQLITE.full,
  'file is not a database': SQLITE.notADatabase,
};

/** The primary result code of an error that SQLite raised; undefined for any other error. */
export function resultCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff;
  return 'message' in error && typeof error.message === 'string' ? BY_TEXT[error.message] : undefined;
}

/** The message of an error. */
export const textOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);

export type TableName = 'meta' | 'documents' | 'indexes';

/** Stored bytes that cannot be read or changed because the data file is damaged. */
export class DamageError extends Error {
  /**
   * @param id the collection of a document, or the index of an index entry; undefined in the catalog table
   * @param recordId set when exactly this document is damaged and those after it can be read
   */
  constructor(
    readonly table: TableName,
    readonly id: number | undefined,
    detail: string,
    readonly recordId?: number,
  ) {
    super(detail);
    this.name = 'DamageError';
  }
}

/** `error` as damage of this table when SQLite found the file malformed, else `error` itself. */
export function asDamage(error: unknown, table: TableName, id: number | undefined): unknown {
  const code = resultCode(error);
  if (code !== SQLITE.corrupt && code !== SQLITE.notADatabase) return error;
  return new DamageError(table, id, textOf(error));
}

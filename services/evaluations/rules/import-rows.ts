import { CsvError } from 'csv-parse/sync';
import { type Compute, ComputeError, defineTask } from '../../../lib/compute';
import { parseCsv } from '../../../lib/csv';
import { AppError, type ErrorDetail } from '../../../lib/errors';
import { isObject, type Json, type JsonObject, parseJsonOrUndefined } from '../../../lib/json';
import { JsonError, type JsonLimits } from '../../../lib/json/limits';
import { parseJsonNow } from '../../../lib/json/parse-sliced';
import { MAX_ROWS } from './limits';
import { assertRows, readRows } from './read-rows';
import type { StoredRow } from './read-row';

export type ImportFormat = 'csv' | 'json' | 'jsonl';

/** A file with rows. `columns`: the member of rows that a column of the file becomes, such as `input.question`. */
interface ImportFile {
  readonly bytes: Uint8Array;
  readonly format: ImportFormat | null;
  readonly columns: Readonly<Record<string, string>>;
}

type Imported = readonly StoredRow[] | { readonly faults: ErrorDetail[] };

const TIMEOUT_MS = 20_000;
const LIMITS: JsonLimits = { depth: 64, values: 2_000_000, members: 30_000, unicode: true };
const MEMBERS = /^(?:id|tags|(?:input|expected)(?:\.[^.]{1,100})?)$/;

export const importTask = defineTask(
  'services/evaluations/rules/import-rows',
  'importTask',
  (file: ImportFile): Imported => {
    const text = new TextDecoder('utf-8').decode(file.bytes);
    try {
      return readRows(valuesIn(text, file), 'rows');
    } catch (fault) {
      if (fault instanceof ImportFault) return { faults: [{ path: fault.path, message: fault.message }] };
      throw fault;
    }
  },
);

/**
 * Reads a file with rows on a compute thread.
 * @throws AppError invalid_request with the faults, unavailable
 */
export async function importRows(compute: Compute, file: ImportFile): Promise<readonly StoredRow[]> {
  // A copy with its own buffer, which is transferred to the thread.
  const bytes = Uint8Array.from(file.bytes);
  const options = { transfer: [bytes.buffer], timeoutMs: TIMEOUT_MS };
  return assertRows(await compute.run(importTask, { ...file, bytes }, options).catch(throwComputeError));
}

function throwComputeError(fault: unknown): never {
  if (!(fault instanceof ComputeError)) throw fault;
  if (fault.retryable) throw new AppError('unavailable', fault.message, { retry_after: 1 }, { cause: fault });
  throw new AppError('invalid_request', 'The file is too complex to read; split it', {}, { cause: fault });
}

class ImportFault extends Error {
  constructor(
    readonly path: string,
    message: string,
  ) {
    super(message);
  }
}

/** The format of a text without a name for it. A list is JSON, an object the first line of JSON lines. Pure. */
export function formatOf(text: string): ImportFormat {
  const first = text.trimStart()[0];
  return first === '[' ? 'json' : first === '{' ? 'jsonl' : 'csv';
}

function valuesIn(given: string, { format, columns }: ImportFile): readonly unknown[] {
  const text = given.startsWith('\ufeff') ? given.slice(1) : given;
  if (text.trim() === '') throw new ImportFault('file', 'is empty; send CSV with a header, a JSON list, or JSON lines');
  switch (format ?? formatOf(text)) {
    case 'csv':
      return rowsOfCsv(text, columns);
    case 'json':
      return bounded(listOf(jsonOf(text, 'file')));
    case 'jsonl':
      return bounded(text.split(/\r?\n/).filter((line) => line.trim() !== '')).map((line, index) =>
        jsonOf(line, `rows[${index}]`),
      );
  }
}

function listOf(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value;
  if (isObject(value) && Array.isArray(value.rows)) return value.rows;
  throw new ImportFault('file', 'must be a JSON list of rows, or an object with the list "rows"');
}

function bounded<T>(rows: readonly T[]): readonly T[] {
  if (rows.length <= MAX_ROWS) return rows;
  throw new ImportFault('file', `has ${rows.length} rows; a data set has at most ${MAX_ROWS}: split the file`);
}

function jsonOf(text: string, path: string): Json {
  try {
    return parseJsonNow(text, LIMITS);
  } catch (fault) {
    if (fault instanceof JsonError) throw new ImportFault(path, fault.message);
    throw fault;
  }
}

function rowsOfCsv(text: string, columns: ImportFile['columns']): readonly JsonObject[] {
  const [header, ...cells] = cellsOf(text);
  if (header === undefined) throw new ImportFault('file', 'has no header');
  const members = header.map((name, index) => memberOf(name.trim(), index, columns));
  return bounded(cells).map((row, index) => rowOf(members, row, index));
}

function cellsOf(text: string): string[][] {
  try {
    return parseCsv(text, { delimiter: ',', quote: '"' });
  } catch (fault) {
    if (!(fault instanceof CsvError)) throw fault;
    throw new ImportFault('file', `is not CSV: the quote that opens on line ${String(fault.lines)} is never closed`);
  }
}

function memberOf(name: string, index: number, columns: ImportFile['columns']): string {
  const member = Object.hasOwn(columns, name) ? (columns[name] as string) : name;
  if (MEMBERS.test(member)) return member;
  throw new ImportFault(
    `columns[${index}]`,
    `"${member.slice(0, 100)}" is not a member of rows: name the column id, input, input.NAME, expected, expected.NAME or tags, or map it with "columns"`,
  );
}

/** A cell that is JSON is that value, else text. An empty cell of `id`, `tags` or `expected` is left out. */
function rowOf(members: readonly string[], cells: readonly string[], index: number): JsonObject {
  if (cells.length !== members.length)
    throw new ImportFault(`rows[${index}]`, `has ${cells.length} cells, but there are ${members.length} columns`);
  const row: JsonObject = {};
  for (const [at, member] of members.entries()) {
    const cell = cells[at] as string;
    if (member === 'id' || member === 'tags') {
      if (cell !== '')
        row[member] =
          member === 'id' ? cell : cell.split(',').flatMap((tag) => (tag.trim() === '' ? [] : [tag.trim()]));
      continue;
    }
    const [root, name] = splitMember(member);
    if (name === null) {
      if (root === 'input' || cell !== '') row[root] = valueOf(cell);
      continue;
    }
    const object = isObject(row[root]) ? row[root] : (Object.create(null) as JsonObject);
    Object.defineProperty(object, name, { value: valueOf(cell), enumerable: true, configurable: true, writable: true });
    row[root] = object;
  }
  return row;
}

function splitMember(member: string): ['input' | 'expected', string | null] {
  const dot = member.indexOf('.');
  return dot === -1 ? [member as 'input', null] : [member.slice(0, dot) as 'input', member.slice(dot + 1)];
}

function valueOf(cell: string): Json {
  const value = parseJsonOrUndefined(cell);
  return value === undefined ? cell : (value as Json);
}

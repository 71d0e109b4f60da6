import { PAUSE } from '../aggregate/stage';
import { decode } from '../bson/decode';
import { encode } from '../bson/encode';
import { ServerError } from '../bson/error';
import type { Doc } from '../bson/value';
import type { SortKey, Sorter } from '../query/sort';
import type { Reader, Scan } from './scan';
import type { Task } from './task';

/** A stream of documents for a cursor. `push` returns whether more are wanted; a later run continues. */
export interface ResultStream {
  readonly done: boolean;
  run(reader: Reader, push: (bytes: Uint8Array) => boolean): Task<void>;
}

/** Maximum bytes of documents that a sort or aggregation may hold. */
export const MEMORY_LIMIT = 100 * 1024 * 1024;

/** The error of an operation that exceeds it. */
export const overMemory = (): ServerError =>
  new ServerError(
    292,
    `operation would hold more than ${MEMORY_LIMIT} bytes of documents in memory; an index may help`,
  );

interface StreamOptions {
  readonly skip: number;
  /** Infinity for no limit. */
  readonly limit: number;
  readonly project?: (document: Doc) => Doc;
}

/** The matches of a scan in the scan's order. */
export class ScanStream implements ResultStream {
  private skipped = 0;
  private sent = 0;

  constructor(
    private readonly scan: Scan,
    private readonly options: StreamOptions,
  ) {}

  get done(): boolean {
    return this.scan.done || this.sent >= this.options.limit;
  }

  *run(reader: Reader, push: (bytes: Uint8Array) => boolean): Task<void> {
    const { skip, limit, project } = this.options;
    if (this.done) return;
    yield* this.scan.run(reader, (_recordId, bytes) => {
      if (this.skipped < skip) {
        this.skipped++;
        return true;
      }
      this.sent++;
      const wanted = push(project === undefined ? bytes : encode(project(decode(bytes))));
      return wanted && this.sent < limit;
    });
  }
}

interface Sorted {
  readonly key: SortKey;
  readonly recordId: number;
  readonly bytes: Buffer;
}

/** All matches of a scan (or the first ones, with a limit), sorted in memory. */
export function* sortedMatches(reader: Reader, scan: Scan, sorter: Sorter, keep: number): Task<Sorted[]> {
  let kept: Sorted[] = [];
  let size = 0;
  const order = (a: Sorted, b: Sorted): number => sorter.compareKeys(a.key, b.key) || a.recordId - b.recordId;
  const prune = (): void => {
    kept = kept.sort(order).slice(0, keep);
    size = kept.reduce((sum, { bytes }) => sum + bytes.length, 0);
  };
  yield* scan.run(reader, (recordId, bytes) => {
    kept.push({ key: sorter.key(decode(bytes)), recordId, bytes });
    size += bytes.length;
    // Sorting once per doubling keeps the cost of a top-k near one comparison per document.
    if (kept.length >= keep * 2 + 64) prune();
    if (size > MEMORY_LIMIT) {
      prune();
      if (size > MEMORY_LIMIT) throw overMemory();
    }
    return true;
  });
  prune();
  return kept;
}

/** The matches of a scan, sorted in memory on the first run. */
export class SortedStream implements ResultStream {
  private rows: Iterator<Sorted> | undefined;
  done = false;

  constructor(
    private readonly scan: Scan,
    private readonly sorter: Sorter,
    private readonly options: StreamOptions,
  ) {}

  *run(reader: Reader, push: (bytes: Uint8Array) => boolean): Task<void> {
    const { skip, limit, project } = this.options;
    this.rows ??= (yield* sortedMatches(reader, this.scan, this.sorter, skip + limit)).slice(skip).values();
    for (let next = this.rows.next(); ; next = this.rows.next()) {
      if (next.done === true) break;
      const { bytes } = next.value;
      if (!push(project === undefined ? bytes : encode(project(decode(bytes))))) return;
      if (reader.timeSlice.due()) yield;
    }
    this.done = true;
  }
}

/** Documents created on demand, such as the output of a pipeline (including PAUSE) or a list of indexes. */
export class DocumentStream implements ResultStream {
  done = false;
  private readonly documents: Iterator<Doc>;

  /** @param begin receives the reader of each run, with which the source may continue */
  constructor(
    documents: Iterable<Doc>,
    private readonly begin: (reader: Reader) => void = () => undefined,
  ) {
    this.documents = documents[Symbol.iterator]();
  }

  *run(reader: Reader, push: (bytes: Uint8Array) => boolean): Task<void> {
    this.begin(reader);
    for (let next = this.documents.next(); next.done !== true; next = this.documents.next()) {
      if (next.value === PAUSE) {
        yield;
        continue;
      }
      if (!push(encode(next.value))) return;
      if (reader.timeSlice.due()) yield;
    }
    this.done = true;
  }
}

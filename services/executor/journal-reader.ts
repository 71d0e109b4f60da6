import { type Cache, createCache } from '../../lib/cache';
import { TimeSlice } from '../../lib/time-slices';
import { decodeEntries } from '../../runtime/core/entries/codec';
import type { Entry, JournalRecord } from '../../runtime/core/entries/entry';
import type { Collections } from '../../runtime/mongo/collections';
import { journalId, recordFromDocument, recordFromTail } from '../../runtime/mongo/documents';
import type { RunStore } from '../../runtime/ports/run-store';

const REMEMBERED = 10_000;
const REMEMBERED_MS = 60_000;
/** Records of one read; each is a flush of an actor, of at most 256 Ki characters unless it is one decision. */
const RECORDS_PER_READ = 100;

/** Entries after a position. */
interface EntriesRead {
  readonly entries: Entry[];
  /** The number of the next record. */
  readonly next: number;
  /** There may be further records. */
  readonly more: boolean;
}

/** Reads journals of runs. A continued read starts at its position, not at the beginning. */
export class JournalReader {
  /** Number of the first record after a position, by execution and position. */
  readonly #next: Cache<number>;

  constructor(
    private readonly store: Pick<RunStore, 'journal' | 'getPayloads'>,
    private readonly collections: Pick<Collections, 'journal' | 'executions'>,
    now: () => number,
  ) {
    this.#next = createCache({ max: REMEMBERED, ttlMs: REMEMBERED_MS, now });
  }

  /**
   * The entries of these records that `isWanted` selects, in order, with one record at a time in memory. `values`: without
   * it, large values are left out.
   */
  async entriesOf(
    id: string,
    numbers: readonly number[],
    isWanted: (entry: Entry) => boolean,
    values: boolean,
  ): Promise<Entry[]> {
    const wanted: Entry[] = [];
    const slice = new TimeSlice();
    for await (const { entries } of this.storedAt(id, numbers)) {
      wanted.push(...entries.filter(isWanted));
      if (slice.due) await slice.pause();
    }
    return values ? this.withValues(id, wanted) : wanted;
  }

  /** The entries of these records in order, one record at a time; large values are references to payloads. */
  async *storedAt(id: string, numbers: readonly number[]): AsyncGenerator<{ n: number; entries: Entry[] }> {
    for await (const { n, json } of this.#recordsAt(id, numbers)) yield { n, entries: JSON.parse(json) as Entry[] };
  }

  /** Stored entries with their values. `read`: called with the length of each value that is not in its entry. */
  async withValues(id: string, stored: readonly Entry[], read: (chars: number) => void = () => {}): Promise<Entry[]> {
    if (stored.length === 0) return [];
    return decodeEntries([JSON.stringify(stored)], async (hashes) => {
      const payloads = await this.store.getPayloads(id, hashes);
      for (const json of payloads.values()) read(json.length);
      return payloads;
    });
  }

  /** The entries after the first `position` ones, as far as one read goes. */
  async entriesAfter(id: string, position: number): Promise<EntriesRead> {
    for (let from = this.#next.get(`${id}:${position}`) ?? 0; ; ) {
      const records = contiguous(await this.store.journal(id, from, RECORDS_PER_READ));
      const last = records.at(-1);
      if (last === undefined) return { entries: [], next: from, more: false };
      const more = records.length >= RECORDS_PER_READ;
      from = last.n + 1;
      const wanted = records.filter((_, at) => (records[at + 1]?.before ?? Number.POSITIVE_INFINITY) > position);
      const entries = await this.#decode(id, wanted);
      const before = wanted[0]?.before ?? 0;
      const end = before + entries.length;
      if (end <= position && more) continue;
      this.#next.set(`${id}:${end}`, from);
      return { entries: entries.slice(Math.max(0, position - before)), next: from, more };
    }
  }

  /** The number of entries so far, and of the next record. */
  async end(id: string): Promise<{ position: number; next: number }> {
    const last = await this.#lastRecord(id);
    if (last === null) return { position: 0, next: 1 };
    const read = { position: last.before + (JSON.parse(last.json) as Entry[]).length, next: last.n + 1 };
    this.#next.set(`${id}:${read.position}`, read.next);
    return read;
  }

  async #lastRecord(id: string): Promise<JournalRecord | null> {
    const tail = await this.#tail(id);
    if (tail !== null) return tail;
    const document = await this.collections.journal
      .find({ _id: { $gte: `${id}:`, $lt: `${id};` } })
      .sort({ _id: -1 })
      .limit(1)
      .next();
    return document === null ? null : recordFromDocument(document);
  }

  async #tail(id: string): Promise<JournalRecord | null> {
    const holder = await this.collections.executions.findOne({ _id: id }, { projection: { tail: 1 } });
    return holder?.tail ? recordFromTail(id, holder.tail) : null;
  }

  async *#recordsAt(id: string, numbers: readonly number[]): AsyncGenerator<JournalRecord> {
    if (numbers.length === 0) return;
    const tail = await this.#tail(id);
    const documents = this.collections.journal
      .find({ _id: { $in: [...new Set(numbers)].map((n) => journalId(id, n)) } })
      .sort({ _id: 1 });
    for await (const document of documents) {
      const record = recordFromDocument(document);
      // Records at or behind the end's position are not history.
      if (tail === null || record.n < tail.n) yield record;
    }
    if (tail !== null && numbers.includes(tail.n)) yield tail;
  }

  #decode(id: string, records: readonly JournalRecord[]): Promise<Entry[]> {
    return decodeEntries(
      records.map((record) => record.json),
      (hashes) => this.store.getPayloads(id, hashes),
    );
  }
}

/** The records before a gap: the record of the end is returned with any part of a journal. */
function contiguous(records: readonly JournalRecord[]): readonly JournalRecord[] {
  const gap = records.findIndex(({ n }, at) => at > 0 && n !== (records[at - 1] as JournalRecord).n + 1);
  return gap === -1 ? records : records.slice(0, gap);
}

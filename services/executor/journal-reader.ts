import { type Cache, createCache } from '../../lib/cache';
import { decodeEntries } from '../../runtime/core/entries/codec';
import type { Entry, JournalRecord } from '../../runtime/core/entries/entry';
import type { RunStore } from '../../runtime/ports/run-store';

const REMEMBERED = 10_000;
const REMEMBERED_MS = 60_000;

/** Reads journals of runs. A continued read starts at its position, not at the beginning. */
export class JournalReader {
  /** Number of the first record after a position, by execution and position. */
  readonly #next: Cache<number>;

  constructor(
    private readonly store: Pick<RunStore, 'journal' | 'getPayloads'>,
    now: () => number,
  ) {
    this.#next = createCache({ max: REMEMBERED, ttlMs: REMEMBERED_MS, now });
  }

  /** All entries and their size in characters. */
  async all(id: string): Promise<{ entries: Entry[]; size: number }> {
    const records = await this.store.journal(id);
    const size = records.reduce((sum, { json }) => sum + json.length, 0);
    return { entries: await this.#decode(id, records), size };
  }

  /** The entries after the first `position` ones. */
  async after(id: string, position: number): Promise<Entry[]> {
    return (await this.entriesAfter(id, position)).entries;
  }

  /** The same, with the number of the next record. */
  async entriesAfter(id: string, position: number): Promise<{ entries: Entry[]; next: number }> {
    const from = this.#next.get(`${id}:${position}`) ?? 0;
    const records = await this.store.journal(id, from);
    const [first] = records;
    const last = records.at(-1);
    if (first === undefined || last === undefined) return { entries: [], next: from };
    const entries = await this.#decode(id, records);
    this.#next.set(`${id}:${first.before + entries.length}`, last.n + 1);
    return { entries: entries.slice(Math.max(0, position - first.before)), next: last.n + 1 };
  }

  #decode(id: string, records: readonly JournalRecord[]): Promise<Entry[]> {
    return decodeEntries(
      records.map((record) => record.json),
      (hashes) => this.store.getPayloads(id, hashes),
    );
  }
}

import { Cache } from '../../lib/cache';
import { decodeEntries } from '../../runtime/record/codec';
import type { Entry, JournalRecord } from '../../runtime/record/entry';
import type { RunStore } from '../../runtime/store/port';

const REMEMBERED = 10_000;
const REMEMBERED_MS = 60_000;

/** Reads what has been recorded of runs. A reader who comes back is read on to from where he was, not from the start. */
export class Histories {
  /** Execution and position, to the number of the first record behind it. */
  readonly #next: Cache<number>;

  constructor(
    private readonly store: Pick<RunStore, 'journal' | 'getPayloads'>,
    now: () => number,
  ) {
    this.#next = new Cache({ max: REMEMBERED, ttlMs: REMEMBERED_MS, now });
  }

  /** All of it, and how many characters it has. */
  async all(id: string): Promise<{ entries: Entry[]; size: number }> {
    const records = await this.store.journal(id);
    const size = records.reduce((sum, { json }) => sum + json.length, 0);
    return { entries: await this.#decode(id, records), size };
  }

  /** The entries behind the first `position` ones. */
  async after(id: string, position: number): Promise<Entry[]> {
    const records = await this.store.journal(id, this.#next.get(`${id}:${position}`) ?? 0);
    const [first] = records;
    const last = records.at(-1);
    if (first === undefined || last === undefined) return [];
    const entries = await this.#decode(id, records);
    this.#next.set(`${id}:${first.before + entries.length}`, last.n + 1);
    return entries.slice(Math.max(0, position - first.before));
  }

  #decode(id: string, records: readonly JournalRecord[]): Promise<Entry[]> {
    return decodeEntries(
      records.map((record) => record.json),
      (hashes) => this.store.getPayloads(id, hashes),
    );
  }
}

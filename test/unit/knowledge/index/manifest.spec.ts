import fc from 'fast-check';
import { DocumentTable } from '../../../../services/knowledge/index/segment/documents';
import { pageOf } from '../../../../services/knowledge/index/space/listing';
import {
  changed,
  type Contents,
  EMPTY,
  merged,
  type SegmentEntry,
  type Tables,
} from '../../../../services/knowledge/index/space/manifest';
import { planMerge } from '../../../../services/knowledge/index/space/planning';
import { batchOf, segmentsOf } from '../../../../services/knowledge/index/space/batch';
import { spaceOf } from '../../../../services/knowledge/index/space/space';

const KIB = 1024;
const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('put' as const),
      put: fc.uniqueArray(fc.record({ id, revision: fc.integer({ min: 1, max: 4 }) }), {
        selector: (each) => each.id,
        minLength: 1,
        maxLength: 3,
      }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('remove' as const), removed: fc.uniqueArray(id, { minLength: 1 }) }),
  },
  // A merge begins at one step, and is done so many later: puts and removals come in between, and other merges.
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('merge' as const),
      pick: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
      after: fc.nat(4),
    }),
  },
);

interface Begun {
  readonly from: readonly string[];
  readonly entries: readonly { id: string; revision: number }[];
  readonly dueAt: number;
}

describe('a manifest', () => {
  it('has of each document the newest revision since its removal, whatever is merged when', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const index = new ModelIndex();
        const truth = new Map<string, number>();
        steps.forEach((each, at) => {
          if (each.kind === 'put') {
            index.put(each.put);
            for (const { id: key, revision } of each.put)
              if (revision >= (truth.get(key) ?? 0)) truth.set(key, revision);
          } else if (each.kind === 'remove') {
            index.remove(each.removed);
            for (const key of each.removed) truth.delete(key);
          } else index.beginMerge(each.pick, at + each.after);
          index.endMerges(at);
          expect(index.alive()).toEqual([...truth].map(([key, revision]) => ({ id: key, revision })).sort(byId));
        });
        index.endMerges(Number.POSITIVE_INFINITY);
        // M4: when all is one, nothing dead is left, and no tombstone.
        index.beginMerge(
          index.now.segments.map(() => true),
          0,
        );
        index.endMerges(Number.POSITIVE_INFINITY);
        expect(index.now.tombstones).toEqual([]);
        expect(index.now.segments.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 300 },
    );
  });

  it('is not changed by what changes nothing', () => {
    expect(changed(EMPTY, { segments: [], put: [], removed: ['a'] }, new Map())).toBeNull();
    expect(merged(EMPTY, { from: ['gone'], merged: null }, new Map())).toBeNull();
  });

  it('lists documents in the order of their bytes, page by page', () => {
    const index = new ModelIndex();
    for (const key of ['b', 'ä', '日', 'a', '0']) index.put([{ id: key, revision: 1 }]);
    index.remove(['b']);
    const page = pageOf(index.now, index.tables, 'a', 2);
    expect(page.map((each) => each.id)).toEqual(['ä', '日']);
    expect(pageOf(index.now, index.tables, '日', 2)).toEqual([]);
    expect(pageOf(index.now, index.tables, null, 2).map((each) => each.id)).toEqual(['0', 'a']);
  });
});

describe('the plan of merges', () => {
  const segment = (bytes: number, seq: number): SegmentEntry => ({ id: `s${seq}`, seq, documents: 1, rows: 1, bytes });
  const plan = (...bytes: number[]) =>
    planMerge({ ...EMPTY, segments: bytes.map(segment) }, new Map())?.map((each) => each.id);

  it('makes one of eight of a size, the smallest size first', () => {
    expect(plan(...new Array<number>(7).fill(9))).toBeUndefined();
    expect(plan(...new Array<number>(8).fill(9))).toHaveLength(8);
    expect(plan(...new Array<number>(8).fill(900 * KIB), ...new Array<number>(8).fill(9))?.[0]).toBe('s8');
    expect(plan(1, 70 * KIB, 300 * KIB, 2_000 * KIB, 9_000 * KIB, 30_000 * KIB, 60_000 * KIB, 3)).toBeUndefined();
  });

  it('never makes more than 64 MiB of several', () => {
    expect(plan(...new Array<number>(12).fill(20 * KIB * KIB))).toHaveLength(3);
    expect(plan(...new Array<number>(12).fill(60 * KIB * KIB))).toBeUndefined();
  });

  it('keeps the number of segments small, however many puts there are', () => {
    let now: Contents = EMPTY;
    let most = 0;
    for (let n = 0; n < 2_000; n++) {
      now = { ...now, segments: [...now.segments, segment(5 * KIB, n)] };
      for (let picked = planMerge(now, new Map()); picked !== null; picked = planMerge(now, new Map())) {
        const gone = new Set(picked);
        const bytes = picked.reduce((sum, each) => sum + each.bytes, 0);
        now = { ...now, segments: [...now.segments.filter((each) => !gone.has(each)), segment(bytes, n)] };
      }
      most = Math.max(most, now.segments.length);
    }
    expect(most).toBeLessThan(40);
  });

  it('rewrites what is dead by a quarter, or anything dead when there are too many tombstones', () => {
    const index = new ModelIndex();
    index.put(ids(1_200));
    index.remove(ids(200).map((each) => each.id));
    expect(planMerge(index.now, index.tables)).toBeNull();
    index.remove(ids(270).map((each) => each.id));
    expect(planMerge(index.now, index.tables)).toHaveLength(1);
    const small = new ModelIndex();
    small.put(ids(4));
    small.remove(['d0']);
    expect(planMerge(small.now, small.tables)).toHaveLength(1);
  });

  const ids = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `d${n}`, revision: 1 }));
});

describe('a batch', () => {
  it('is what its operations come to, one after the other', () => {
    const document = (key: string, revision: number) => ({ id: key, revision, chunks: [] });
    const put = (...documents: ReturnType<typeof document>[]) => ({ kind: 'put', documents }) as const;
    const remove = (...keys: string[]) => ({ kind: 'remove', ids: keys }) as const;
    const batch = batchOf([
      put(document('a', 2), document('b', 1)),
      remove('b', 'c'),
      put(document('a', 1), document('c', 1)),
      put(document('d', 1)),
      put(document('d', 2)),
    ]);
    expect(batch.put.map((each) => `${each.id}${each.revision}`)).toEqual(['a2', 'c1', 'd2']);
    expect(batch.removed).toEqual(['b']);
  });

  it('of a text in which nothing is said twice becomes segments that the thread has memory to make', () => {
    const chunks = Array.from({ length: 4_000 }, (_, n) => ({ n, text: `${n}`.padEnd(2_000) }));
    const space = spaceOf({ tenantId: 't', baseId: 'b' }, { kind: 'lexical' }, 1);
    const pieces = segmentsOf([{ id: 'a', revision: 1, chunks }], space).map(({ documents }) =>
      documents.flatMap((piece) => ('chunks' in piece ? piece.chunks : [])),
    );
    expect(pieces.flat()).toEqual(chunks);
    // A million characters are up to a million terms, and 300 MB of the thread's 1,024.
    for (const piece of pieces) expect(piece.length * 2_000).toBeLessThanOrEqual(600_000);
  });
});

/** A manifest over segments of nothing but documents, with merges that take their time. */
class ModelIndex {
  now: Contents = EMPTY;
  readonly #tables = new Map<string, DocumentTable>();
  #begun: Begun[] = [];
  #lastId = 0;

  get tables(): Tables {
    return this.#tables;
  }

  put(documents: readonly { id: string; revision: number }[]): void {
    const segment = this.#segment(documents);
    this.now = changed(this.now, { segments: [segment], put: documents, removed: [] }, this.#tables) ?? this.now;
  }

  remove(removed: readonly string[]): void {
    this.now = changed(this.now, { segments: [], put: [], removed }, this.#tables) ?? this.now;
  }

  beginMerge(pick: readonly boolean[], dueAt: number): void {
    const from = this.now.segments.filter((_, n) => pick[n]);
    if (from.length === 0) return;
    const entries = pageOf({ ...this.now, segments: from }, this.#tables, null, 1_000);
    this.#begun.push({ from: from.map((each) => each.id), entries, dueAt });
  }

  endMerges(at: number): void {
    for (const { from, entries } of this.#begun.filter(({ dueAt }) => dueAt <= at)) {
      const segment = entries.length === 0 ? null : this.#segment(entries);
      this.now = merged(this.now, { from, merged: segment }, this.#tables) ?? this.now;
    }
    this.#begun = this.#begun.filter(({ dueAt }) => dueAt > at);
  }

  alive(): { id: string; revision: number }[] {
    return pageOf(this.now, this.#tables, null, 1_000);
  }

  #segment(documents: readonly { id: string; revision: number }[]): Omit<SegmentEntry, 'seq'> {
    const segment = { id: `s${this.#lastId++}`, documents: documents.length, rows: documents.length, bytes: 100 };
    const entries = documents.map((each, start) => ({ ...each, start, count: 1 }));
    this.#tables.set(segment.id, new DocumentTable(DocumentTable.pack(entries)));
    return segment;
  }
}

const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);

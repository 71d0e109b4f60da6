import fc from 'fast-check';
import { Arena } from '../../../../services/knowledge/index/engine/arena';
import { BestRows } from '../../../../services/knowledge/index/engine/best';
import type { Asked, Answered, CallName, RowsKind, View } from '../../../../services/knowledge/index/engine/calls';
import { Engine } from '../../../../services/knowledge/index/engine/engine';
import { Slices } from '../../../../services/knowledge/index/engine/slices';
import type { Tombstone } from '../../../../services/knowledge/index/segment/documents';
import { PostingsReader, VarintWriter } from '../../../../services/knowledge/index/segment/postings';
import { termsOf } from '../../../../services/knowledge/index/analysis/analyze';
import { expectBest, type Known, Oracle } from '../../../support/knowledge/oracle';

const DIMENSION = 19;
const LEXICAL: RowsKind = { kind: 'lexical' };
const VECTORS: RowsKind = { kind: 'vectors', dimension: DIMENSION };
const WORDS = ['red', 'green', 'blue', 'walking', 'walked', 'readFile', '日本語', 'naïve', 'the', 'of'];

const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }).map((words) => words.join(' '));
const vector = fc
  .array(fc.integer({ min: -9, max: 9 }), { minLength: DIMENSION, maxLength: DIMENSION })
  .map((values) => Float32Array.from(values));
const chunk = fc.record({ text, vector });
const known = fc
  .record({
    id: fc.constantFrom('a', 'b', 'ä', 'b/c', '__proto__', 'z', '日', '0'),
    revision: fc.integer({ min: 1, max: 3 }),
    chunks: fc.array(chunk, { maxLength: 5 }),
  })
  .map(
    ({ id, revision, chunks }): Known => ({
      id,
      revision,
      texts: chunks.map((each) => each.text),
      vectors: chunks.map((each) => each.vector),
    }),
  );
/** Documents of a segment each; what is dead of them; which of them are merged. */
const history = fc.record({
  segments: fc.array(fc.uniqueArray(known, { selector: ({ id }) => id, maxLength: 6 }), { minLength: 1, maxLength: 5 }),
  removed: fc.array(fc.constantFrom('a', 'b', 'z'), { maxLength: 2 }),
  merged: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
  query: text,
  near: vector,
  only: fc.option(fc.uniqueArray(fc.constantFrom('a', 'b', 'ä', 'nowhere'), { maxLength: 3 })),
  limit: fc.integer({ min: 1, max: 12 }),
});

const NOT_A_WORD = {
  segments: [[{ id: 'a', revision: 1, texts: [''], vectors: [new Float32Array(DIMENSION)] }]],
  removed: [],
  merged: [false, false, false, false, false],
  query: 'red',
  near: new Float32Array(DIMENSION),
  only: null,
  limit: 1,
};

let lastId = 0;
const nextId = (): string => String(lastId++);

const ask = async <K extends CallName>(engine: Engine, call: K, asked: Asked<K>): Promise<Answered<K>> =>
  engine.answer(call, asked, new Slices());

describe('the engine', () => {
  it('answers as looking at every living chunk does, whatever is dead, filtered, or merged', async () => {
    const engine = await Engine.create();
    await fc.assert(
      fc.asyncProperty(history, async ({ segments, removed, merged, query, near, only, limit }) => {
        const oracle = new Oracle();
        const stones = tombstonesOf(segments, removed, oracle);
        const documents = only === null ? null : new Set(only);
        const terms = [...new Set(termsOf(query))];
        for (const rows of [LEXICAL, VECTORS]) {
          const before: View = { stamp: 's', tombstones: stones, segments: await load(engine, rows, segments) };
          const after = await mergeSome(engine, rows, before, merged);
          for (const view of [before, after]) {
            if (rows.kind === 'vectors') {
              const found = await ask(engine, 'nearest', { view, vector: near, limit, documents });
              expectBest(found, oracle.nearest(near, documents), limit);
              continue;
            }
            const tally = await ask(engine, 'tally', { view, terms });
            const found = await ask(engine, 'rank', { view, terms, tally, limit, documents });
            expectBest(found, oracle.rank(query, documents), limit);
          }
          for (const { id } of [...before.segments, ...after.segments]) await ask(engine, 'drop', { id });
        }
      }),
      { numRuns: 150, examples: [[NOT_A_WORD]] },
    );
  });

  it('says what is wrong with a segment that is cut off', async () => {
    const engine = await Engine.create();
    const { table, data } = await ask(engine, 'build', { kind: 'lexical', documents: [] });
    await expect(ask(engine, 'load', { id: 'cut', rows: LEXICAL, table: table.slice(0, 6), data })).rejects.toThrow(
      'shorter than it says',
    );
  });
});

describe('the arena', () => {
  it('scores rows as reckoning in JavaScript does, and gives memory back whole', async () => {
    const arena = await Arena.create();
    for (const dimension of [1, 3, 16, 17, 384, 1_536, 16_384]) {
      const rows = dimension > 1_000 ? 3 : 200;
      const vectors = Float32Array.from({ length: rows * dimension }, (_, n) => Math.sin(n * 1.7));
      const query = Float32Array.from({ length: dimension }, (_, n) => Math.cos(n * 0.9));
      const kept = arena.put(vectors, dimension);
      arena.setQuery(query);
      const scores: number[] = [];
      for (let row = 1; row < rows; ) {
        const some = arena.scores(kept, row, rows);
        scores.push(...some);
        row += some.length;
      }
      const truth = Array.from({ length: rows - 1 }, (_, n) =>
        query.reduce((sum, value, at) => sum + value * (vectors[(n + 1) * dimension + at] as number), 0),
      );
      expect(scores).toEqual(truth.map((value) => expect.closeTo(value, 2)));
      const copy = new Float32Array(dimension + 1);
      arena.copy(kept, rows - 1, copy, 1);
      expect([...copy.subarray(1)]).toEqual([...vectors.subarray((rows - 1) * dimension)]);
      arena.remove(kept);
      expect(new Set(arena.put(vectors, dimension).pages)).toEqual(new Set(kept.pages));
      arena.remove(kept);
    }
  });
});

describe('its parts', () => {
  it('keep the best rows', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9 })), fc.integer({ min: 1, max: 9 }), (scores, limit) => {
        const best = new BestRows(limit);
        scores.forEach((score, row) => best.add(row, score));
        const truth = scores.map((score, row) => ({ row, score })).sort((a, b) => b.score - a.score || a.row - b.row);
        expect(best.sorted()).toEqual(truth.slice(0, limit));
      }),
    );
  });

  it('read postings as they were written', () => {
    const posting = fc.record({
      gap: fc.integer({ min: 1, max: 2 ** 31 }),
      count: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
    });
    fc.assert(
      fc.property(fc.array(posting, { maxLength: 20 }), (postings) => {
        const writer = new VarintWriter();
        for (const { gap, count } of postings) for (const value of [gap, count]) writer.write(value);
        const reader = new PostingsReader(writer.done(), 0, writer.length);
        let row = -1;
        for (const { gap, count } of postings) {
          expect(reader.next()).toBe(true);
          expect([reader.row, reader.count]).toEqual([(row += gap), count]);
        }
        expect(reader.next()).toBe(false);
      }),
    );
  });
});

/** What an index would say is dead, when the segments came one after the other and then the removal; the oracle learns the rest. */
function tombstonesOf(segments: readonly Known[][], removed: readonly string[], oracle: Oracle): Tombstone[] {
  const stones = new Map<string, Tombstone>();
  segments.forEach((documents, at) => {
    for (const document of documents) {
      const before = oracle.documents.get(document.id);
      oracle.put(document);
      if (before === undefined) continue;
      const { id } = document;
      if (before.revision > document.revision)
        stones.set(id, { id, seq: stones.get(id)?.seq ?? 0, revision: before.revision });
      else stones.set(id, { id, seq: at + 1, revision: document.revision });
    }
  });
  for (const id of removed) {
    oracle.documents.delete(id);
    stones.set(id, { id, seq: segments.length + 1, revision: 0 });
  }
  return [...stones.values()];
}

async function load(
  engine: Engine,
  rows: RowsKind,
  segments: readonly Known[][],
): Promise<{ id: string; seq: number }[]> {
  const loaded = [];
  for (const [at, documents] of segments.entries()) {
    const { table, data } = await ask(engine, 'build', newRows(rows, documents));
    const id = nextId();
    await ask(engine, 'load', { id, rows, table, data });
    loaded.push({ id, seq: at + 1 });
  }
  return loaded;
}

function newRows(rows: RowsKind, documents: readonly Known[]): Asked<'build'> {
  if (rows.kind === 'lexical')
    return {
      kind: 'lexical',
      documents: documents.map(({ texts, ...document }) => ({
        ...document,
        chunks: texts.map((each, n) => ({ n, text: each })),
      })),
    };
  return {
    ...rows,
    documents: documents.map(({ vectors, ...document }) => ({
      ...document,
      ns: vectors.map((_, n) => n),
      vectors: Float32Array.from(vectors.flatMap((each) => [...each])),
    })),
  };
}

async function mergeSome(engine: Engine, rows: RowsKind, view: View, which: readonly boolean[]): Promise<View> {
  const picked = view.segments.filter((_, n) => which[n]);
  if (picked.length === 0) return view;
  const rest = view.segments.filter((_, n) => !which[n]);
  const built = await ask(engine, 'merge', { view: { ...view, segments: picked }, rows });
  if (built === null) return { ...view, segments: rest };
  const id = nextId();
  await ask(engine, 'load', { id, rows, table: built.table, data: built.data });
  return { ...view, stamp: 'merged', segments: [...rest, { id, seq: Math.max(...picked.map(({ seq }) => seq)) }] };
}

import { randomUUID } from 'node:crypto';
import threads from 'node:worker_threads';
import type { Worker } from 'node:worker_threads';
import type { IndexSpace } from '../../../services/knowledge/index/contract';
import type { VectorSpace } from '../../../services/knowledge/vectors/contract';
import { vectorStoreContract } from '../../contract/vector-store';
import {
  DyingProcess,
  type IndexProcess,
  type IndexWorld,
  openIndexWorld,
} from '../../support/knowledge/index-machine';
import { expectBest, type Known, Oracle } from '../../support/knowledge/oracle';
import { until } from '../../support/until';

const DIMENSION = 12;
const ALL = { limit: 1_000, documents: null } as const;
const HOUR_MS = 3_600_000;

let world: IndexWorld;
let one: IndexProcess;
let other: IndexProcess;

beforeAll(async () => {
  world = await openIndexWorld();
  one = world.open();
  other = world.open();
  await one.machine.createIndexes();
});
afterAll(() => world?.close());
afterEach(() => jest.restoreAllMocks());

describe('vectors in segments', () => {
  vectorStoreContract(async () => ({ store: one.vectors, other: other.vectors, close: async () => undefined }));
});

describe('words in segments', () => {
  it('are found by every process once the put is acknowledged, and not once they are removed', async () => {
    const space = spaceOf();
    await one.lexical.put(space, [
      words(known('a', 1, ['apples and pears', 'plums'])),
      words(known('b', 1, ['pears'])),
    ]);
    const found = await other.lexical.search(space, 'Pear', ALL);
    expect(found.map(({ documentId, n }) => `${documentId}${n}`)).toEqual(['b0', 'a0']);
    await other.lexical.put(space, [words(known('a', 2, ['quinces']))]);
    expect(await one.lexical.search(space, 'plums', ALL)).toEqual([]);
    expect(await one.lexical.search(space, 'quince', { ...ALL, documents: new Set(['b']) })).toEqual([]);
    await other.lexical.remove(space, ['b']);
    expect(await one.lexical.documents(space, null, 10)).toEqual([{ id: 'a', revision: 2 }]);
    expect(await one.lexical.search({ ...space, tenantId: randomUUID() }, 'quince', ALL)).toEqual([]);
    await one.lexical.removeAll(space);
    expect(await other.lexical.search(space, 'quince', ALL)).toEqual([]);
  });

  it('of a document without words are there, and found by nothing', async () => {
    const space = spaceOf();
    await one.lexical.put(space, [words(known('empty', 1, []))]);
    expect(await one.lexical.documents(space, null, 10)).toEqual([{ id: 'empty', revision: 1 }]);
    expect(await one.lexical.search(space, 'anything', ALL)).toEqual([]);
    expect(await one.lexical.search(space, '…', ALL)).toEqual([]);
  });
});

describe('an index that several processes change at once', () => {
  it('ends as one that was changed in any order, whatever was merged meanwhile', async () => {
    const random = numbers(3);
    const space = spaceOf();
    const oracle = new Oracle();
    const processes = [one, other, world.open({ memoryBytes: 20_000 })];
    // Each document belongs to one of them, so that the order of its changes is known.
    const lives = processes.map(async (process, owner) => {
      for (let round = 1; round <= 24; round++) {
        const document = chance(random, `${owner}-${Math.floor(random() * 5)}`, round);
        if (random() < 0.25) {
          await both(process, space, (store) => store.remove([document.id]));
          oracle.documents.delete(document.id);
        } else {
          await putBoth(process, space, [document]);
          oracle.put(document);
        }
      }
    });
    await Promise.all(lives);
    await Promise.all(processes.map(({ machine }) => machine.settled()));
    for (const process of processes) await expectAll(process, space, oracle);
    const manifests = await world.db.collection('knowledge_indexes').find({ tenant_id: space.tenantId }).toArray();
    for (const { segments } of manifests) expect(segments.length).toBeLessThan(16);
  });

  it('keeps what is too large for one record in blocks', async () => {
    const space = { ...spaceOf(), generation: 0, dimension: 500 };
    const vectors = Float32Array.from({ length: 2_500 * 500 }, (_, n) => Math.sin(n));
    const ns = Array.from({ length: 2_500 }, (_, n) => n);
    await one.vectors.put(space, [{ id: 'large', revision: 1, ns, vectors }]);
    expect((await storedOf(space.tenantId)).blocks).toHaveLength(3);
    const [best] = await other.vectors.search(space, vectors.subarray(2_400 * 500, 2_401 * 500), ALL);
    expect(best).toEqual({ documentId: 'large', revision: 1, n: 2_400, score: expect.closeTo(1, 4) });
  });

  it('takes what is put at once in one process as one segment', async () => {
    const space = spaceOf();
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => one.lexical.put(space, [words(known(`d${n}`, 1, ['same']))])),
    );
    expect(await one.lexical.search(space, 'same', ALL)).toHaveLength(40);
    expect(await world.db.collection('knowledge_segments').countDocuments({ tenant_id: space.tenantId })).toBe(2);
  });
});

describe('a process that dies at any write', () => {
  it('has lost nothing that was acknowledged, and leaves nothing that a sweep does not find', async () => {
    // What is in its record, and what is in blocks.
    for (const [when, inlineBytes] of [
      ['after', undefined],
      ['before', 0],
    ] as const)
      for (let at = 0, done = false; !done; at++) done = await expectSurvival(at, when, inlineBytes);
  }, 90_000);

  /** True when it came to the end before it was to die. */
  async function expectSurvival(at: number, when: 'before' | 'after', inlineBytes?: number): Promise<boolean> {
    const space = spaceOf();
    const oracle = new Oracle();
    // One segment less than are merged.
    for (let n = 0; n < 7; n++) await remember(known(`d${n}`, 1, [`word${n} common`]));
    const dying = new DyingProcess(at, when);
    const process = world.open({ through: dying.through, inlineBytes });
    const acts = [
      () => remember(known('d7', 1, ['word7 common', 'more']), process),
      () => remember(known('d1', 2, ['changed common']), process),
      async () => {
        await process.lexical.remove(space, ['d2', 'd3', 'nowhere']);
        for (const id of ['d2', 'd3']) oracle.documents.delete(id);
      },
    ];
    let acknowledged = 0;
    try {
      for (const act of acts) {
        await act();
        acknowledged += 1;
        await process.machine.settled();
      }
    } catch {
      expect(dying.dead).toBe(true);
    }
    // What was not acknowledged may have been done or not, and is asked for again.
    const heir = world.open();
    if (acknowledged < 1) await remember(known('d7', 1, ['word7 common', 'more']), heir);
    if (acknowledged < 2) await remember(known('d1', 2, ['changed common']), heir);
    if (acknowledged < 3) {
      await heir.lexical.remove(space, ['d2', 'd3']);
      for (const id of ['d2', 'd3']) oracle.documents.delete(id);
    }
    await heir.machine.settled();
    for (const query of ['common', 'word2', 'word1 changed more'])
      expectBest(await heir.lexical.search(space, query, ALL), oracle.rank(query), ALL.limit);
    world.clock.advance(2 * HOUR_MS);
    await heir.machine.sweep();
    expect(await storedOf(space.tenantId)).toEqual(await namedOf(space.tenantId));
    expectBest(await heir.lexical.search(space, 'common', ALL), oracle.rank('common'), ALL.limit);
    return !dying.dead;

    async function remember(document: Known, through: IndexProcess = one): Promise<void> {
      await through.lexical.put(space, [words(document)]);
      oracle.put(document);
    }
  }
});

describe('segments that nobody names', () => {
  it('stay for those who may be about to name them, and then go', async () => {
    const space = spaceOf();
    for (let n = 0; n < 8; n++) await one.lexical.put(space, [words(known(`d${n}`, 1, ['same']))]);
    await one.machine.settled();
    expect((await storedOf(space.tenantId)).segments).toHaveLength(9);
    world.clock.advance(61_000);
    await until('the merged ones are gone', async () => (await storedOf(space.tenantId)).segments.length === 1);
    expect(await storedOf(space.tenantId)).toEqual(await namedOf(space.tenantId));
    expect(await other.lexical.search(space, 'same', ALL)).toHaveLength(8);
    await one.lexical.removeAll(space);
    expect((await storedOf(space.tenantId)).segments).toEqual([]);
  });

  it('are read no more by one who has an old manifest at hand', async () => {
    const space = spaceOf();
    for (let n = 0; n < 7; n++) await one.lexical.put(space, [words(known(`d${n}`, 1, ['same']))]);
    const slow = world.open({ memoryBytes: 1 });
    expect(await slow.lexical.search(space, 'same', ALL)).toHaveLength(7);
    const searches = Array.from({ length: 6 }, () => slow.lexical.search(space, 'same', ALL));
    await one.lexical.put(space, [words(known('d7', 1, ['same']))]);
    await one.machine.settled();
    world.clock.advance(61_000);
    for (const found of await Promise.all(searches)) expect([7, 8]).toContain(found.length);
    expect(await slow.lexical.search(space, 'same', ALL)).toHaveLength(8);
  });
});

describe('the thread that searches', () => {
  it('answers as the index in this thread does, is replaced when it dies, and gives up what is aborted', async () => {
    const random = numbers(5);
    const space = spaceOf();
    const oracle = new Oracle();
    const made = watchThreads();
    const process = world.open({ thread: true });
    const documents = Array.from({ length: 30 }, (_, n) => chance(random, `d${n}`, 1));
    await putBoth(process, space, documents);
    for (const document of documents) oracle.put(document);
    await expectAll(process, space, oracle);
    const searches = Array.from({ length: 8 }, () => expectAll(process, space, oracle));
    await made.at(-1)?.terminate();
    await Promise.all(searches);
    await expectAll(process, space, oracle);
    expect(made).toHaveLength(2);
    expect(process.warnings).toEqual([expect.stringContaining('another one takes its place')]);
    const abort = new AbortController();
    const search = process.lexical.search(space, 'red', { ...ALL, signal: abort.signal });
    abort.abort(new Error('nobody waits'));
    await expect(search).rejects.toThrow('nobody waits');
    await expectAll(process, space, oracle);
    await process.machine.close();
    await expect(process.lexical.search(space, 'red', ALL)).rejects.toThrow('closed');
  });
});

/** The threads that are made from now on. */
function watchThreads(): Worker[] {
  const made: Worker[] = [];
  const Original = threads.Worker;
  jest.spyOn(threads, 'Worker').mockImplementation((...args: ConstructorParameters<typeof Worker>) => {
    const thread = new Original(...args);
    made.push(thread);
    return thread;
  });
  return made;
}

const spaceOf = (): IndexSpace => ({ tenantId: randomUUID(), baseId: randomUUID() });
const vectorSpace = (space: IndexSpace): VectorSpace => ({ ...space, generation: 0, dimension: DIMENSION });

const known = (id: string, revision: number, texts: readonly string[]): Known => ({ id, revision, texts, vectors: [] });

const words = ({ id, revision, texts }: Known) => ({ id, revision, chunks: texts.map((text, n) => ({ n, text })) });

const rows = ({ id, revision, vectors }: Known) => ({
  id,
  revision,
  ns: vectors.map((_, n) => n),
  vectors: Float32Array.from(vectors.flatMap((vector) => [...vector])),
});

const putBoth = async (process: IndexProcess, space: IndexSpace, documents: readonly Known[]): Promise<void> => {
  await Promise.all([
    process.lexical.put(space, documents.map(words)),
    process.vectors.put(vectorSpace(space), documents.map(rows)),
  ]);
};

const both = async (
  process: IndexProcess,
  space: IndexSpace,
  work: (store: { remove(ids: readonly string[]): Promise<void> }) => Promise<void>,
): Promise<void> => {
  await work({ remove: (ids) => process.lexical.remove(space, ids) });
  await work({ remove: (ids) => process.vectors.remove(vectorSpace(space), ids) });
};

/** A document of chance. */
function chance(random: () => number, id: string, revision: number): Known {
  const count = 1 + Math.floor(random() * 4);
  const vocabulary = ['red', 'green', 'blue', 'walked', 'readFile', '日本語', 'the'];
  const word = (): string => vocabulary[Math.floor(random() ** 2 * vocabulary.length)] as string;
  const many = <T>(length: number, make: () => T): T[] => Array.from({ length }, make);
  return {
    id,
    revision,
    texts: many(count, () => many(1 + Math.floor(random() * 8), word).join(' ')),
    vectors: many(count, () => Float32Array.from(many(DIMENSION, () => random() - 0.5))),
  };
}

async function expectAll(process: IndexProcess, space: IndexSpace, oracle: Oracle): Promise<void> {
  const only = new Set([...oracle.documents.keys()].slice(0, 3));
  for (const documents of [null, only])
    for (const [query, limit] of [
      ['red walking', 1_000],
      ['the blue file', 5],
    ] as const)
      expectBest(
        await process.lexical.search(space, query, { limit, documents }),
        oracle.rank(query, documents),
        limit,
      );
  const near = Float32Array.from({ length: DIMENSION }, (_, n) => Math.sin(n));
  const found = await process.vectors.search(vectorSpace(space), near, { limit: 7, documents: only });
  expectBest(found, oracle.nearest(near, only), 7);
  const listed = [...oracle.documents.values()].map(({ id, revision }) => ({ id, revision }));
  const sorted = listed.sort((a, b) => (a.id < b.id ? -1 : 1));
  expect(await process.lexical.documents(space, null, 1_000)).toEqual(sorted);
  expect(await process.vectors.documents(vectorSpace(space), null, 1_000)).toEqual(sorted);
}

/** Ids of what is stored of a tenant. */
async function storedOf(tenantId: string): Promise<{ segments: string[]; blocks: string[] }> {
  const ids = async (name: string): Promise<string[]> =>
    (
      await world.db
        .collection<{ _id: string }>(name)
        .find({ tenant_id: tenantId }, { projection: { _id: 1 } })
        .toArray()
    )
      .map(({ _id }) => _id)
      .sort();
  return { segments: await ids('knowledge_segments'), blocks: await ids('knowledge_segment_blocks') };
}

/** The same of what manifests name. */
async function namedOf(tenantId: string): Promise<{ segments: string[]; blocks: string[] }> {
  const manifests = await world.db.collection('knowledge_indexes').find({ tenant_id: tenantId }).toArray();
  const ids: string[] = manifests.flatMap((manifest) => manifest.segments.map(({ id }: { id: string }) => id));
  const segments = ids.sort();
  const inBlocks = await world.db
    .collection<{ _id: string }>('knowledge_segments')
    .find({ tenant_id: tenantId, parts: null })
    .toArray();
  return { segments, blocks: inBlocks.flatMap(({ _id }) => [`${_id}/data/0`, `${_id}/table/0`]).sort() };
}

/** Numbers from 0 to 1 that are the same in each run (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

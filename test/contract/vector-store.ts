import { randomUUID } from 'node:crypto';
import type { IndexHit } from '../../lib/search/contract';
import type { DocumentVectors, VectorNamespace, VectorStore } from '../../services/knowledge/vectors/contract';

/** A store, and another one over the same data, as in another process. */
export interface VectorSubject {
  readonly store: VectorStore;
  readonly other: VectorStore;
  close(): Promise<void>;
}

const DIMENSION = 8;
/** Stores may keep vectors less exactly than they were given. */
const DIGITS = 3;

/** The contract of every VectorStore. `open` is called once; each test has tenants of its own. */
export function vectorStoreContract(open: () => Promise<VectorSubject>): void {
  let subject: VectorSubject;
  let store: VectorStore;
  let other: VectorStore;
  beforeAll(async () => {
    subject = await open();
    ({ store, other } = subject);
  });
  afterAll(() => subject?.close());

  const find = (space: VectorNamespace, vector: Float32Array, limit = 10, documents: readonly string[] | null = null) =>
    store.search(space, vector, { limit, documents: documents === null ? null : new Set(documents) });

  it('can be reached', async () => {
    expect(await store.ready()).toBe(true);
  });

  it('finds nothing, and removes nothing, where nothing was ever put', async () => {
    const space = spaceOf();
    expect(await find(space, axis(0))).toEqual([]);
    expect(await store.documents(space, null, 10)).toEqual([]);
    await store.remove(space, ['a']);
    await store.removeGeneration(space);
    await store.removeAll(space);
  });

  it('ranks by cosine, whatever the lengths of the vectors, and tells document, revision and chunk', async () => {
    const space = spaceOf();
    await store.put(space, [
      doc('near', 3, [scaled(blend(0, 1, 0.1), 40)]),
      doc('far', 1, [axis(2)]),
      doc('opposite', 1, [scaled(axis(0), -2)]),
      { ...doc('exact', 7, [axis(1), scaled(axis(0), 0.01)]), chunkNumbers: [4, 9] },
    ]);
    const found = await find(space, scaled(axis(0), 5));
    expect(found.slice(0, 2).map(place)).toEqual(['exact:7:9', 'near:3:0']);
    expect(found.at(-1)).toMatchObject({ documentId: 'opposite', score: expect.closeTo(-1, DIGITS) });
    expect(found[0]?.score).toBeCloseTo(1, DIGITS);
    expect(found[1]?.score).toBeCloseTo(cosine(axis(0), blend(0, 1, 0.1)), DIGITS);
    expect(found).toHaveLength(5);
  });

  it('is seen by other processes as soon as a put or a removal has been acknowledged', async () => {
    const space = spaceOf();
    await store.put(space, [doc('a', 1, [axis(0)])]);
    expect((await other.search(space, axis(0), ALL)).map(place)).toEqual(['a:1:0']);
    await other.put(space, [doc('b', 1, [axis(0)])]);
    expect((await find(space, axis(0))).map(place)).toEqual(['a:1:0', 'b:1:0']);
    await other.remove(space, ['a']);
    expect((await find(space, axis(0))).map(place)).toEqual(['b:1:0']);
  });

  it('has only the newest revision of a document, in whatever order they come, and however often', async () => {
    const space = spaceOf();
    await store.put(space, [doc('a', 1, [axis(0), axis(1), axis(2)]), doc('b', 1, [axis(3)])]);
    await store.put(space, [doc('a', 2, [axis(4), axis(1)])]);
    await store.put(space, [doc('a', 2, [axis(4), axis(1)])]);
    expect((await find(space, axis(1))).map(place).sort()).toEqual(['a:2:0', 'a:2:1', 'b:1:0']);
    await other.put(space, [doc('a', 1, [axis(0), axis(1), axis(2)])]);
    expect((await find(space, axis(1))).map(place).sort()).toEqual(['a:2:0', 'a:2:1', 'b:1:0']);
    expect(await documentsOf(space)).toEqual([
      { id: 'a', revision: 2 },
      { id: 'b', revision: 1 },
    ]);
  });

  it('has a document again that is put after its removal', async () => {
    const space = spaceOf();
    await store.put(space, [doc('a', 1, [axis(0)])]);
    await store.remove(space, ['a']);
    expect(await find(space, axis(0))).toEqual([]);
    await store.put(space, [doc('a', 2, [axis(0)])]);
    expect((await find(space, axis(0))).map(place)).toEqual(['a:2:0']);
  });

  it('searches only the documents that are asked for, however few', async () => {
    const space = spaceOf();
    await store.put(
      space,
      many(60, (n) => doc(`d${n}`, 1, [blend(0, 1, n / 60)])),
    );
    expect((await find(space, axis(0), 10, ['d50', 'd7', 'nowhere'])).map(place)).toEqual(['d7:1:0', 'd50:1:0']);
    expect(await find(space, axis(0), 10, [])).toEqual([]);
    expect(await find(space, axis(0), 1, ['d50', 'd7'])).toHaveLength(1);
  });

  it('keeps tenants, bases and generations apart, in searches, removals and lists', async () => {
    const space = spaceOf();
    const others: VectorNamespace[] = [
      { ...space, tenantId: randomUUID() },
      { ...space, baseId: randomUUID() },
      { ...space, generation: space.generation + 1 },
    ];
    for (const each of [space, ...others]) await store.put(each, [doc('same', 1, [axis(0)])]);
    await store.put(space, [doc('same', 2, [axis(0)]), doc('own', 1, [axis(0)])]);
    for (const each of others) expect((await find(each, axis(0))).map(place)).toEqual(['same:1:0']);
    await store.remove(space, ['same']);
    await store.removeGeneration(space);
    expect(await find(space, axis(0))).toEqual([]);
    for (const each of others) {
      expect((await find(each, axis(0))).map(place)).toEqual(['same:1:0']);
      expect(await documentsOf(each)).toEqual([{ id: 'same', revision: 1 }]);
    }
  });

  it('keeps generations of other dimensions, and removes the one, or all of the base', async () => {
    const small = spaceOf();
    const large = { ...small, generation: 1, dimension: 16 };
    const foreign = { ...large, baseId: randomUUID() };
    await store.put(small, [doc('a', 1, [axis(0)])]);
    await store.put(large, [doc('a', 1, [axis(3, 16)])]);
    await store.put(foreign, [doc('a', 1, [axis(3, 16)])]);
    expect((await find(large, axis(3, 16))).map(place)).toEqual(['a:1:0']);
    await store.removeGeneration(small);
    expect(await find(small, axis(0))).toEqual([]);
    expect((await find(large, axis(3, 16))).map(place)).toEqual(['a:1:0']);
    await store.put(small, [doc('b', 1, [axis(0)])]);
    await store.removeAll({ tenantId: small.tenantId, baseId: small.baseId });
    expect(await find(small, axis(0))).toEqual([]);
    expect(await find(large, axis(3, 16))).toEqual([]);
    expect(await documentsOf(large)).toEqual([]);
    expect((await find(foreign, axis(3, 16))).map(place)).toEqual(['a:1:0']);
  });

  it('lists each document once, page by page', async () => {
    const space = spaceOf();
    const put = many(23, (n) => doc(`d${n}`, n + 1, [axis(n % DIMENSION), axis(0)]));
    await store.put(space, put);
    const pages: string[][] = [];
    for (let after: string | null = null; ; ) {
      const page = await other.documents(space, after, 5);
      if (page.length === 0) break;
      pages.push(page.map(({ id, revision }) => `${id}:${revision}`));
      after = page.at(-1)?.id ?? null;
    }
    expect(pages.map((page) => page.length)).toEqual([5, 5, 5, 5, 3]);
    expect(pages.flat().sort()).toEqual(put.map(({ id, revision }) => `${id}:${revision}`).sort());
  });

  it('orders hits of one score by document and chunk', async () => {
    const space = spaceOf();
    await store.put(space, [doc('c', 1, [axis(0)]), doc('a', 1, [axis(0), axis(0)]), doc('b', 1, [axis(0)])]);
    expect((await find(space, axis(0))).map(place)).toEqual(['a:1:0', 'a:1:1', 'b:1:0', 'c:1:0']);
  });

  it('takes any text for an id', async () => {
    const space = spaceOf();
    const ids = ['ä', 'a\u0308', '日本', '😀', '__proto__', 'a b/c?d#e"f\\', "'; --", '$ne', '0', 'x'.repeat(200)];
    await store.put(
      space,
      ids.map((id, n) => doc(id, 1, [blend(0, 1, n / 20)])),
    );
    expect((await find(space, axis(0), 20)).map(({ documentId }) => documentId)).toEqual(ids);
    expect((await documentsOf(space)).map(({ id }) => id).sort()).toEqual([...ids].sort());
    await store.remove(space, ids.slice(2));
    expect((await find(space, axis(0), 20)).map(({ documentId }) => documentId)).toEqual(ids.slice(0, 2));
  });

  it('takes large batches, and answers as reckoning over all of them does', async () => {
    const space = spaceOf();
    const random = numbers(7);
    const put = many(40, (n) =>
      doc(
        `d${n}`,
        1,
        many(30, () => Float32Array.from({ length: DIMENSION }, () => random() - 0.5)),
      ),
    );
    await store.put(space, put);
    const query = Float32Array.from({ length: DIMENSION }, () => random() - 0.5);
    const truth = put
      .flatMap(({ id, chunkNumbers, vectors }) =>
        chunkNumbers.map((n) => ({ place: `${id}:1:${n}`, score: cosine(query, row(vectors, n, DIMENSION)) })),
      )
      .sort((a, b) => b.score - a.score)
      .slice(0, 20);
    const found = await find(space, query, 20);
    expect(found.map(({ score }) => score)).toEqual(truth.map(({ score }) => expect.closeTo(score, DIGITS)));
    // Adjacent hits whose scores differ by less than the store can distinguish may be in either order.
    expect(new Set(found.slice(0, 19).map(place))).toEqual(new Set(truth.slice(0, 19).map((hit) => hit.place)));
    expect(await find(space, query, 5_000)).toHaveLength(1_200);
  });

  it('keeps every one of the puts that several processes make at once', async () => {
    const space = spaceOf();
    await Promise.all(
      many(16, (n) => (n % 2 === 0 ? store : other).put(space, [doc(`d${n}`, 1, [blend(0, 1, n / 20)])])),
    );
    expect((await find(space, axis(0), 50)).map(place)).toEqual(many(16, (n) => `d${n}:1:0`));
  });

  it('is not harmed by a vector without direction', async () => {
    const space = spaceOf();
    await store.put(space, [doc('nothing', 1, [new Float32Array(DIMENSION)]), doc('a', 1, [axis(0)])]);
    expect((await find(space, axis(0)))[0]).toMatchObject({ documentId: 'a', score: expect.closeTo(1, DIGITS) });
    for (const { score } of await find(space, new Float32Array(DIMENSION))) expect(score).toBeCloseTo(0, DIGITS);
  });

  it('refuses vectors of another length than the space has', async () => {
    const space = spaceOf();
    await expect(store.put(space, [{ ...doc('a', 1, [axis(0, 4)]), chunkNumbers: [0] }])).rejects.toThrow();
    await expect(find(space, axis(0, 4))).rejects.toThrow();
    expect(await find(space, axis(0))).toEqual([]);
  });

  it('gives up a search that was aborted', async () => {
    const space = spaceOf();
    await store.put(space, [doc('a', 1, [axis(0)])]);
    await expect(store.search(space, axis(0), { ...ALL, signal: AbortSignal.abort() })).rejects.toThrow();
  });

  async function documentsOf(space: VectorNamespace): Promise<{ id: string; revision: number }[]> {
    return (await store.documents(space, null, 1_000)).sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}

const ALL = { limit: 100, documents: null } as const;

const spaceOf = (): VectorNamespace => ({
  tenantId: randomUUID(),
  baseId: randomUUID(),
  generation: 0,
  dimension: DIMENSION,
});

const doc = (id: string, revision: number, rows: readonly Float32Array[]): DocumentVectors => ({
  id,
  revision,
  chunkNumbers: rows.map((_, n) => n),
  vectors: Float32Array.from(rows.flatMap((each) => [...each])),
});

const many = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

const axis = (at: number, dimension = DIMENSION): Float32Array =>
  Float32Array.from({ length: dimension }, (_, n) => (n === at ? 1 : 0));

/** A vector between two axes, at this share of the distance. */
const blend = (from: number, to: number, share: number): Float32Array =>
  axis(from).map((value, n) => (n === to ? share : value));

const scaled = (vector: Float32Array, factor: number): Float32Array => vector.map((value) => value * factor);

const row = (vectors: Float32Array, n: number, dimension: number): Float32Array =>
  vectors.subarray(n * dimension, (n + 1) * dimension);

const place = ({ documentId, revision, n }: IndexHit): string => `${documentId}:${revision}:${n}`;

function cosine(a: Float32Array, b: Float32Array): number {
  const product = (x: Float32Array, y: Float32Array): number =>
    x.reduce((sum, value, n) => sum + value * (y[n] ?? 0), 0);
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
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

import { type Db, MongoClient } from 'mongodb';
import { MIGRATIONS, type Migration } from '../../../lib/migrations';
import { openTestDatabase, type TestDatabase } from '../../support/app';
import { openIndexWorld } from '../../support/knowledge/index-world';

const OLD = ['knowledge_indexes', 'knowledge_segment_blocks', 'knowledge_segments'];
const NAMESPACE = { tenantId: 'tenant', baseId: 'base', generation: 2, dimension: 2 };

describe('vectors of version 0.1.0', () => {
  let database: TestDatabase;
  let client: MongoClient;
  let db: Db;
  const run = (name: string): Promise<void> =>
    (MIGRATIONS.find((step) => step.name.includes(name)) as Migration).run({ db, walk: async () => undefined });

  beforeAll(async () => {
    database = await openTestDatabase();
    client = await MongoClient.connect(database.url);
    db = client.db(database.name);
    await oldSegments(db);
  });
  afterAll(async () => {
    await client.close();
    await database.close();
  });

  it('become records of their documents, however often, without those that were removed', async () => {
    await run('vectors');
    await run('vectors');
    const records = await db.collection('knowledge_vectors').find().sort({ _id: 1 }).toArray();
    expect(records.map(({ document_id, revision, part, ns }) => [document_id, revision, part, ns])).toEqual([
      ['a', 1, 0, [0, 1]],
      ['b', 3, 0, [0]],
    ]);
    expect(records[0]).toMatchObject({ tenant_id: 'tenant', base_id: 'base', generation: 2 });
    const logs = await db.collection('knowledge_changes').find().sort({ kind: 1 }).toArray();
    expect(logs.map(({ kind, generation, seq }) => [kind, generation, seq])).toEqual([
      ['vectors', 2, 0],
      ['words', 0, 0],
    ]);
  });

  it('are found as before', async () => {
    const world = await openIndexWorld();
    try {
      const names = ['knowledge_vectors', 'knowledge_changes'];
      for (const name of names) {
        const stored = await db.collection<{ _id: string }>(name).find().toArray();
        await world.db.collection<{ _id: string }>(name).insertMany(stored);
      }
      const all = { limit: 10, documents: null };
      const found = await world.open().vectors.search(NAMESPACE, Float32Array.of(0, 1), all);
      expect(found.map(({ documentId, n }) => [documentId, n])).toEqual([
        ['a', 1],
        ['b', 0],
        ['a', 0],
      ]);
    } finally {
      await world.close();
    }
  });

  it('lose their segments once the operator says that no process of before is left', async () => {
    await run('segments');
    await run('segments');
    const names = (await db.listCollections().toArray()).map(({ name }) => name);
    for (const name of OLD) expect(names).not.toContain(name);
    expect(names).toContain('knowledge_vectors');
  });
});

/** Two segments, one of them in blocks; document `gone` was removed, and `b` was put again. */
async function oldSegments(db: Db): Promise<void> {
  const [manifests, segments, blocks] = ['knowledge_indexes', 'knowledge_segments', 'knowledge_segment_blocks'].map(
    (name) => db.collection<{ _id: string }>(name),
  );
  const owned = { tenant_id: 'tenant', base_id: 'base' };
  const first = segmentOf([
    {
      id: 'a',
      revision: 1,
      vectors: [
        [1, 0],
        [0, 1],
      ],
    },
    { id: 'b', revision: 1, vectors: [[1, 0]] },
    { id: 'gone', revision: 1, vectors: [[1, 1]] },
  ]);
  const second = segmentOf([{ id: 'b', revision: 3, vectors: [[0.6, 0.8]] }]);
  await segments?.insertMany([
    { _id: 'one', tenant_id: 'tenant', table: first.table.length, data: first.data.length, parts: first },
    { _id: 'two', tenant_id: 'tenant', table: second.table.length, data: second.data.length, parts: null },
  ] as never);
  await blocks?.insertMany([
    { _id: 'two/table/0', tenant_id: 'tenant', data: second.table },
    { _id: 'two/data/0', tenant_id: 'tenant', data: second.data },
  ] as never);
  await manifests?.insertMany([
    {
      ...{ _id: 'tenant/base/vectors/2', ...owned, kind: 'vectors', generation: 2, dimension: 2, stamp: 's', seq: 3 },
      segments: [
        { id: 'one', seq: 1 },
        { id: 'two', seq: 2 },
      ],
      tombstones: [
        { id: 'b', seq: 2, revision: 3 },
        { id: 'gone', seq: 3, revision: 0 },
      ],
    },
    {
      _id: 'tenant/base/lexical/1',
      ...owned,
      kind: 'lexical',
      generation: 1,
      dimension: null,
      segments: [],
      tombstones: [],
    },
  ] as never);
}

interface OldDocument {
  readonly id: string;
  readonly revision: number;
  readonly vectors: readonly (readonly number[])[];
}

function segmentOf(documents: readonly OldDocument[]): { table: Buffer; data: Buffer } {
  const [revisions, starts, counts, ends]: number[][] = [[], [], [], []];
  const [ns, floats]: number[][] = [[], []];
  let ids = '';
  for (const { id, revision, vectors } of documents) {
    revisions?.push(revision);
    starts?.push(ns?.length ?? 0);
    counts?.push(vectors.length);
    ids += id;
    ends?.push(ids.length);
    vectors.forEach((vector, n) => {
      ns?.push(n);
      floats?.push(...vector);
    });
  }
  const numbers = (values: number[] = []): Buffer => Buffer.from(Uint32Array.from(values).buffer);
  return {
    table: packed([numbers(revisions), numbers(starts), numbers(counts), numbers(ends), Buffer.from(ids)]),
    data: packed([numbers(ns), Buffer.from(Float32Array.from(floats ?? []).buffer)]),
  };
}

/** Sections behind their lengths, at multiples of four. */
const packed = (sections: readonly Buffer[]): Buffer =>
  Buffer.concat(
    sections.flatMap((section) => {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(section.length);
      return [length, section, Buffer.alloc(-section.length & 3)];
    }),
  );

import type { IndexKey } from '../../../lib/search';
import type { Namespace } from '../../../lib/search/contract';
import type { BaseRecord } from '../../../services/knowledge/models';
import type { Knowledge } from '../../../services/knowledge/open';
import { dyingAt, type KnowledgeHouse, openKnowledgeHouse, unrecorded } from '../../support/knowledge/process';
import { startSourceServer, type SourceServer } from '../../support/source-server';

const HOUR_MS = 3_600_000;
const OLD = 'Foxes are red.';
const LONG = Array.from({ length: 60 }, (_, n) => `# Part ${n}\n\nOtters of pool ${n} are fond of fish.\n\n`).join('');

let models: SourceServer;
let house: KnowledgeHouse;
let knowledge: Knowledge;
let base: BaseRecord;
/** Texts that the model has made vectors of. */
let embedded: string[];

beforeAll(async () => {
  models = await startSourceServer(({ body }) => {
    const { input } = body as { input: string[] };
    embedded.push(...input);
    const data = input.map((text, index) => ({ object: 'embedding', index, embedding: [text.length, 1, 2] }));
    return { body: { object: 'list', data, model: 'm', usage: { prompt_tokens: 1, total_tokens: 1 } } };
  });
  house = await openKnowledgeHouse({ env: { EGRESS_ALLOW: new URL(models.url).host } });
  knowledge = house.knowledge;
});
beforeEach(async () => {
  embedded = [];
  base = await house.makeBase();
});
afterAll(async () => {
  await house?.close();
  await models?.close();
});

const model = () => ({ provider: 'openai-compatible', model: 'm', base_url: `${models.url}/v1` });
const add = (text: string, key?: string) =>
  knowledge.documents.add(base, { text, ...(key === undefined ? {} : { key }) }, unrecorded);
const settled = async () => {
  await knowledge.documentRunner.idle();
  await knowledge.baseRunner.idle();
};

const wordsOf = (space: Namespace): IndexKey => ({ ...space, kind: 'words', generation: 0 });

/** What is found in the stores by itself, of one base. */
async function stored(): Promise<{ words: string[]; vectors: string[] }> {
  const space = { tenantId: base.tenant_id, baseId: base._id };
  const { generation, embedding } = (await house.base(base._id)) ?? base;
  const { vectors } = knowledge.deps;
  const dimension = embedding === null ? 384 : (embedding.dimension ?? 3);
  await knowledge.synchronizer.sync(wordsOf(space));
  return {
    words: (await knowledge.files.run(wordsOf(space), 'documents', { after: '', limit: 10 })).map(({ id }) => id),
    vectors: (await vectors.documents({ ...space, generation, dimension }, null, 10)).map(({ id }) => id),
  };
}

async function swept(): Promise<void> {
  house.clock.leap(7 * HOUR_MS);
  await knowledge.sweep.run();
  await house.recovered();
}

/**
 * Dies at every write in turn, until the act comes to its end; then checks what is left, recovered. `meanwhile`: what
 * holds before anybody has taken it up.
 */
async function everyDeath(
  act: () => Promise<unknown>,
  check: (died: boolean) => Promise<void>,
  meanwhile: () => Promise<void> = async () => {},
): Promise<number> {
  for (let n = 1; ; n++) {
    const died = await dyingAt(house.db, n, () => act().then(settled, settled));
    await meanwhile();
    await house.recovered();
    await check(died);
    if (!died) return n;
  }
}

describe('a process that dies at any write', () => {
  test('of a short text leaves it whole and found, or nothing', async () => {
    const deaths = await everyDeath(
      () => add(OLD, 'fox'),
      async (died) => {
        const found = await house.find(base, 'foxes');
        if (!died) expect(found).toEqual([OLD]);
        // A caller that asks again, as a step does, has it once.
        const { status, chunks } = await add(OLD, 'fox');
        expect([status, chunks]).toEqual(['ready', 1]);
        expect(await house.find(base, 'foxes')).toEqual([OLD]);
        await swept();
        expect(await house.counts()).toEqual({ documents: 1, chunks: 1, parts: 1, uploads: 0, paid: 0 });
        const { words, vectors } = await stored();
        expect([words.length, vectors]).toEqual([1, words]);
        await knowledge.documents.remove(base, words[0] as string, unrecorded);
        await house.recovered();
      },
    );
    expect(deaths).toBeGreaterThan(10);
  }, 60_000);

  test('of a new reading lets the old one be found until the new one is, and leaves nothing of it', async () => {
    const { id } = await add(OLD);
    let seen = 1;
    await everyDeath(
      () => knowledge.documents.refresh(base, id),
      async () => {
        expect(await house.find(base, 'foxes')).toEqual([OLD]);
        const document = await house.document(id);
        expect(document?.status).toBe('ready');
        expect(document?.revision).toBeGreaterThanOrEqual(seen);
        seen = document?.revision as number;
        expect(await house.counts()).toMatchObject({ documents: 1, chunks: 1, parts: 1 });
      },
      async () => expect(await house.find(base, 'foxes')).toEqual([OLD]),
    );
    expect(seen).toBeGreaterThan(3);
    await knowledge.bases.remove(base.tenant_id, base._id, unrecorded);
    await house.recovered();
  }, 60_000);

  test('of a removal leaves it impossible to find, and nothing of it in the end', async () => {
    await everyDeath(
      async () => {
        const { id } = await add(OLD, 'fox');
        await knowledge.documents.remove(base, id, unrecorded);
      },
      async (died) => {
        const [left] = await knowledge.documents.list(base, undefined, { limit: 10, offset: 0 });
        if (left !== undefined) await knowledge.documents.remove(base, left._id, unrecorded);
        expect(await house.find(base, 'foxes')).toEqual([]);
        if (died) return;
        await swept();
        expect(await stored()).toEqual({ words: [], vectors: [] });
        expect(await house.counts()).toEqual({ documents: 0, chunks: 0, parts: 0, uploads: 0, paid: 0 });
      },
    );
  }, 60_000);

  test('of the removal of a base leaves nothing of it in the end', async () => {
    await everyDeath(
      async () => {
        if ((await house.base(base._id))?.state !== 'live') base = await house.makeBase();
        await knowledge.documents.add(base, { text: OLD }, unrecorded);
        await knowledge.bases.remove(base.tenant_id, base._id, unrecorded);
        knowledge.baseRunner.kick();
      },
      async () => {
        const state = (await house.base(base._id))?.state;
        if (state === 'live') {
          await knowledge.bases.remove(base.tenant_id, base._id, unrecorded);
          await house.recovered();
        }
        expect(await house.base(base._id)).toBeNull();
        expect(await stored()).toEqual({ words: [], vectors: [] });
        await swept();
        expect(await house.counts()).toEqual({ documents: 0, chunks: 0, parts: 0, uploads: 0, paid: 0 });
        base = await house.makeBase();
      },
    );
  }, 60_000);

  test('while a model makes vectors pays for no batch twice but the one that was on its way', async () => {
    base = await house.makeBase({ embedding: model() });
    let max = 0;
    await everyDeath(
      async () => {
        embedded = [];
        await add(LONG);
      },
      async (died) => {
        const [document] = await knowledge.documents.list(base, undefined, { limit: 10, offset: 0 });
        if (died && document === undefined) return;
        expect([document?.status, document?.cut?.chunks]).toEqual(['ready', 60]);
        expect(embedded.length - new Set(embedded).size).toBeLessThanOrEqual(32);
        max = Math.max(max, embedded.length);
        expect(await house.find(base, 'otters of pool 7')).toContainEqual(expect.stringContaining('pool 7 '));
        expect((await house.counts()).paid).toBe(0);
        await knowledge.documents.remove(base, document?._id as string, unrecorded);
        await house.recovered();
      },
    );
    // Some death was between a batch and its record.
    expect(max).toBeGreaterThan(60);
  }, 60_000);

  test('of a change of the model lets the words and old vectors be searched until the new ones are all there', async () => {
    await add(OLD);
    await add(LONG);
    let generation = 0;
    await everyDeath(
      async () => {
        const { embedding } = (await house.base(base._id)) as BaseRecord;
        const other = embedding === null ? model() : null;
        await knowledge.bases.update(base.tenant_id, base._id, { embedding: other }, unrecorded);
        knowledge.baseRunner.kick();
      },
      async () => {
        const now = (await house.base(base._id)) as BaseRecord;
        expect(now.generation).toBeGreaterThanOrEqual(generation);
        expect([now.retired, now.reembedding?.state ?? 'done']).toEqual([null, 'done']);
        if (now.reembedding !== null) expect(now.reembedding).toMatchObject({ done: 61, total: 61 });
        generation = now.generation;
        expect((await house.find(base, 'foxes'))[0]).toBe(OLD);
        const { words, vectors } = await stored();
        expect([words.length, vectors]).toEqual([2, words]);
      },
    );
    expect(generation).toBeGreaterThan(3);
  }, 60_000);
});

test('a sweep removes words and vectors of no document, and puts back what is missing', async () => {
  const { id } = await add(OLD);
  const { vectors } = knowledge.deps;
  const space = { tenantId: base.tenant_id, baseId: base._id };
  const its = { ...space, generation: base.generation, dimension: 384 };
  await knowledge.synchronizer.sync(wordsOf(space));
  const chunks = [{ n: 0, text: 'stray' }];
  await knowledge.files.run(wordsOf(space), 'put', {
    document: { id: 'unknown', revision: 1 },
    rows: { kind: 'words', chunks },
    into: null,
    last: true,
  });
  await vectors.put(its, [{ id: 'unknown', revision: 1, chunkNumbers: [0], vectors: new Float32Array(384).fill(1) }]);
  await knowledge.files.run(wordsOf(space), 'remove', [id]);
  await vectors.remove(its, [id]);
  expect(await house.find(base, 'foxes')).toEqual([]);
  await swept();
  expect(await stored()).toEqual({ words: [id], vectors: [id] });
  expect(await house.find(base, 'foxes')).toEqual([OLD]);
});

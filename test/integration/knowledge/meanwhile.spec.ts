import { AppError } from '../../../lib/errors';
import { putVectors } from '../../../services/knowledge/ingest/vectors';
import type { BaseRecord, DocumentRecord } from '../../../services/knowledge/models';
import { Lease, LeaseLost } from '../../../mixins/leased-work/lease';
import { type KnowledgeHouse, openKnowledgeHouse, unrecorded } from '../../support/knowledge/process';
import { type Answer, type SourceServer, startSourceServer } from '../../support/source-server';
import { until } from '../../support/until';

const NOTHING = { documents: 0, chunks: 0, parts: 0, uploads: 0, paid: 0 };

let models: SourceServer;
let house: KnowledgeHouse;
let base: BaseRecord;

beforeAll(async () => {
  models = await startSourceServer();
  house = await openKnowledgeHouse({ env: { EGRESS_ALLOW: new URL(models.url).host } });
});
beforeEach(async () => {
  base = await house.makeBase();
});
afterAll(async () => {
  await house?.close();
  await models?.close();
});

const model = () => ({ provider: 'openai-compatible', model: 'm', base_url: `${models.url}/v1` });
const add = (text: string, to = base) => house.knowledge.documents.add(to, { text }, unrecorded);
const documentOf = async (id: string): Promise<DocumentRecord> => (await house.document(id)) as DocumentRecord;

function embedding({ body }: { body: unknown }): Answer {
  const { input } = body as { input: string[] };
  const data = input.map((_, index) => ({ object: 'embedding', index, embedding: [1, 2, 3] }));
  return { body: { object: 'list', data, model: 'm', usage: { prompt_tokens: 1, total_tokens: 1 } } };
}

describe.each(['document', 'base'] as const)('a %s that is removed while a document is read', (what) => {
  test('leaves nothing, whatever is stored by who is at work still', async () => {
    const hybrid = await house.makeBase({ embedding: model() });
    const { documents, bases, deps, documentRunner } = house.knowledge;
    const insert = deps.models.embeddingBatches.create.bind(deps.models.embeddingBatches);
    let store = (): void => undefined;
    const reached = new Promise<void>((resolve) => {
      jest.spyOn(deps.models.embeddingBatches, 'create').mockImplementationOnce((async (row: never) => {
        resolve();
        await new Promise<void>((go) => (store = go));
        return insert(row);
      }) as never);
    });
    models.answer = embedding;
    const { id } = await add('Otters swim.', hybrid);
    await reached;
    const { owner } = await documentOf(id);
    if (what === 'document') await documents.remove(hybrid, id, unrecorded);
    else await bases.remove(hybrid.tenant_id, hybrid._id, unrecorded);
    house.knowledge.baseRunner.kick();
    // Until a process has removed it, or may remove it.
    await until('it is removed, or to be', async () => {
      const document = await house.document(id);
      return document === null || (document.state === 'removing' && document.owner === owner);
    });
    store();
    await documentRunner.idle();
    await house.recovered();
    expect(await house.counts()).toEqual(NOTHING);
  });
});

test('a document that is to be read again stays with the process that works on it, until that one notices', async () => {
  const { id } = await add('Foxes are red.');
  const { documents, deps, documentRunner } = house.knowledge;
  const claim = { owner: 'another process', due_at: new Date(house.clock.now() + 30_000) };
  await deps.models.documents.updateOne({ _id: id }, { $set: claim });
  const cleaning = new Lease(deps.models.documents, await documentOf(id), house.clock, ['state', 'last_revision']);
  expect((await documents.refresh(base, id)).status).toBe('queued');
  expect(await documentOf(id)).toMatchObject(claim);
  await expect(cleaning.write({ leftovers: false })).rejects.toThrow(LeaseLost);
  await house.recovered();
  expect(await documentOf(id)).toMatchObject({ status: 'ready', revision: 2 });
  await documentRunner.idle();
});

test('a record whose storing was not answered keeps its content', async () => {
  const { documents, deps } = house.knowledge;
  const create = deps.models.documents.create.bind(deps.models.documents);
  jest.spyOn(deps.models.documents, 'create').mockImplementationOnce((async (record: never) => {
    await create(record);
    throw new Error('connection lost');
  }) as never);
  await expect(documents.add(base, { text: 'Bears sleep.', key: 'bear' }, unrecorded)).rejects.toThrow(
    'connection lost',
  );
  await house.recovered();
  const { id, status } = await documents.add(base, { text: 'Bears sleep.', key: 'bear' }, unrecorded);
  expect([status, await house.find(base, 'bears')]).toEqual(['ready', ['Bears sleep.']]);
  await documents.remove(base, id, unrecorded);
});

test('a text is ready at once while another model is on its way that does not answer', async () => {
  await add('Foxes are red.');
  models.answer = () => ({ status: 503, headers: { 'retry-after': '3600' } });
  await house.knowledge.bases.update(base.tenant_id, base._id, { embedding: model() }, unrecorded);
  const current = (await house.base(base._id)) as BaseRecord;
  expect(await add('Bears sleep.', current)).toMatchObject({ status: 'ready', error: null });
  models.answer = embedding;
  await house.recovered();
  expect(await house.base(base._id)).toMatchObject({ reembedding: { state: 'done' }, embedding: { dimension: 3 } });
  expect((await house.find(base, 'bears'))[0]).toBe('Bears sleep.');
});

test('a new reading that the stores have in part is not given up: they take the old one no more', async () => {
  const { id } = await add('Foxes are red.');
  const { documents, deps } = house.knowledge;
  const refusing = jest.spyOn(deps.words, 'publishChanges').mockRejectedValueOnce(new AppError('conflict', 'not now'));
  await documents.refresh(base, id);
  const waiting = await until('it has failed', async () => {
    const document = await documentOf(id);
    return document.owner === null && refusing.mock.calls.length > 0 ? document : null;
  });
  expect(waiting).toMatchObject({ status: 'queued', error: { code: 'conflict' }, revision: 1, shown: [1, 2] });
  refusing.mockRestore();
  house.clock.leap(11 * 60_000);
  await house.recovered();
  expect(await documentOf(id)).toMatchObject({ status: 'ready', error: null, revision: 2, shown: [2] });
});

test('a document that becomes ready as another model takes over gets its vectors, too', async () => {
  await add('Foxes are red.');
  models.answer = embedding;
  const { documents } = house.knowledge.deps.models;
  const aggregate = documents.aggregate.bind(documents);
  let late: Promise<unknown> | undefined;
  // The base counts once it has found no more documents, and before it says so.
  const counting = jest.spyOn(documents, 'aggregate').mockImplementation(((pipeline: never) => ({
    async exec() {
      const { $match } = pipeline[0] as { $match: { generations?: number } };
      const isLast =
        $match.generations !== undefined && (await documents.exists({ base_id: base._id, generations: 1 }));
      if (isLast) await (late ??= add('Bears sleep.'));
      return aggregate(pipeline).exec();
    },
  })) as never);
  await house.knowledge.bases.update(base.tenant_id, base._id, { embedding: model() }, unrecorded);
  await house.recovered();
  counting.mockRestore();
  expect(late).toBeDefined();
  const made = await documents.find({ base_id: base._id }).lean().exec();
  expect(made.map(({ generations }) => generations.includes(1))).toEqual([true, true]);
});

test('the length of the vectors may be set as long as there are none', async () => {
  const hybrid = await house.makeBase({ embedding: model() });
  const fields = { embedding: { ...model(), dimension: 3 } };
  const { embedding: now } = await house.knowledge.bases.update(base.tenant_id, hybrid._id, fields, unrecorded);
  expect(now?.dimension).toBe(3);
});

describe('vectors of a document', () => {
  const chunks = (count: number) => Array.from({ length: count }, (_, n) => ({ n, text: `${n}` }));
  async function put(count: number, dimension: number | null, done: jest.Mock): Promise<void> {
    const its = { ...model(), api_key: null, dimension };
    const progress = { signal: new AbortController().signal, onEmbedded: done };
    const document = { _id: 'much', tenant_id: base.tenant_id, base_id: base._id };
    const revision = { revision: 1, chunks: chunks(count) };
    return putVectors(house.knowledge.deps, document, revision, { number: 7, embedding: its }, progress);
  }

  test('are refused before any is paid for, where they would take the memory of the process', async () => {
    const asked = models.asked.length;
    await expect(put(4_097, 16_384, jest.fn())).rejects.toMatchObject({ code: 'too_large', retryable: false });
    expect(models.asked.length).toBe(asked);
    const embeddings = [{ object: 'embedding', index: 0, embedding: new Array<number>(16_385).fill(1) }];
    const usage = { prompt_tokens: 1, total_tokens: 1 };
    models.answer = () => ({ body: { object: 'list', data: embeddings, model: 'm', usage } });
    await expect(put(1, null, jest.fn())).rejects.toMatchObject({ code: 'dimension_mismatch' });
  });

  test('advance once, however often the process that stores them dies', async () => {
    models.answer = embedding;
    const { vectors } = house.knowledge.deps;
    const done = jest.fn();
    for (let tries = 0; tries < 2; tries++) {
      const dying = jest.spyOn(vectors, 'put').mockRejectedValueOnce(new Error('the process has died'));
      await expect(put(40, 3, done)).rejects.toThrow('has died');
      dying.mockRestore();
    }
    expect(done.mock.calls).toEqual([[32], [40]]);
  });
});

import { systemClock } from '../../../lib/clock';
import { readQdrant } from '../../../lib/qdrant-config';
import type { VectorStore } from '../../../services/knowledge/vectors/contract';
import { createQdrantVectors } from '../../../services/knowledge/vectors/qdrant';
import { Collection } from '../../support/qdrant/collection';
import { qdrantInterface } from '../../support/qdrant/interface';
import { type QdrantServer, startQdrant } from '../../support/qdrant-server';
import { vectorStoreContract } from '../vector-store';

const KEY = 'key-of-the-test';

/** `QDRANT_URL=... npm run test:qdrant` asks that server instead; it is left with collections named everstep-test_*. */
const REAL = process.env.npm_lifecycle_event === 'test:qdrant' ? (process.env.QDRANT_URL ?? '') : null;

const openStore = (url: string, apiKey: string | undefined = KEY, namespace = 'everstep'): VectorStore => {
  const faults: string[] = [];
  const env: Readonly<Record<string, string | undefined>> = { QDRANT_URL: url, QDRANT_API_KEY: apiKey };
  const config = readQdrant((name) => env[name] ?? null, faults);
  if (config === null) throw new Error(faults.join());
  return createQdrantVectors({ config, namespace, clock: systemClock });
};

describe('vectors in Qdrant', () => {
  let server: QdrantServer | null = null;
  afterAll(() => server?.close());

  vectorStoreContract(async () => {
    if (REAL !== null) {
      const open = () => openStore(REAL, process.env.QDRANT_API_KEY, 'everstep-test');
      return { store: open(), other: open(), close: async () => {} };
    }
    server = await startQdrant({ apiKey: KEY });
    const { url } = server;
    return { store: openStore(url), other: openStore(url), close: async () => {} };
  });

  it("sends and receives nothing that Qdrant's description does not have, and names tenant and base each time", () => {
    expect(server?.faults ?? []).toEqual([]);
  });
});

// A real server cannot be made to fail on demand: these tests use the simulated server alone.
const ofServer = REAL === null ? describe : describe.skip;

ofServer('vectors in a Qdrant that fails', () => {
  let server: QdrantServer;
  const space = { tenantId: 't', baseId: 'b', generation: 1, dimension: 2 };
  const document = { id: 'd', revision: 1, chunkNumbers: [0, 1], vectors: Float32Array.of(1, 0, 0, 1) };
  const all = { limit: 10, documents: null };
  beforeAll(async () => {
    server = await startQdrant({ apiKey: KEY });
  });
  beforeEach(() => {
    server.forget();
    server.failNext(0, 0);
  });
  afterAll(() => server.close());

  it.each([0, 503])('asks again what was answered with %d', async (status) => {
    const store = openStore(server.url);
    server.failNext(1, status);
    await store.put(space, [document]);
    server.failNext(1, status);
    expect(await store.search(space, Float32Array.of(1, 0), all)).toMatchObject([{ n: 0 }, { n: 1 }]);
  });

  it('says that it is away when it stays away, without its address', async () => {
    const store = openStore(server.url);
    await store.put(space, [document]);
    server.failNext(9, 0);
    const search = store.search(space, Float32Array.of(1, 0), all);
    await expect(search).rejects.toMatchObject({ type: 'unavailable', message: 'Qdrant cannot be reached' });
    expect(await store.ready()).toBe(false);
  });

  it('says that the key is refused', async () => {
    const store = openStore(server.url, 'another');
    const refusal = { type: 'unavailable', message: expect.stringContaining('QDRANT_API_KEY') };
    await expect(store.put(space, [document])).rejects.toMatchObject(refusal);
    expect(await store.ready()).toBe(false);
  });

  it('makes a collection again that was removed behind its back, and answers nothing meanwhile', async () => {
    const store = openStore(server.url);
    await store.put(space, [document]);
    server.forget();
    expect(await store.search(space, Float32Array.of(1, 0), all)).toEqual([]);
    await store.put(space, [document]);
    expect(await store.search(space, Float32Array.of(1, 0), all)).toHaveLength(2);
  });

  it('keeps apart what two installations keep in one server, and refuses a collection of another kind', async () => {
    await openStore(server.url, KEY, 'one').put(space, [document]);
    expect(await openStore(server.url, KEY, 'two:/x').search(space, Float32Array.of(1, 0), all)).toEqual([]);
    await openStore(server.url, KEY, 'two:/x').put(space, [document]);
    expect([...server.collections.keys()]).toEqual(['one_2', 'two~3a~2fx_2']);
    server.collections.set('one_3', new Collection(4, {}));
    const three = { ...document, chunkNumbers: [0], vectors: Float32Array.of(1, 0, 0) };
    await expect(openStore(server.url, KEY, 'one').put({ ...space, dimension: 3 }, [three])).rejects.toMatchObject({
      type: 'unavailable',
      message: expect.stringContaining('one_3'),
    });
  });

  it('stores where a chunk is, and nothing of its text', async () => {
    await openStore(server.url).put(space, [document]);
    const place = { tenant_id: 't', base_id: 'b', generation: 1, document_id: 'd', revision: 1 };
    expect(server.collections.get('everstep_2')?.payloads()).toEqual([
      { ...place, n: 0, first: true },
      { ...place, n: 1 },
    ]);
  });

  it('leaves the new revision whole when it stops between any two of its requests, and mends it at the next put', async () => {
    const next = { ...document, revision: 2, chunkNumbers: [0], vectors: Float32Array.of(0, 1) };
    for (let stopAt = 1; ; stopAt++) {
      server.forget();
      await openStore(server.url).put(space, [document]);
      let seen = 0;
      server.onRequest = () => {
        seen += 1;
        if (seen >= stopAt) server.failNext(1, 400);
      };
      const ended = await openStore(server.url)
        .put(space, [next])
        .then(
          () => true,
          () => false,
        );
      server.onRequest = () => {};
      server.failNext(0, 0);
      const found = await openStore(server.url).search(space, Float32Array.of(0, 1), all);
      expect(found.length).toBeGreaterThan(0);
      await openStore(server.url).put(space, [next]);
      expect(await openStore(server.url).search(space, Float32Array.of(0, 1), all)).toMatchObject([
        { revision: 2, n: 0 },
      ]);
      if (ended) return;
    }
  });

  it('never went against the description, which is held against what is sent', async () => {
    expect(server.faults).toEqual([]);
    if (qdrantInterface() === null) return;
    const filter = { must: [{ key: 'tenant_id', match: { value: 't' } }], must_nott: [] };
    for (const body of [{ filter }, { filter: {}, limitt: 3 }]) {
      const answer = await fetch(`${server.url}/collections/x/points/scroll`, {
        method: 'POST',
        headers: { 'api-key': KEY, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(answer.status).toBe(400);
    }
    expect(server.faults).toHaveLength(2);
  });
});

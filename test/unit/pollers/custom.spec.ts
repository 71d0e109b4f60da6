import { ComputeError } from '../../../lib/compute';
import type { Json, JsonObject } from '../../../lib/json';
import { customPoller, readDefinition } from '../../../nodes/custom';
import { type SourceServer, startSourceServer } from '../../support/source-server';
import { Watch } from './world';

let source: SourceServer;
let watches: Watch[] = [];
beforeAll(async () => {
  source = await startSourceServer();
});
afterEach(async () => {
  await Promise.all(watches.map((watch) => watch.close()));
  watches = [];
});
afterAll(() => source?.close());

function watch(change: JsonObject = {}, config: JsonObject = {}): Watch {
  const found = readDefinition({
    name: 'events',
    kind: 'trigger',
    request: { url: `${source.url}/events`, query: { after: '{{ cursor }}' } },
    poll: { items: 'data', cursor: 'next' },
    ...change,
  });
  if (found.kind === 'faults') throw new Error(JSON.stringify(found.faults));
  const made = new Watch(customPoller({ ...found.definition, version: 1 }), config);
  watches.push(made);
  return made;
}

const events = (...ids: number[]): Json[] => ids.map((id) => ({ id }));
const cursors = (): unknown[] => source.asked.map(({ query }) => query.after).slice(-20);

/** Polls until what is there already has been read; how many polls that took. */
async function read(watching: Watch): Promise<number> {
  for (let polls = 1; polls <= 20; polls += 1) {
    const polled = await watching.poll();
    if (polled.kind === 'fault') throw new Error(polled.error.message);
    expect(polled.existing).toBe(true);
    if (!polled.more) return polls;
  }
  throw new Error('It is never read to its end');
}

describe('the first read of a source', () => {
  test('ends with the page whose cursor is null, which the next poll requests again', async () => {
    source.answer = ({ query }) => {
      const page = Number(query.after ?? 0);
      return { body: { data: events(page), next: page < 3 ? page + 1 : null } };
    };
    const watching = watch();
    expect(await read(watching)).toBe(4);
    expect((await watching.news()).map(({ id }) => id)).toEqual([]);
    expect(cursors().slice(-2)).toEqual(['3', '3']);
  });

  test('ends when a changing cursor returns the same items again', async () => {
    let clock = 0;
    source.answer = () => {
      clock += 1;
      return { body: { data: events(7), next: `t${clock}` } };
    };
    const watching = watch();
    expect(await read(watching)).toBe(2);
    // What is known already is no reason to ask again at once.
    expect(await watching.poll()).toMatchObject({ kind: 'items', more: false });
  });

  test('is repeated completely after a pause, though its items are known', async () => {
    source.answer = ({ query }) => {
      const page = Number(query.after ?? 0);
      return { body: { data: events(page), next: page < 3 ? page + 1 : null } };
    };
    const watching = watch();
    await read(watching);
    watching.cursor = null;
    expect(await read(watching)).toBe(4);
  });

  test('without an end is an error with a hint', async () => {
    let page = 1;
    source.answer = () => {
      page += 1;
      return { body: { data: events(page), next: page } };
    };
    const watching = watch();
    watching.cursor = { value: 1, reading: { pages: 1_000, last: 'x' } };
    expect(await watching.poll()).toMatchObject({ kind: 'fault', retryable: false, error: { code: 'too_many' } });
  });
});

test('a page over the size limit is an error if its cursor would skip items', async () => {
  source.answer = () => ({ body: { data: events(...Array.from({ length: 1_001 }, (_, n) => n)), next: 1 } });
  expect(await watch().poll()).toMatchObject({ kind: 'fault', error: { code: 'too_many' } });
  const plain = watch({ request: { url: `${source.url}/events` }, poll: { items: 'data' } });
  const polled = await plain.poll();
  expect(polled.kind === 'items' && polled.items.length).toBe(1_000);
});

test.each([[{}], [[1]], [true], ['x'.repeat(2_001)]])('the cursor %j is refused', async (next) => {
  source.answer = () => ({ body: { data: events(1), next } });
  expect(await watch().poll()).toMatchObject({ kind: 'fault', error: { code: 'unreadable' } });
});

test('the response itself may be the list, and outputs are read from each item', async () => {
  source.answer = () => ({ body: [{ id: 'a', status: 'open' }, 5] });
  const plain = watch({
    request: { url: `${source.url}/events` },
    poll: {},
    outputs: [
      { name: 'status', path: 'status' },
      { name: 'all', path: '$' },
    ],
  });
  const polled = await plain.poll();
  expect(polled.kind === 'items' && polled.items[0]).toEqual({
    id: 'a',
    trigger: { id: 'a', item: { id: 'a', status: 'open' }, status: 'open', all: { id: 'a', status: 'open' } },
  });
  expect(polled.kind === 'items' && polled.items[1]?.trigger).toMatchObject({ item: 5, status: null, all: 5 });
});

test('an invalid request is an error of its author', async () => {
  const fields = { config_fields: [{ name: 'place' }] };
  const plain = { poll: { items: 'data' } };
  const made = (request: JsonObject, config: JsonObject = {}) => watch({ ...fields, ...plain, request }, config).poll();
  const asked = source.asked.length;
  expect(await made({ url: '{{ config.place.x.y }}' })).toMatchObject({ kind: 'fault', retryable: false });
  expect(await made({ url: source.url, timeout: '0s' })).toMatchObject({ error: { code: 'invalid_config' } });
  expect(await made({ url: '{{ secret.GONE }}' })).toMatchObject({ error: { code: 'unknown_secret' } });
  expect(await made({ url: 'http://192.0.2.1/' })).toMatchObject({ error: { code: 'source_blocked' } });
  expect(source.asked).toHaveLength(asked);
});

test('a slow expression is evaluated on a thread, and fails at its timeout', async () => {
  const config = { text: 'lorem ipsum dolor '.repeat(50_000) };
  const request = { url: source.url, json: Array(50).fill('{{ title(config.text) | length }}') };
  const watching = watch({ request, config_fields: [{ name: 'text' }], poll: { items: 'data' } }, config);
  watching.compute = { run: () => Promise.reject(new ComputeError('timed_out', 'took more than 5 s')) };
  expect(await watching.poll()).toMatchObject({
    kind: 'fault',
    retryable: false,
    error: { code: 'expression', message: expect.stringContaining('5 s') },
  });
});

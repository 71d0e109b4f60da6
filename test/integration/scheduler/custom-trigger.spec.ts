import type { Json, JsonObject } from '../../../lib/json';
import { type SourceServer, startSourceServer } from '../../support/source-server';
import { until } from '../../support/until';
import { Site } from './site';

const MINUTE = 60_000;
const TYPE = 'custom-orders';

let site: Site;
let source: SourceServer;
/** What the source shows. */
let list: Json[];

async function open(opening: Promise<Site>): Promise<void> {
  list = [];
  source = await startSourceServer(() => ({ body: { data: list } }));
  site = await opening;
}
afterEach(async () => {
  await site?.close();
  await source?.close();
});

const definition = (change: JsonObject = {}): JsonObject => ({
  name: 'orders',
  label: 'Orders',
  kind: 'trigger',
  config_fields: [
    { name: 'shop', type: 'string', required: true },
    { name: 'status', type: 'string', default: 'open' },
    { name: 'key', type: 'secret' },
  ],
  request: {
    url: `${source.url}/{{ config.shop }}/orders`,
    query: { status: '{{ config.status }}' },
    headers: { authorization: 'Bearer {{ secret.SHOP_KEY }}', 'x-key': '{{ config.key }}' },
  },
  outputs: [
    { name: 'customer', path: 'customer.name' },
    { name: 'note', path: 'note' },
  ],
  poll: { items: 'data', id: 'number' },
  ...change,
});

async function created(change: JsonObject = {}): Promise<void> {
  await site.hub.call('secrets.put', { name: 'SHOP_KEY', value: 'shop-s3cr3t' }, site.ann);
  await site.hub.call('workflows.create_custom_node', { definition: definition(change) }, site.ann);
}

const CONFIG = { shop: 'north', every: '1m' };

/** A workflow that is started by the custom node, whose present is known. */
async function watched(config: JsonObject = CONFIG): Promise<string> {
  const id = await site.watching(TYPE, config);
  await site.pass(0);
  return id;
}

const order = (number: number): JsonObject => ({ number, customer: { name: `c${number}` } });
const orders = (...numbers: number[]): Json[] => numbers.map(order);
const numbersOf = (id: string): unknown[] => site.triggersOf(id).map(({ item }) => (item as JsonObject).number);

/** Deleting a custom node removes what is stored for its tests, too. */
const channels = () => ({ name: 'channels', actions: { purge: () => undefined } });

describe('a workflow that is started by a custom node', () => {
  beforeEach(() => open(Site.open({ more: [channels] })));

  test('polls with one request made of the fields, and starts a run for each new item', async () => {
    await created();
    list = orders(1);
    await site.hub.call('secrets.put', { name: 'MINE', value: 'mine-s3cr3t' }, site.ann);
    const id = await watched({ ...CONFIG, key: '{{ secret.MINE }}' });
    expect(source.asked).toHaveLength(1);
    expect(source.asked[0]).toMatchObject({ method: 'GET', path: '/north/orders', query: { status: 'open' } });
    expect(source.asked[0]?.headers).toMatchObject({ authorization: 'Bearer shop-s3cr3t', 'x-key': 'mine-s3cr3t' });
    expect(site.executor.runs.size).toBe(0);
    list = orders(3, 1, 2, 2);
    await site.pass(MINUTE);
    await site.pass(MINUTE);
    expect(site.triggersOf(id)).toEqual([
      { id: '3', item: order(3), customer: 'c3', note: null },
      { id: '2', item: order(2), customer: 'c2', note: null },
    ]);
    expect([...site.executor.runs.values()][0]?.params).toMatchObject({ trigger_type: TYPE });
    expect(await site.source(id)).toMatchObject({
      type: TYPE,
      every: '1m',
      paused: false,
      failures: 0,
      trouble: null,
      items_seen: 2,
    });
  });

  test('pauses with the workflow: items of that time start nothing', async () => {
    await created();
    const id = await watched();
    await site.hub.call('workflows.disable', { id }, site.ann);
    await site.quiet();
    const asked = source.asked.length;
    list = orders(1);
    await site.pass(5 * MINUTE);
    expect(source.asked).toHaveLength(asked);
    expect(await site.source(id)).toMatchObject({ paused: true, next_poll: null });
    await site.hub.call('workflows.enable', { id }, site.ann);
    await site.pass(0);
    list = orders(1, 2);
    await site.pass(MINUTE);
    expect(numbersOf(id)).toEqual([2]);
  });

  test('waits for approval where the tenant requires it: before, no secret goes to an address of a member', async () => {
    await created({ request: { url: '{{ config.shop }}', headers: { authorization: '{{ secret.SHOP_KEY }}' } } });
    site.auth.tenants.set('ann', { approval: true });
    const member = { ...site.ann, user_id: 'u2', role: 'member' as const };
    const dsl = {
      id: 'flow',
      trigger: { type: TYPE, config: { shop: source.url, every: '1m' } },
      steps: [{ id: 's', type: 'set', config: {} }],
    };
    const { id } = await site.hub.call('workflows.create', { name: 'Watching', dsl }, member);
    await site.pass(2 * MINUTE);
    expect(source.asked).toEqual([]);
    expect(await site.source(id)).toMatchObject({ paused: true });
  });

  test('follows the definition from the next poll on, and keeps what it knows', async () => {
    await created();
    list = orders(1);
    const id = await watched();
    source.answer = ({ path }) => (path === '/v2/north' ? { body: { rows: orders(1, 2) } } : { status: 404 });
    const change = { request: { url: `${source.url}/v2/{{ config.shop }}` }, poll: { items: 'rows', id: 'number' } };
    await site.hub.call('workflows.update_custom_node', { type: TYPE, definition: change }, site.ann);
    await site.pass(MINUTE);
    expect(numbersOf(id)).toEqual([2]);
    const fields = [{ name: 'region', type: 'string', required: true }];
    const request = { url: `${source.url}/v2/{{ config.region }}` };
    await site.hub.call(
      'workflows.update_custom_node',
      { type: TYPE, definition: { config_fields: fields, request } },
      site.ann,
    );
    const asked = source.asked.length;
    await site.pass(MINUTE);
    expect(source.asked).toHaveLength(asked);
    const { trouble: fault } = await site.source(id);
    expect(fault).toEqual({ code: 'invalid_config', message: expect.stringContaining('region') });
  });

  test('stops with an error when the custom node is deleted or becomes a tool, and goes on when it is back', async () => {
    await created();
    const id = await watched();
    await expect(site.hub.call('workflows.remove_custom_node', { type: TYPE }, site.ann)).rejects.toMatchObject({
      type: 'conflict',
    });
    await site.hub.call('workflows.remove_custom_node', { type: TYPE, force: true }, site.ann);
    const asked = source.asked.length;
    await site.pass(MINUTE);
    const gone = await site.source(id);
    expect(gone).toMatchObject({ failures: 1, trouble: { code: 'unknown_type' } });
    expect(gone.trouble?.message).toContain(TYPE);
    await created({ kind: 'tool', poll: null });
    await site.pass(15 * MINUTE);
    expect(await site.source(id)).toMatchObject({ failures: 2, trouble: { code: 'invalid_config' } });
    expect(source.asked).toHaveLength(asked);
    list = orders(1);
    const change = { kind: 'trigger', poll: { items: 'data', id: 'number' } };
    await site.hub.call('workflows.update_custom_node', { type: TYPE, definition: change }, site.ann);
    await site.pass(60 * MINUTE);
    expect(numbersOf(id)).toEqual([1]);
    expect(await site.source(id)).toMatchObject({ failures: 0, trouble: null });
  });

  test('may be saved before the custom node is there', async () => {
    const id = await watched();
    expect(await site.source(id)).toMatchObject({ failures: 1, trouble: { code: 'unknown_type' } });
    await created();
    list = orders(1);
    await site.pass(15 * MINUTE);
    list = orders(1, 2);
    await site.pass(MINUTE);
    expect(numbersOf(id)).toEqual([2]);
  });

  test('shows why an answer cannot be used, without secrets, and starts nothing', async () => {
    await created();
    const id = await watched();
    const faultAfter = async (answer: ReturnType<SourceServer['answer']>): Promise<unknown> => {
      source.answer = () => answer;
      await site.hub.call('workflows.disable', { id }, site.ann);
      await site.quiet();
      await site.hub.call('workflows.enable', { id }, site.ann);
      await site.pass(0);
      return (await site.source(id)).trouble;
    };
    expect(await faultAfter({ status: 503, body: 'shop-s3cr3t' })).toMatchObject({ code: 'http_503' });
    expect(await faultAfter({ body: '<html>' })).toEqual({ code: 'unreadable', message: 'the response is not JSON' });
    expect(await faultAfter({ body: { data: {} } })).toMatchObject({ code: 'unreadable' });
    expect(await faultAfter({ body: { data: [{ id: 1 }] } })).toMatchObject({
      message: expect.stringContaining('number'),
    });
    expect(await faultAfter({ body: { data: [{ number: 1, text: 'x'.repeat(6 * 1024 * 1024) }] } })).toMatchObject({
      code: 'source_too_large',
    });
    expect(await faultAfter({ body: `{"data":${'['.repeat(100_000)}` })).toMatchObject({ code: 'unreadable' });
    await site.hub.call('secrets.remove', { name: 'SHOP_KEY' }, site.ann);
    expect(await faultAfter({ body: { data: [] } })).toEqual({
      code: 'unknown_secret',
      message: expect.stringContaining('SHOP_KEY'),
    });
    expect(site.executor.runs.size).toBe(0);
  });

  test('follows a cursor: what is there already is read page by page, and then each new item starts once', async () => {
    const pageOf = (after: number) => {
      const page = list.filter((item) => Number((item as JsonObject).number) > after).slice(0, 2);
      const last = page.at(-1) as JsonObject | undefined;
      return { body: { data: page, next: last === undefined ? null : last.number } };
    };
    source.answer = ({ query }) => pageOf(Number(query.after ?? 0));
    await created({
      request: { url: `${source.url}/{{ config.shop }}`, query: { after: '{{ cursor }}' } },
      poll: { items: 'data', id: 'number', cursor: 'next' },
    });
    list = orders(1, 2, 3, 4, 5);
    const id = await watched();
    expect(source.asked.map(({ query }) => query.after)).toEqual([undefined, '2', '4', '5']);
    expect(site.executor.runs.size).toBe(0);
    list = orders(1, 2, 3, 4, 5, 6, 7, 8, 9);
    await site.pass(MINUTE);
    expect(numbersOf(id)).toEqual([6, 7, 8, 9]);
    expect(source.asked.at(-1)?.query.after).toBe('9');
    await site.pass(MINUTE);
    expect(numbersOf(id)).toEqual([6, 7, 8, 9]);
  });
});

describe('a scheduler that dies', () => {
  beforeEach(() => open(Site.openCluster()));

  test.each([
    ['insertMany', 'before'],
    ['insertMany', 'after'],
    ['bulkWrite', 'before'],
    ['bulkWrite', 'after'],
  ] as const)(
    'at its %s, %s it takes effect, starts no item of a custom node twice and loses none',
    async (write, when) => {
      await created();
      const id = await watched();
      list = orders(1, 2, 3);
      const { app } = site.schedulers[0] as (typeof site.schedulers)[number];
      const model = app.db.model(write === 'insertMany' ? 'schedule_slot' : 'schedule');
      const collection = model.collection as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
      const act = collection[write]?.bind(collection);
      let dead = false;
      collection[write] = async (...args) => {
        if (when === 'after') await act?.(...args);
        dead = true;
        throw new Error('the process is gone');
      };
      site.clock.advance(MINUTE);
      await until('it has died', () => {
        site.clock.advance(10);
        return dead;
      });
      await site.kill();
      await site.addScheduler();
      await site.pass(2 * MINUTE);
      await site.pass(MINUTE);
      expect(numbersOf(id)).toEqual([1, 2, 3]);
      const view = await until('the scheduler is known', () => site.source(id).catch(() => null));
      expect(view).toMatchObject({ items_seen: 3, failures: 0 });
    },
  );
});

import { AppError } from '../../../lib/errors';
import type { Json } from '../../../lib/json';
import { type SourceServer, startSourceServer } from '../../support/source-server';
import { until } from '../../support/until';
import { Site } from './site';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

let site: Site;
let source: SourceServer;
/** What the source shows. */
let list: Json[];
beforeEach(async () => {
  list = [];
  source = await startSourceServer(() => ({ body: { data: { rows: list } } }));
  site = await Site.open();
});
afterEach(async () => {
  await site?.close();
  await source?.close();
});

const poll = { items: 'data.rows', every: '1m' };
const watching = (more = {}): Promise<string> => site.watching('http_poll', { url: source.url, ...poll, ...more });
const rows = (...ids: (string | number)[]): Json[] => ids.map((id) => ({ id, text: `row ${id}` }));
const idsOf = (id: string): unknown[] => site.triggersOf(id).map((trigger) => trigger.id);

/** A workflow that watches the source, whose present is known. */
async function watched(more = {}): Promise<string> {
  const id = await watching(more);
  await site.pass(0);
  return id;
}

describe('a source', () => {
  test('is asked when the trigger is made, and what is there by then starts nothing', async () => {
    list = rows(1, 2, 3);
    const id = await watched();
    expect(source.asked).toHaveLength(1);
    await site.pass(MINUTE);
    expect(source.asked).toHaveLength(2);
    expect(site.executor.runs.size).toBe(0);
    expect(await site.source(id)).toMatchObject({
      type: 'http_poll',
      every: '1m',
      paused: false,
      failures: 0,
      trouble: null,
      items_seen: 0,
      recent_runs: [],
    });
  });

  test('starts one run for each new item, which sees the item', async () => {
    list = rows(1);
    const id = await watched();
    list = rows(3, 2, 1);
    await site.pass(MINUTE);
    expect(site.triggersOf(id)).toEqual([
      { id: '3', item: { id: 3, text: 'row 3' } },
      { id: '2', item: { id: 2, text: 'row 2' } },
    ]);
    expect([...site.executor.runs.values()][0]?.params).toMatchObject({ trigger_type: 'http_poll' });
    const { items_seen, recent_runs } = await site.source(id);
    expect(items_seen).toBe(2);
    expect(recent_runs.map(({ item, outcome, status }) => `${item} ${outcome} ${status}`).sort()).toEqual([
      '2 fired running',
      '3 fired running',
    ]);
  });

  test('of a suspended tenant is not asked, and what is new by then starts runs once it is reopened', async () => {
    const id = await watched();
    site.auth.tenants.set('ann', { suspended: true });
    list = rows(1);
    await site.pass(3 * MINUTE);
    expect(source.asked).toHaveLength(1);
    expect(await site.source(id)).toMatchObject({ failures: 0, trouble: null });
    site.auth.tenants.clear();
    await site.pass(MINUTE);
    expect(idsOf(id)).toEqual(['1']);
  });

  test('starts nothing twice, whether items come back, change places or are shown twice', async () => {
    const id = await watched();
    list = rows(1, 2, 2, 3);
    await site.pass(MINUTE);
    list = rows(3, 1);
    await site.pass(MINUTE);
    list = [];
    await site.pass(MINUTE);
    list = rows(2, 3, 1, 4);
    await site.pass(MINUTE);
    expect(idsOf(id)).toEqual(['1', '2', '3', '4']);
  });

  test('whose items have no id of their own knows them by what they are', async () => {
    const id = await watched();
    list = [{ name: 'a' }, 'b', { name: 'a' }];
    await site.pass(MINUTE);
    list = [{ name: 'a' }, 'b', { name: 'c' }];
    await site.pass(MINUTE);
    expect(site.triggersOf(id).map(({ item }) => item)).toEqual([{ name: 'a' }, 'b', { name: 'c' }]);
  });

  test('with more news than one poll starts is asked again at once', async () => {
    const id = await watched();
    list = rows(...Array.from({ length: 250 }, (_, n) => n));
    const { runs } = site.executor;
    const set = runs.set.bind(runs);
    // Each start takes its time.
    runs.set = (...entry) => {
      site.clock.advance(1);
      return set(...entry);
    };
    await site.pass(MINUTE);
    expect(idsOf(id)).toEqual(Array.from({ length: 250 }, (_, n) => String(n)));
    expect(source.asked).toHaveLength(4);
    const { items_seen, recent_runs } = await site.source(id);
    expect(items_seen).toBe(250);
    expect(recent_runs.map(({ item }) => item)).toEqual(Array.from({ length: 20 }, (_, n) => String(249 - n)));
  });

  test('is asked whether it has changed, and read only then', async () => {
    source.answer = ({ headers }) =>
      headers['if-none-match'] === '"v1"'
        ? { status: 304, body: '' }
        : { headers: { etag: '"v1"' }, body: { data: { rows: rows(1) } } };
    const id = await watched();
    await site.pass(MINUTE);
    expect(source.asked.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"v1"']);
    expect(await site.source(id)).toMatchObject({ failures: 0, items_seen: 0 });
    source.answer = () => ({ body: { data: { rows: rows(1, 2) } } });
    await site.pass(MINUTE);
    expect(idsOf(id)).toEqual(['2']);
  });

  test('gets what an unfinished poll has left, though it has not changed', async () => {
    const id = await watched();
    const many = rows(...Array.from({ length: 150 }, (_, n) => n));
    source.answer = ({ headers }) =>
      headers['if-none-match'] === '"v2"'
        ? { status: 304, body: '' }
        : { headers: { etag: '"v2"' }, body: { data: { rows: many } } };
    await site.pass(MINUTE);
    expect(idsOf(id)).toHaveLength(150);
  });
});

describe('secrets of a trigger', () => {
  test('are in place when the source is asked, and nowhere else', async () => {
    await site.hub.call('secrets.put', { name: 'KEY', value: 'sesame-9f' }, site.ann);
    await site.hub.call('secrets.put', { name: 'PLACE', value: 'hidden-place' }, site.ann);
    const id = await site.watching('http_poll', {
      ...poll,
      url: `${source.url}/{{ secret.PLACE }}`,
      headers: { 'X-Key': 'Bearer {{ secret.KEY }}' },
    });
    await site.pass(0);
    expect(source.asked[0]).toMatchObject({ path: '/hidden-place', headers: { 'x-key': 'Bearer sesame-9f' } });
    source.answer = () => ({ status: 500, body: 'sesame-9f hidden-place' });
    await site.pass(MINUTE);
    const stored = JSON.stringify(await site.db.collection('schedules').find().toArray());
    expect(stored).not.toMatch(/sesame|hidden-place/);
    expect(JSON.stringify(await site.source(id))).not.toMatch(/sesame|hidden-place/);
  });

  test('that do not exist are reported, and count as soon as they do', async () => {
    const id = await watching({ headers: { key: '{{ secret.KEY }}' } });
    await site.pass(0);
    expect(source.asked).toEqual([]);
    expect((await site.source(id)).trouble).toEqual({
      code: 'unknown_secret',
      message: 'the trigger uses secrets that do not exist: KEY',
    });
    await site.hub.call('secrets.put', { name: 'KEY', value: 'sesame-9f' }, site.ann);
    await site.pass(HOUR);
    expect(await site.source(id)).toMatchObject({ trouble: null, failures: 0 });
  });
});

describe('a source that fails', () => {
  test('is left alone for longer and longer, up to an hour, and says why', async () => {
    const id = await watched();
    source.answer = () => ({ status: 503, body: '' });
    const waits: number[] = [];
    for (let n = 0; n < 10; n += 1) {
      const { next_poll } = await site.source(id);
      await site.pass(Date.parse(next_poll ?? '') - site.clock.now());
      waits.push(Date.parse((await site.source(id)).next_poll ?? '') - site.clock.now());
    }
    const [first = 0] = waits;
    expect(first).toBeGreaterThan(40 * SECOND);
    expect(first).toBeLessThan(80 * SECOND);
    expect(waits.at(-1)).toBeGreaterThan(40 * MINUTE);
    expect(Math.max(...waits)).toBeLessThanOrEqual(HOUR);
    const { failures, trouble: fault, last_ok_at: lastOk } = await site.source(id);
    expect({ failures, trouble: fault }).toEqual({
      failures: 10,
      trouble: { code: 'http_503', message: 'the source answered 503' },
    });
    expect(Date.parse(lastOk ?? '')).toBeLessThan(site.clock.now());
    source.answer = () => ({ body: { data: { rows: rows(1) } } });
    await site.pass(HOUR);
    expect(await site.source(id)).toMatchObject({ failures: 0, trouble: null });
    expect(idsOf(id)).toEqual(['1']);
  });

  test('is left alone for as long as it asks', async () => {
    const id = await watched();
    source.answer = () => ({ status: 429, headers: { 'retry-after': '1200' }, body: '' });
    await site.pass(MINUTE);
    const { next_poll, trouble: fault } = await site.source(id);
    expect(fault?.code).toBe('http_429');
    expect(Date.parse(next_poll ?? '') - site.clock.now()).toBeGreaterThan(19 * MINUTE);
  });

  test.each([401, 403, 404])('with %i is polled seldom, until it is corrected', async (status) => {
    const id = await watched();
    source.answer = () => ({ status, body: '' });
    await site.pass(MINUTE);
    const { next_poll, trouble: fault } = await site.source(id);
    expect(fault?.code).toBe(`http_${status}`);
    expect(Date.parse(next_poll ?? '') - site.clock.now()).toBeGreaterThan(7 * MINUTE);
  });

  test.each<[string, Json]>([
    ['unreadable', 'no JSON at all'],
    ['unreadable', { data: {} }],
    ['source_too_large', { data: { rows: ['x'.repeat(6 * 1024 * 1024)] } }],
  ])('by an answer that cannot be read is reported as %s', async (code, body) => {
    const id = await watched();
    source.answer = () => ({ body });
    await site.pass(MINUTE);
    expect((await site.source(id)).trouble?.code).toBe(code);
  });

  test('at a blocked address is reported, and is never asked', async () => {
    const id = await site.watching('http_poll', { url: 'http://127.0.0.2/', every: '1m' });
    await site.pass(0);
    expect((await site.source(id)).trouble?.code).toBe('source_blocked');
  });

  test('by never answering keeps no time of the same tenant waiting', async () => {
    source.answer = () => ({ hang: true });
    for (let n = 0; n < 8; n += 1) await watching({ url: `${source.url}/${n}` });
    const timed = await site.workflow({ every: '30s' });
    site.clock.advance(30 * SECOND);
    await until('the schedule starts', () => {
      site.clock.advance(10);
      return site.slotsOf(timed).length === 1;
    });
    expect(source.asked).toHaveLength(5);
  });
});

describe('what cannot be started', () => {
  test('for now is delayed, and not lost', async () => {
    const id = await watched();
    list = rows(1, 2, 3);
    site.executor.startFaults.push(null, new AppError('timed_out', 'Too slow'));
    await site.pass(MINUTE);
    expect(idsOf(id)).toEqual(['1']);
    expect(await site.source(id)).toMatchObject({ failures: 1, trouble: { code: 'unavailable' } });
    await site.pass(2 * MINUTE);
    expect(idsOf(id)).toEqual(['1', '2', '3']);
    expect(await site.source(id)).toMatchObject({ failures: 0, trouble: null, items_seen: 3 });
  });

  test('since the month is used up waits for the next', async () => {
    const id = await watched();
    list = rows(1);
    for (let n = 0; n < 3; n += 1) site.executor.startFaults.push(new AppError('quota_exceeded', 'Enough'));
    await site.pass(MINUTE);
    expect((await site.source(id)).trouble).toEqual({ code: 'quota_exceeded', message: 'Enough' });
    for (let n = 0; n < 4; n += 1) await site.pass(HOUR);
    expect(idsOf(id)).toEqual(['1']);
  });

  test('since the item is not what the workflow takes is reported, and does not hold up the next', async () => {
    const id = await watched();
    list = rows(1, 2);
    site.executor.startFaults.push(new AppError('invalid_input', 'The input must have a name'));
    await site.pass(MINUTE);
    expect(idsOf(id)).toEqual(['2']);
    const { recent_runs, failures, items_seen } = await site.source(id);
    expect({ failures, items_seen }).toEqual({ failures: 0, items_seen: 2 });
    expect(recent_runs.find(({ item }) => item === '1')).toMatchObject({
      outcome: 'refused',
      execution_id: null,
      error: { code: 'invalid_input', message: 'The input must have a name' },
    });
  });
});

describe('a trigger', () => {
  test('that is paused asks nothing, and takes items of that time as known', async () => {
    const id = await watched();
    await site.hub.call('workflows.disable', { id }, site.ann);
    const asked = source.asked.length;
    expect(await site.source(id)).toMatchObject({ paused: true, next_poll: null });
    list = rows(1);
    await site.pass(HOUR);
    expect(source.asked).toHaveLength(asked);
    await site.hub.call('workflows.enable', { id }, site.ann);
    await site.pass(0);
    list = rows(1, 2);
    await site.pass(MINUTE);
    expect(idsOf(id)).toEqual(['2']);
  });

  const dslWith = (config: Record<string, string>, value = 1) => ({
    id: 'flow',
    trigger: { type: 'http_poll', config },
    steps: [{ id: 's', type: 'set', config: { value } }],
  });

  test('that is only asked more often loses nothing', async () => {
    const config = { url: source.url, ...poll, every: '1h' };
    const { id } = await site.hub.call('workflows.create', { name: 'W', dsl: dslWith(config) }, site.ann);
    await site.pass(0);
    list = rows(1);
    await site.hub.call('workflows.update', { id, dsl: dslWith({ ...config, every: '1m' }, 2) }, site.ann);
    await site.pass(0);
    expect(idsOf(id)).toEqual(['1']);
  });

  test('that is pointed at another source starts for its items, though they have the same ids', async () => {
    const config = { url: source.url, ...poll };
    const { id } = await site.hub.call('workflows.create', { name: 'W', dsl: dslWith(config) }, site.ann);
    await site.pass(0);
    list = rows(1);
    await site.pass(MINUTE);
    list = [];
    await site.hub.call('workflows.update', { id, dsl: dslWith({ ...config, url: `${source.url}/b` }) }, site.ann);
    await site.pass(0);
    list = rows(1);
    await site.pass(MINUTE);
    expect(idsOf(id)).toEqual(['1', '1']);
  });

  test('that is removed is forgotten with its history', async () => {
    const id = await watched();
    list = rows(1);
    await site.pass(MINUTE);
    await site.hub.call('workflows.remove', { id }, site.ann);
    expect(await site.db.collection('schedules').countDocuments()).toBe(0);
    expect(await site.db.collection('schedule_slots').countDocuments()).toBe(0);
  });
});

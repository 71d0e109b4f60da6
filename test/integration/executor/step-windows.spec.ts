import type { Json, JsonObject } from '../../../lib/json';
import { eventsIn, openSite, type Site, type User } from './site';

/** A run with a loop over 30 items of two steps, of which every tenth fails. */
const STEPS: Json[] = [
  { id: 'first', type: 'set', config: { text: 'x'.repeat(50) } },
  {
    id: 'each',
    type: 'foreach',
    config: { items: Array.from({ length: 30 }, (_, n) => n), concurrency: 3 },
    steps: [
      { id: 'double', type: 'set', config: { n: '{{ loop.item }}' } },
      {
        id: 'check',
        type: 'fail',
        if: '{{ loop.index % 10 == 9 }}',
        config: { message: 'Tenth' },
        on_error: 'continue',
      },
    ],
  },
  { id: 'last', type: 'set', config: { done: true } },
];

let site: Site;
let ann: User;
let id: string;
beforeAll(async () => {
  site = await openSite();
  ann = await site.user();
  id = (await ann.run(await ann.workflow(STEPS))).id;
});
afterAll(() => site?.close());

const get = async (path: string, status = 200): Promise<JsonObject> => {
  const reply = await ann.request('GET', `/api/v1/executions/${id}/${path}`);
  expect(reply).toMatchObject({ status });
  return reply.body;
};
const pathsOf = ({ steps, spans }: JsonObject): string[] =>
  ((steps ?? spans) as JsonObject[]).map(({ path }) => String(path));

describe('the detail of a run', () => {
  it('with collapsed loops has one row for a loop, with counts of its items and of steps by status', async () => {
    const body = await get('detail?loops=collapsed');
    expect(pathsOf(body)).toEqual(['first', 'each', 'last']);
    expect(body).toMatchObject({ total: 3, next_cursor: null });
    const [first, each] = body.steps as JsonObject[];
    expect(first).not.toHaveProperty('loop');
    expect(each?.loop).toEqual({ total: 30, begun: 30, ended: 30, steps: { completed: 30, failed: 3, skipped: 27 } });
  });

  it('lists the inside of a loop by parent, a window at a time by offset or by cursor', async () => {
    const [one, two] = [await get('detail?parent=each&limit=25'), await get('detail?parent=each&limit=25&offset=25')];
    expect(one).toMatchObject({ total: 60, limit: 25, offset: 0 });
    expect(pathsOf(one).slice(0, 3)).toEqual(['each/steps[0]/double', 'each/steps[0]/check', 'each/steps[1]/double']);
    const byCursor = await get(`detail?parent=each&limit=25&cursor=${String(one.next_cursor)}`);
    expect(byCursor).toMatchObject({ offset: 25, steps: two.steps });
    const rest = await get(`detail?parent=each&limit=25&cursor=${String(byCursor.next_cursor)}`);
    expect(rest).toMatchObject({ offset: 50, next_cursor: null });
    expect(pathsOf(rest).at(-1)).toBe('each/steps[29]/check');
  });

  it('finds the failed steps of a loop by status', async () => {
    const body = await get('detail?parent=each&status=failed');
    expect(pathsOf(body)).toEqual([9, 19, 29].map((n) => `each/steps[${n}]/check`));
    expect((body.steps as JsonObject[])[0]).toMatchObject({ status: 'failed', error: { message: 'Tenth' } });
    expect(await get('detail?parent=each/steps[9]&status=failed')).toMatchObject({ total: 1 });
  });

  it('without values has the same rows without configuration, input, output and data of the run', async () => {
    const [whole, bare] = [await get('detail'), await get('detail?values=false')];
    const without = { config: null, input: null, output: null };
    expect(bare.steps).toEqual((whole.steps as JsonObject[]).map((step) => ({ ...step, ...without })));
    expect(whole.steps).toContainEqual(expect.objectContaining({ path: 'each/steps[7]/double', output: { n: 7 } }));
    expect(bare.execution).toEqual({ ...(whole.execution as JsonObject), trigger: null, input: null, output: null });
  });

  it('refuses a parent without steps inside, and a cursor of another list', async () => {
    expect((await get('detail?parent=first/steps', 400)).error).toContain('first/steps');
    const { next_cursor: cursor } = await get('detail?parent=each&limit=1');
    expect((await get(`detail?cursor=${String(cursor)}&loops=collapsed`, 400)).error).toContain('cursor');
    await get('detail?loops=some', 400);
  });

  it('of a run of another tenant is not found', async () => {
    const bob = await site.user();
    for (const path of ['detail?parent=each', 'timeline?loops=collapsed'])
      expect((await bob.request('GET', `/api/v1/executions/${id}/${path}`)).status).toBe(404);
  });

  it('of a running run follows its journal', async () => {
    const wait = { id: 'wait', type: 'wait_for_signal', config: { signal: 'go', timeout: '1h' } };
    const workflow = await ann.workflow([{ ...(STEPS[1] as JsonObject) }, wait, STEPS[2] as Json]);
    const running = await ann.start(workflow);
    await ann.waiting(running);
    const of = async () =>
      (await ann.request('GET', `/api/v1/executions/${running}/detail?loops=collapsed&values=false`)).body
        .steps as JsonObject[];
    expect((await of()).map(({ status }) => status)).toEqual(['completed', 'waiting', 'pending']);
    await ann.request('POST', `/api/v1/executions/${running}/signal`, { signal: 'go', data: {} });
    await ann.ended(running);
    expect((await of()).map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
  });
});

describe('the timeline of a run', () => {
  it('without a window has all spans in the order of their start', async () => {
    const body = await get('timeline');
    expect(body).toMatchObject({ truncated: false, total: 36, next_cursor: null });
    const starts = (body.spans as JsonObject[]).map(({ started_at }) => String(started_at));
    expect(starts).toEqual([...starts].sort());
    expect(starts).toHaveLength(36);
  });

  it('with collapsed loops has the spans of these rows, and by parent those inside a loop', async () => {
    const body = await get('timeline?loops=collapsed');
    expect(pathsOf(body)).toEqual(['first', 'each', 'last']);
    expect((body.spans as JsonObject[])[1]).toMatchObject({ kind: 'run', loop: { total: 30, ended: 30 } });
    const inside = await get('timeline?parent=each&limit=10');
    expect(inside).toMatchObject({ total: 33, truncated: true });
    expect(pathsOf(inside)).toHaveLength(10);
    expect(pathsOf(await get(`timeline?parent=each&limit=30&cursor=${String(inside.next_cursor)}`))).toHaveLength(23);
  });
});

it('a stream from now leaves out the events so far', async () => {
  const wait = { id: 'wait', type: 'wait_for_signal', config: { signal: 'go', timeout: '1h' } };
  const running = await ann.start(await ann.workflow([STEPS[1] as Json, wait]));
  await ann.waiting(running);
  const stream = await fetch(`${site.url}/api/v1/executions/${running}/stream?from=now`, {
    headers: { authorization: `Bearer ${ann.token}` },
  });
  await ann.request('POST', `/api/v1/executions/${running}/signal`, { signal: 'go', data: {} });
  const steps = eventsIn(await stream.text()).map(({ event, data }) => [event, data.path, data.status]);
  expect(steps).toEqual([
    ['step', 'wait', 'completed'],
    ['end', undefined, 'completed'],
  ]);
  const all = await ann.events(running);
  expect(all.length).toBeGreaterThan(60);
});

describe('values that are cut', () => {
  const LARGE: Json[] = [
    { id: 'fetch', type: 'set', config: { text: 'x'.repeat(5_000), rows: Array(2_000).fill(7), status: 200 } },
    { id: 'small', type: 'set', config: { n: 1 } },
  ];
  let large: string;
  beforeAll(async () => {
    large = (await ann.run(await ann.workflow(LARGE))).id;
  });
  const read = async (path: string) => (await ann.request('GET', `/api/v1/executions/${large}${path}`)).body;

  it('have their shape and their beginnings, and are named', async () => {
    const { steps } = (await read('/detail?max_value_chars=1000')) as { steps: JsonObject[] };
    const [fetch, small] = steps as [JsonObject, JsonObject];
    expect(fetch.cut).toEqual(['config', 'input', 'output']);
    expect(fetch.output).toMatchObject({ status: 200, text: expect.stringMatching(/^x{100,1000}$/) });
    expect((fetch.output as { rows: Json[] }).rows.length).toBeLessThan(500);
    expect(small).toMatchObject({ cut: [], output: { n: 1 } });
  });

  it('are whole without the parameter', async () => {
    const { steps } = (await read('/detail')) as { steps: JsonObject[] };
    expect(steps[0]?.output).toMatchObject({ text: 'x'.repeat(5_000) });
    expect(steps[0]).not.toHaveProperty('cut');
    expect(await read('')).not.toHaveProperty('cut');
  });

  it('are those of the run, too', async () => {
    const id = (await ann.run(await ann.workflow(LARGE), { text: 'y'.repeat(5_000) })).id;
    const run = await ann.request('GET', `/api/v1/executions/${id}?max_value_chars=1000`);
    expect(run.body.cut).toEqual(expect.arrayContaining(['trigger']));
    expect(JSON.stringify(run.body.trigger).length).toBeLessThan(2_000);
  });

  it('are refused with a limit that is none', async () => {
    for (const value of ['0', 'x', '99', '1e12']) {
      const reply = await ann.request('GET', `/api/v1/executions/${large}/detail?max_value_chars=${value}`);
      expect(reply).toMatchObject({ status: 400, body: { details: [{ path: 'max_value_chars' }] } });
    }
  });
});

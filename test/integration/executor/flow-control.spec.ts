import type { Json, JsonObject } from '../../../lib/json';
import { until } from '../../support/until';
import { openSite, type Site, type User } from './site';

let site: Site;
let ann: User;
beforeAll(async () => {
  site = await openSite();
  ann = await site.user();
});
afterAll(() => site?.close());

const NOTE: Json = { id: 'note', type: 'set', config: { n: '{{ trigger.body.n ?? 0 }}' } };

const sent = async (workflow: string, body: JsonObject, path = '', headers: Record<string, string> = {}) => {
  const response = await fetch(`${site.url}/webhooks/${workflow}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as JsonObject };
};

const found = async (query: string): Promise<JsonObject[]> =>
  (await ann.request('GET', `/api/v1/executions/visibility?limit=200&query=${encodeURIComponent(query)}`)).body
    .data as JsonObject[];

const startsOf = async (workflow: string): Promise<number[]> => {
  const rows = await site.t.app.db
    .collection<{ _id: string; starts: { at: Date }[] }>('start_windows')
    .find({ starts: { $exists: true } })
    .toArray();
  const ids = new Set((await found(`WorkflowType = "${workflow}"`)).map(({ id }) => id));
  const own = rows.filter(({ starts }) => (starts as unknown as { id: string }[]).some(({ id }) => ids.has(id)));
  return own.flatMap(({ starts }) => starts.map(({ at }) => at.getTime())).sort((a, b) => a - b);
};

describe('throttle', () => {
  it('stores starts over the limit, which run when their turns come; none is lost', async () => {
    const workflow = await ann.workflow([NOTE], { throttle: { limit: 2, period: '2s' } });
    const ids = await Promise.all(
      Array.from({ length: 7 }, async (_, n) => String((await sent(workflow, { n })).body.execution_id)),
    );
    const waiting = await until('some wait for their turns', async () => {
      const rows = await found(`WorkflowType = "${workflow}" AND WaitingFor = "throttle"`);
      return rows.length > 0 ? rows : null;
    });
    expect(waiting[0]?.waiting).toEqual([
      { step_id: null, kind: 'throttle', name: null, since: expect.any(String), until: expect.any(String) },
    ]);
    const runs = await Promise.all(ids.map((id) => ann.ended(id)));
    expect(runs.map(({ status }) => status)).toEqual(ids.map(() => 'completed'));
    expect(new Set(runs.map(({ output }) => (output as JsonObject).n))).toEqual(new Set([0, 1, 2, 3, 4, 5, 6]));
    const ends = runs.map(({ ended_at: at }) => Date.parse(at as string)).sort((a, b) => a - b);
    expect((ends.at(-1) as number) - (ends[0] as number)).toBeGreaterThanOrEqual(5_500);
    const starts = await startsOf(workflow);
    for (const [index, at] of starts.entries())
      if (index >= 2) expect(at - (starts[index - 2] as number)).toBeGreaterThanOrEqual(2_000);
  }, 60_000);

  it('counts each key for itself, and no run whose key has no value', async () => {
    const throttle = { limit: 1, period: '1h', key: '{{ trigger.body.customer }}' };
    const workflow = await ann.workflow([NOTE], { throttle });
    const status = async (body: JsonObject) => (await sent(workflow, body, '/sync')).status;
    expect(await status({ customer: 'a' })).toBe(200);
    expect(await status({ customer: 'b' })).toBe(200);
    expect(await status({})).toBe(200);
    expect(await status({})).toBe(200);
    const { body } = await sent(workflow, { customer: 'a' });
    const run = await ann.waiting(String(body.execution_id));
    expect(run.waiting).toMatchObject([{ kind: 'throttle', name: 'a' }]);
    const { status: answer } = await ann.request('POST', `/api/v1/executions/${run.id}/cancel`);
    expect(answer).toBe(202);
    expect((await ann.ended(run.id)).status).toBe('cancelled');
  }, 60_000);

  it('starts waiting runs by priority', async () => {
    const workflow = await ann.workflow([NOTE], {
      throttle: { limit: 1, period: '1s' },
      priority: '{{ trigger.body.p }}',
    });
    const ids: string[] = [];
    for (const p of [3, 1, 3, 5]) ids.push(String((await sent(workflow, { n: p, p })).body.execution_id));
    const runs = await Promise.all(ids.map((id) => ann.ended(id)));
    const inOrder = runs.toSorted((a, b) => Date.parse(a.ended_at as string) - Date.parse(b.ended_at as string));
    expect(inOrder.map(({ output }) => (output as JsonObject).n)).toEqual([3, 5, 3, 1]);
  }, 60_000);
});

describe('rate_limit', () => {
  it('refuses starts over the limit with 429 and the seconds to wait', async () => {
    const workflow = await ann.workflow([NOTE], { rate_limit: { limit: 2, period: '1h' } });
    expect((await sent(workflow, {})).status).toBe(202);
    expect((await sent(workflow, {}, '/sync')).status).toBe(200);
    for (const path of ['', '/sync']) {
      const { status, headers, body } = await sent(workflow, {}, path);
      expect([status, body.code]).toEqual([429, 'start_limited']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(3_500);
    }
    const manual = await ann.request('POST', `/api/v1/workflows/${workflow}/trigger`, {});
    expect([manual.status, manual.body.error]).toEqual([429, 'This workflow starts at most 2 times in 3600 s']);
    expect(await found(`WorkflowType = "${workflow}"`)).toHaveLength(2);
  });

  it('answers the repeat of a start with its run, and does not count it', async () => {
    const workflow = await ann.workflow([NOTE], { rate_limit: { limit: 1, period: '1h' } });
    const key = { 'idempotency-key': 'k-1' };
    const first = await sent(workflow, { n: 1 }, '', key);
    const again = await sent(workflow, { n: 1 }, '', key);
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(again.body.execution_id).toBe(first.body.execution_id);
    expect((await sent(workflow, { n: 1 }, '', { 'idempotency-key': 'k-2' })).status).toBe(429);
  });

  it('fails a step that starts the workflow, and says why', async () => {
    const child = await ann.workflow([NOTE], { rate_limit: { limit: 1, period: '1h' } });
    const call: Json = { id: 'call', type: 'sub_workflow', config: { workflow: child, input: {} } };
    const parent = await ann.workflow([call]);
    expect((await ann.run(parent)).status).toBe('completed');
    expect((await ann.run(parent)).error).toMatchObject({ code: 'start_limited', step_id: 'call' });
  });

  it('of many starts at once, accepts as many as it may', async () => {
    const workflow = await ann.workflow([NOTE], { rate_limit: { limit: 3, period: '1h' } });
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => sent(workflow, { n })));
    const statuses = answers.map(({ status }) => status).sort((a, b) => a - b);
    expect(statuses).toEqual([202, 202, 202, ...Array.from({ length: 9 }, () => 429)]);
  });
});

describe('limits that workflows share by name', () => {
  const PAUSE: Json = { id: 'pause', type: 'wait', config: { for: '1h' } };

  it('let runs of all of them go on while fewer than the limit of the next one do', async () => {
    const wide = await ann.workflow([PAUSE], { concurrency: { name: 'desk', limit: 3 } });
    const narrow = await ann.workflow([PAUSE], { concurrency: { name: 'desk', limit: 2 } });
    const other = await ann.workflow([PAUSE], { concurrency: { name: 'other', limit: 1 } });
    const start = async (workflow: string) => String((await sent(workflow, {})).body.execution_id);
    const begun = (id: string) =>
      until(`${id} goes on`, async () => ((await ann.get(id)).waiting[0]?.kind === 'timer' ? true : null));
    const waits = async (id: string) =>
      expect((await ann.waiting(id)).waiting).toMatchObject([{ kind: 'slot', name: 'desk' }]);
    const [first, second] = [await start(wide), await start(narrow)];
    await begun(first);
    await begun(second);
    const [third, fourth] = [await start(narrow), await start(wide)];
    await waits(third);
    // It would have a permit, and does not overtake.
    await waits(fourth);
    await begun(await start(other));
    const { data } = (await ann.request('GET', `/api/v1/queues?workflow_id=${narrow}`)).body as { data: JsonObject[] };
    expect(data).toMatchObject([{ kind: 'concurrency', name: 'desk', key: null, limit: 2, used: 2, waiting: 1 }]);
    for (const id of [first, second]) await ann.request('POST', `/api/v1/executions/${id}/cancel`);
    await begun(third);
    await begun(fourth);
  }, 60_000);

  it('count the starts of all of them, each against its own rate', async () => {
    const paced = await ann.workflow([NOTE], { throttle: { name: 'quota', limit: 2, period: '1h' } });
    const eager = await ann.workflow([NOTE], { throttle: { name: 'quota', limit: 3, period: '1h' } });
    const status = async (workflow: string) => (await sent(workflow, {}, '/sync')).status;
    expect([await status(eager), await status(paced), await status(eager)]).toEqual([200, 200, 200]);
    const { body } = await sent(paced, {});
    expect((await ann.waiting(String(body.execution_id))).waiting).toMatchObject([{ kind: 'throttle', name: 'quota' }]);
    const { data } = (await ann.request('GET', `/api/v1/queues?workflow_id=${paced}`)).body as { data: JsonObject[] };
    expect(data).toMatchObject([{ kind: 'throttle', name: 'quota', key: null, limit: 2, used: 3, waiting: 1 }]);
  }, 60_000);

  it('refuse starts of all of them over a rate limit, and belong to one tenant', async () => {
    const rate = { rate_limit: { name: 'api', limit: 1, period: '1h' } };
    const [one, two] = [await ann.workflow([NOTE], rate), await ann.workflow([NOTE], rate)];
    const foreign = await (await site.user()).workflow([NOTE], rate);
    expect((await sent(one, {})).status).toBe(202);
    expect((await sent(two, {})).status).toBe(429);
    expect((await sent(foreign, {})).status).toBe(202);
  }, 60_000);
});

describe('queues', () => {
  const queuesOf = async (user: User, query = '') => (await user.request('GET', `/api/v1/queues${query}`)).body;

  it('are listed with their limits and those that wait, to their own tenant', async () => {
    const throttle = { limit: 1, period: '1h', key: '{{ trigger.body.customer }}' };
    const pause: Json = { id: 'pause', type: 'wait', config: { for: '1h' } };
    const paced = await ann.workflow([NOTE], { throttle });
    const single = await ann.workflow([pause], { concurrency: { key: 'all' } });
    for (const customer of ['a', 'a', 'a', 'b', 'b']) await sent(paced, { customer });
    for (let n = 0; n < 2; n++) await sent(single, {});
    const rows = await until('a run waits for a permit', async () => {
      const { data } = (await queuesOf(ann, `?workflow_id=${single}`)) as { data: JsonObject[] };
      return data[0]?.waiting === 1 ? data : null;
    });
    expect(rows).toEqual([
      expect.objectContaining({
        kind: 'concurrency',
        key: 'all',
        limit: 1,
        period_ms: null,
        used: 1,
        next_start: null,
      }),
    ]);
    const throttled = await queuesOf(ann, `?workflow_id=${paced}&kind=throttle`);
    expect(throttled).toMatchObject({ truncated: false, limit: 50, offset: 0 });
    expect(throttled.data).toMatchObject([
      { kind: 'throttle', key: 'a', limit: 1, period_ms: 3_600_000, used: 1, waiting: 2, oldest: expect.any(String) },
      { key: 'b', used: 1, waiting: 1 },
    ]);
    const [{ next_start: next }] = throttled.data as [{ next_start: string }];
    expect(Date.parse(next)).toBeGreaterThan(Date.now() + 3_500_000);
    expect((await queuesOf(ann, `?workflow_id=${paced}&kind=concurrency`)).data).toEqual([]);
    expect((await queuesOf(ann, `?workflow_id=${paced}&limit=1&offset=1`)).data).toMatchObject([{ key: 'b' }]);
    expect((await queuesOf(await site.user())).data).toEqual([]);
  }, 60_000);
});

it('a trial counts for no limit of its workflow', async () => {
  const dsl = { id: 'flow', trigger: { type: 'manual' }, steps: [NOTE], rate_limit: { limit: 1, period: '1h' } };
  const tried = async () => (await ann.request('POST', '/api/v1/workflows/try?wait=1', { dsl })).body;
  expect((await tried()).status).toBe('completed');
  expect((await tried()).status).toBe('completed');
});

it('a priority that is none counts as the default, with a warning', async () => {
  const workflow = await ann.workflow([NOTE], { priority: '{{ trigger.body.p }}' });
  const { body } = await sent(workflow, { p: 'urgent' });
  expect((await ann.ended(String(body.execution_id))).warnings).toEqual([
    { path: 'priority', message: 'The priority counts as 3: it must be a whole number from 1 to 5' },
  ]);
});

import type { Json, JsonObject } from '../../../lib/json';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../support/until';
import { openSite, send, type Site, type User } from './site';

let site: Site;
let ann: User;
let bob: User;
/** A server outside that counts who asks for which number, and answers 500 for those that are to fail. */
const outside = { asked: [] as number[], failing: new Set<number>() };
let server: Server;
let address: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const n = Number(request.url?.slice(1));
    outside.asked.push(n);
    response.writeHead(outside.failing.has(n) ? 400 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ n }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  site = await openSite({ env: { EGRESS_ALLOW: '127.0.0.1' } });
  [ann, bob] = [await site.user(), await site.user()];
});
afterAll(async () => {
  await site?.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  outside.asked = [];
  outside.failing.clear();
});

const set = (id: string, config: JsonObject): Json => ({ id, type: 'set', config });
const each = (steps: Json[], items: Json = '{{ trigger.items }}', concurrency = 1): Json => ({
  id: 'each',
  type: 'foreach',
  config: { items, concurrency },
  steps,
});
const approval: Json = { id: 'ask', type: 'approval', config: { message: 'Ship {{ loop.item }}?' } };

describe('approvals in a foreach', () => {
  const open = async (items: string[]): Promise<string> => {
    const id = await ann.workflow([each([approval, set('answer', { v: '{{ steps.ask.approved }}' })], undefined, 10)]);
    const run = await ann.start(id, { items });
    await until('all wait', async () => (await ann.get(run)).waiting.length === items.length);
    return run;
  };

  it('are listed with a link for each item, and each link decides its own', async () => {
    const run = await open(['a', 'b', 'c']);
    const { body } = await ann.request('GET', '/api/v1/approvals');
    const rows = (body.data as JsonObject[]).filter((row) => row.execution_id === run);
    expect(rows.map(({ step_id, address: called, message }) => [step_id, called, message])).toEqual([
      ['ask', 'ask.0', 'Ship a?'],
      ['ask', 'ask.1', 'Ship b?'],
      ['ask', 'ask.2', 'Ship c?'],
    ]);
    const follow = (url: Json | undefined) =>
      send(site.t, 'GET', new URL(String(url)).pathname + new URL(String(url)).search);
    expect((await follow(rows[1]?.reject_url)).body).toMatchObject({ step_id: 'ask.1', approved: false });
    expect((await follow(rows[1]?.approve_url)).status).toBe(409);
    expect((await follow(rows[0]?.approve_url)).body).toMatchObject({ step_id: 'ask.0', approved: true });
    const last = { signal: 'approve-ask.2', data: { approved: true } };
    expect((await ann.request('POST', `/api/v1/executions/${run}/signal`, last)).status).toBe(202);
    expect((await ann.ended(run)).output).toEqual({ results: [{ v: true }, { v: false }, { v: true }], count: 3 });
  });

  it('are each named in what a run waits for', async () => {
    const run = await open(['a', 'b']);
    expect((await ann.get(run)).waiting).toMatchObject([
      { step_id: 'ask', kind: 'approval', name: 'approve-ask.0' },
      { step_id: 'ask', kind: 'approval', name: 'approve-ask.1' },
    ]);
    await ann.request('POST', `/api/v1/executions/${run}/cancel`);
  });

  it('are decided by the bare id where one alone waits; else the choices are named', async () => {
    const run = await open(['a', 'b']);
    const decide = (who: User, signal: string) =>
      who.request('POST', `/api/v1/executions/${run}/signal`, { signal, data: { approved: true } });
    const link = () => send(site.t, 'GET', `/api/v1/executions/${run}/approve/ask?decision=reject`);
    const ambiguous = { status: 409, body: { code: 'conflict', choices: ['ask.0', 'ask.1'] } };
    expect(await decide(ann, 'approve-ask')).toMatchObject(ambiguous);
    expect(await link()).toMatchObject(ambiguous);
    expect((await decide(ann, 'approve-ask.0.0')).status).toBe(404);
    expect((await decide(bob, 'approve-ask.0')).status).toBe(404);
    expect((await decide(ann, 'approve-ask.0')).status).toBe(202);
    await until('one waits', async () => (await ann.get(run)).waiting.length === 1);
    expect(await link()).toMatchObject({ status: 200, body: { step_id: 'ask.1', approved: false } });
    expect((await ann.ended(run)).output).toEqual({ results: [{ v: true }, { v: false }], count: 2 });
  });

  it('can be rated one by one, by the bare id where there is one', async () => {
    const rate = (run: string, step: string, rating: string) =>
      ann.request('POST', `/api/v1/executions/${run}/steps/${step}/feedback`, { rating });
    const run = await open(['a', 'b']);
    expect((await rate(run, 'ask.1', 'good')).status).toBe(200);
    expect(await rate(run, 'ask', 'good')).toMatchObject({ status: 409, body: { choices: ['ask.0', 'ask.1'] } });
    expect((await rate(run, 'none', 'good')).status).toBe(404);
    const rated = (await ann.steps(run, '?step_id=ask')).map(({ feedback }) => feedback);
    expect(rated).toEqual([null, { rating: 'good', comment: null }]);
    await ann.request('POST', `/api/v1/executions/${run}/cancel`);
    const alone = await open(['a']);
    expect(await rate(alone, 'ask', 'up')).toMatchObject({ status: 200, body: { step_id: 'ask.0' } });
    expect((await ann.steps(alone, '?step_id=ask'))[0]?.feedback).toEqual({ rating: 'up', comment: null });
    expect(await rate(alone, 'answer', 'up')).toMatchObject({ status: 409, body: { choices: [] } });
    await ann.request('POST', `/api/v1/executions/${alone}/cancel`);
  });

  it('have links that steps before them can send', async () => {
    const links = set('mail', { url: '{{ approval_link("ask", "approve") }}' });
    const run = await ann.start(await ann.workflow([each([links, approval])]), { items: ['a'] });
    await ann.waiting(run);
    const outputs = (await ann.steps(run, '?step_id=mail')).map(({ output }) => output as JsonObject);
    const url = new URL(String(outputs[0]?.url));
    expect((await send(site.t, 'GET', url.pathname + url.search)).body).toMatchObject({ approved: true });
    expect((await ann.ended(run)).status).toBe('completed');
  });
});

describe('the stream of a run with loops', () => {
  it('has an event for each record, which says in which item it is', async () => {
    const run = await ann.run(await ann.workflow([each([set('double', { v: '{{ loop.item * 2 }}' })], [3, 4])]));
    const events = await ann.events(run.id);
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
    const rows = events.map(({ event, data }) => [event, data.path ?? null, data.iteration ?? null, data.status]);
    expect(rows).toEqual([
      ['step', 'each', null, 'running'],
      ['step', 'each/steps[0]/double', 0, 'completed'],
      ['step', 'each', null, 'running'],
      ['step', 'each/steps[1]/double', 1, 'completed'],
      ['step', 'each', null, 'running'],
      ['step', 'each', null, 'completed'],
      ['end', null, null, 'completed'],
    ]);
    expect(events.filter(({ data }) => data.item !== undefined).map(({ data }) => data.item)).toEqual([0, 1]);
  });
});

describe('a retry of a failed foreach', () => {
  const fetchEach = each([{ id: 'fetch', type: 'http_request', config: { url: '{{ trigger.url }}/{{ loop.item }}' } }]);

  it('asks for no item again that was done', async () => {
    const id = await ann.workflow([fetchEach]);
    outside.failing.add(3);
    const first = await ann.run(id, { url: address, items: [1, 2, 3, 4] });
    expect(first).toMatchObject({ status: 'failed', error: { step_id: 'fetch' } });
    expect(outside.asked).toEqual([1, 2, 3]);
    outside.failing.clear();
    const retried = await ann.request('POST', `/api/v1/executions/${first.id}/retry`, {});
    expect(retried.status).toBe(202);
    const second = await ann.ended(String(retried.body.id));
    expect(second.status).toBe('completed');
    expect(outside.asked).toEqual([1, 2, 3, 3, 4]);
    const { results } = second.output as { results: { body: JsonObject }[] };
    expect(results.map(({ body }) => body.n)).toEqual([1, 2, 3, 4]);
    expect(second.retry_of).toBe(first.id);
  });

  it('from a step inside of it does the whole loop again', async () => {
    const id = await ann.workflow([set('before', { v: 1 }), fetchEach]);
    const first = await ann.run(id, { url: address, items: [1, 2] });
    const from = await ann.request('POST', `/api/v1/executions/${first.id}/retry`, { from_step: 'fetch' });
    expect(from.status).toBe(202);
    expect((await ann.ended(String(from.body.id))).status).toBe('completed');
    expect(outside.asked).toEqual([1, 2, 1, 2]);
    const wrong = await ann.request('POST', `/api/v1/executions/${first.id}/retry`, { from_step: 'no-such-step' });
    expect([wrong.status, wrong.body.code]).toEqual([400, 'invalid_request']);
  });
});

describe('the detail of a run of 10,000 items', () => {
  let run: string;
  beforeAll(async () => {
    const id = await ann.workflow([each([set('double', { v: '{{ loop.item * 2 }}' })], '{{ range(0, 10000) }}', 100)]);
    run = await ann.start(id);
    await until('10,000 items are done', async () => (await ann.get(run)).status !== 'running', 120_000);
    expect((await ann.get(run)).error).toBeNull();
  }, 150_000);

  it('is given page by page, in order, and soon', async () => {
    const page = async (query: string) => {
      const began = performance.now();
      const { status, body } = await ann.request('GET', `/api/v1/executions/${run}/detail${query}`);
      expect(status).toBe(200);
      return { body, ms: performance.now() - began };
    };
    const first = await page('');
    expect([first.body.total, first.body.limit, first.body.offset]).toEqual([10_001, 1_000, 0]);
    expect(first.body.steps).toHaveLength(1_000);
    const last = await page('?limit=10&offset=9995');
    expect((last.body.steps as JsonObject[]).map(({ iteration }) => iteration)).toEqual([
      9994, 9995, 9996, 9997, 9998, 9999,
    ]);
    // Wide of what it takes, so that a busy machine does not fail it; a walk that squares takes minutes.
    for (const { ms } of [first, last]) expect(ms).toBeLessThan(5_000);
  });

  it('is filtered by step and by path', async () => {
    const total = async (query: string) =>
      (await ann.request('GET', `/api/v1/executions/${run}/detail${query}`)).body.total;
    expect(await total('?step_id=double')).toBe(10_000);
    expect(await total('?step_id=double.17')).toBe(1);
    expect(await total(`?path=${encodeURIComponent('each/steps[17]')}`)).toBe(1);
    expect(await total('?step_id=each')).toBe(1);
  });

  it.each(['limit=0', 'limit=1001', 'limit=x', 'offset=-1', 'path='])('refuses %s', async (query) => {
    expect((await ann.request('GET', `/api/v1/executions/${run}/detail?${query}`)).status).toBe(400);
  });
});

import type { JsonObject } from '../../../lib/json';
import { openSite, type Site, type User } from './site';

let site: Site;
let ann: User;
beforeAll(async () => {
  site = await openSite();
  ann = await site.user();
});
afterAll(() => site?.close());

const code = (id: string, source: string): JsonObject => ({ id, type: 'code', config: { source } });
const logsOf = async (id: string, query = ''): Promise<JsonObject> => {
  const { status, body } = await ann.request('GET', `/api/v1/executions/${id}/logs${query}`);
  expect(status).toBe(200);
  return body;
};
const messagesIn = (body: JsonObject): unknown[] => (body.data as JsonObject[]).map(({ message }) => message);

describe('log lines of a run', () => {
  it('are kept by step and attempt, and read by position, step, path and attempt', async () => {
    const each = {
      id: 'each',
      type: 'foreach',
      config: { items: [0, 1, 2] },
      steps: [code('say', 'console.log("item", 7); console.warn("careful"); return {};')],
    };
    const failing = code('bad', 'console.error("no"); throw new Error("x");');
    const { id, status } = await ann.run(await ann.workflow([each, failing]));
    expect(status).toBe('failed');
    const all = await logsOf(id);
    expect(all).toMatchObject({ next_after: 7, more: false });
    expect((all.data as JsonObject[])[0]).toEqual({
      position: 1,
      step_id: 'say',
      path: 'each/steps[0]/say',
      iteration: 0,
      attempt: 1,
      at: expect.any(String),
      level: 'info',
      message: 'item 7',
    });
    expect((all.data as JsonObject[]).map(({ level }) => level)).toEqual([
      ...Array.from({ length: 3 }, () => ['info', 'warn']).flat(),
      'error',
    ]);
    expect(messagesIn(await logsOf(id, '?step_id=say.1'))).toEqual(['item 7', 'careful']);
    expect(messagesIn(await logsOf(id, '?path=each/steps[2]/say&limit=1'))).toEqual(['item 7']);
    expect(messagesIn(await logsOf(id, '?step_id=bad&attempt=1'))).toEqual(['no']);
    expect(messagesIn(await logsOf(id, '?step_id=bad&attempt=2'))).toEqual([]);
    const page = await logsOf(id, '?limit=3');
    expect(page).toMatchObject({ next_after: 3, more: true });
    expect(messagesIn(await logsOf(id, `?after=${String(page.next_after)}`))).toHaveLength(4);
  });

  it('do not contain a secret of the run', async () => {
    await ann.request('POST', '/api/v1/secrets', { name: 'TOKEN', value: 'very-secret-value' });
    const step = {
      id: 'say',
      type: 'code',
      config: {
        source: 'console.log("the token is " + input.token); return {};',
        input: { token: '{{ secret.TOKEN }}' },
      },
    };
    const { id, status } = await ann.run(await ann.workflow([step]));
    expect(status).toBe('completed');
    const text = JSON.stringify(await logsOf(id));
    expect(text).toContain('the token is');
    expect(text).not.toContain('very-secret-value');
  });

  it('are not shown to another tenant', async () => {
    const { id } = await ann.run(await ann.workflow([code('say', 'console.log("mine"); return {};')]));
    const bob = await site.user();
    expect((await bob.request('GET', `/api/v1/executions/${id}/logs`)).status).toBe(404);
  });

  it('come in the stream of the run before the result of their step', async () => {
    const wait = { id: 'wait', type: 'wait_for_signal', config: { signal: 'go' } };
    const id = await ann.start(await ann.workflow([wait, code('say', 'console.log("late"); return {};')]));
    await ann.waiting(id);
    const stream = await fetch(`${site.url}/api/v1/executions/${id}/stream?logs=1&from=now`, {
      headers: { authorization: `Bearer ${ann.token}` },
    });
    await ann.request('POST', `/api/v1/executions/${id}/signal`, { signal: 'go', data: {} });
    const text = await stream.text();
    const line = text.indexOf('event: log\ndata: {"position":1,"step_id":"say"');
    expect(line).toBeGreaterThan(-1);
    expect(line).toBeLessThan(text.indexOf('"path":"say"', text.indexOf('event: step', line)));
    expect(text.match(/^event: log$/gm)).toHaveLength(1);
    const bare = await ann.request('GET', `/api/v1/executions/${id}/stream`);
    expect(String(bare.body.text)).not.toContain('event: log');
  });

  it('are removed with the run', async () => {
    const workflow = await ann.workflow([code('say', 'console.log("gone"); return {};')]);
    const { id } = await ann.run(workflow);
    const lines = () =>
      site.t.app.db.collection('run_logs').countDocuments({ _id: { $gte: `${id}:`, $lt: `${id};` } as never });
    expect(await lines()).toBe(1);
    await ann.request('DELETE', `/api/v1/workflows/${workflow}`);
    expect(await lines()).toBe(0);
  });
});

import type { JsonObject } from '../../../lib/json';
import { until } from '../../support/until';
import { openSite, send, type Site, type User } from '../executor/site';

let site: Site;
let ann: User;
let bob: User;
beforeAll(async () => {
  site = await openSite();
  [ann, bob] = [await site.user(), await site.user()];
});
afterAll(() => site?.close());

interface Stream {
  readonly events: { readonly event: string; readonly data: JsonObject }[];
  readonly text: () => string;
  close(): void;
}

/** Opens the stream of a user's tenant, and waits until it has begun. */
async function open({ token }: Pick<User, 'token'>): Promise<Stream> {
  const abort = new AbortController();
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${site.url}/api/v1/events`, { headers, signal: abort.signal });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  const events: Stream['events'] = [];
  let text = '';
  const read = async (): Promise<void> => {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      events.length = 0;
      for (const [, event = '', data = ''] of text.matchAll(/^event: (.*)\ndata: (.*)\n\n/gm))
        events.push({ event, data: JSON.parse(data) as JsonObject });
    }
  };
  void read().catch(() => undefined);
  await until('the stream has begun', async () => (events[0]?.event === 'ready' ? true : null));
  return { events, text: () => text, close: () => abort.abort() };
}

const seen = ({ events }: Stream, event: string, of: JsonObject): Promise<JsonObject> =>
  until(`${event} comes`, async () => {
    const found = events.find(
      (each) => each.event === event && Object.entries(of).every(([name, value]) => each.data[name] === value),
    );
    return found?.data ?? null;
  });

it('sends runs, approvals and workflows of the tenant, and nothing of others', async () => {
  const [mine, other] = [await open(ann), await open(bob)];
  const workflow = await ann.workflow([{ id: 'ask', type: 'approval', config: { message: 'Ship?' } }]);
  await seen(mine, 'workflow.changed', { workflow_id: workflow, change: 'created' });
  const run = await ann.start(workflow);
  const facts = { execution_id: run, workflow_id: workflow, workflow_name: 'Flow', trigger_type: 'manual' };
  await seen(mine, 'run.started', { ...facts, status: 'running' });
  await seen(mine, 'approval.waiting', { ...facts, step_id: 'ask' });
  await ann.waiting(run);
  await ann.request('POST', `/api/v1/executions/${run}/signal`, { signal: 'approve-ask', data: { approved: true } });
  await seen(mine, 'approval.decided', { ...facts, step_id: 'ask', approved: true });
  await seen(mine, 'run.ended', { ...facts, status: 'completed' });
  for (const body of ['{}', '{ not JSON']) {
    mine.events.length = 0;
    await fetch(`${site.url}/webhooks/${workflow}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    await seen(mine, 'delivery.recorded', { workflow_id: workflow });
  }
  await ann.request('PUT', `/api/v1/workflows/${workflow}`, { name: 'Flow 2' });
  await seen(mine, 'workflow.changed', { workflow_id: workflow, change: 'updated' });
  await ann.request('DELETE', `/api/v1/workflows/${workflow}`);
  await seen(mine, 'workflow.changed', { workflow_id: workflow, change: 'deleted' });
  const started = mine.events.filter(({ event, data }) => event === 'run.started' && data.execution_id === run);
  expect(started).toHaveLength(1);
  expect(mine.text()).not.toMatch(/^id:/m);
  expect(other.events.map(({ event }) => event)).toEqual(['ready']);
  mine.close();
  other.close();
});

it('sends the start and the end of a run that never waits', async () => {
  const stream = await open(ann);
  const { id } = await ann.run(await ann.workflow([{ id: 'one', type: 'set', config: { n: 1 } }]));
  expect(await seen(stream, 'run.ended', { execution_id: id })).toMatchObject({ status: 'completed' });
  expect(stream.events.filter(({ data }) => data.execution_id === id).map(({ event }) => event)).toEqual([
    'run.started',
    'run.ended',
  ]);
  stream.close();
});

it('needs a credential, and ends when it is revoked', async () => {
  expect((await send(site.t, 'GET', '/api/v1/events')).status).toBe(401);
  const { body } = await ann.request('POST', '/api/v1/api-keys', { name: 'stream' });
  const response = await fetch(`${site.url}/api/v1/events`, {
    headers: { authorization: `Bearer ${String(body.key)}` },
  });
  await ann.request('DELETE', `/api/v1/api-keys/${String(body.id)}`);
  expect(await response.text()).toMatch(/^event: ready$/m);
});

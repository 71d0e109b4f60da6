import { allServices } from '../../support/services';
import { startApp, type TestApp } from '../../support/app';
import { newOwner, type Owner } from '../../support/connections/house';
import { storedConnection } from '../../support/connections/stored';
import { type Provider, startProvider } from '../../support/connectors/provider';
import { until } from '../../support/until';

/** When requests came, and what the next ones are answered with; then all are answered. */
let calls: number[] = [];
let refusals: { status: number; headers: Record<string, string> }[] = [];
let provider: Provider;
let t: TestApp;
let owner: Owner;
let connection: string;

beforeAll(async () => {
  provider = await startProvider(() => {
    calls.push(Date.now());
    return refusals.shift() ?? { json: { emailAddress: 'ada@example.com' } };
  });
  t = await startApp({
    services: [allServices],
    env: { EGRESS_ALLOW: '127.0.0.1', CONNECTOR_SUITE_MAIL_URL: provider.url },
  });
});
afterAll(async () => {
  await t.close();
  await provider.close();
});
beforeEach(async () => {
  owner = await newOwner(t);
  connection = (await storedConnection(t, owner.tenant.id, { access_token: 'stored-access-token' }))._id;
  calls = [];
  refusals = [];
});

interface Run {
  id: string;
  status: string;
  waiting: { kind: string; name: string | null; step_id: string | null }[];
}
interface Step {
  id: string;
  attempt: number;
}

async function workflow(name: string, maxAttempts = 1): Promise<() => Promise<Run>> {
  const retry = { max_attempts: maxAttempts, initial_interval: '100ms' };
  const { id } = await owner.api.call<{ id: string }>('POST', '/api/v1/workflows', {
    name,
    dsl: {
      id: name,
      trigger: { type: 'manual' },
      steps: [{ id: 'look', type: 'suite-mail.get_profile', config: {}, retry }],
    },
  });
  return () => owner.api.call<Run>('POST', `/api/v1/workflows/${id}/trigger`, {});
}

const get = (id: string) => owner.api.call<Run>('GET', `/api/v1/executions/${id}`);
const ended = ({ id }: Run) =>
  until('the run has ended', async () => {
    const now = await get(id);
    return now.status === 'running' ? null : now;
  });
const limit = (body: object) => owner.api.call('PUT', `/api/v1/connections/${connection}/limits`, body);
const attemptsOf = async ({ id }: Run) =>
  (await owner.api.call<{ steps: Step[] }>('GET', `/api/v1/executions/${id}/detail`)).steps.map(
    ({ attempt }) => attempt,
  );

it('two workflows that share a connection keep to its rate, and waiting is no attempt', async () => {
  expect(await limit({ rate: { limit: 5, period_seconds: 1 } })).toMatchObject({
    limits: { rate: { limit: 5, period_seconds: 1 }, concurrency: null },
  });
  const [first, second] = [await workflow('one'), await workflow('two')];
  const began = Date.now();
  const runs = await Promise.all(Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? first() : second())));
  const ends = await Promise.all(runs.map(ended));
  expect(ends.map(({ status }) => status)).toEqual(runs.map(() => 'completed'));
  expect(calls).toHaveLength(12);
  // A request follows its admission: under load, those of two periods may arrive close together, but none before its time.
  const early = calls.filter((at, n) => at - began < Math.floor(n / 5) * 1_000);
  expect(early).toEqual([]);
  expect(await attemptsOf(runs[11] as Run)).toEqual([1]);
});

it('a refusal with Retry-After holds back other steps, and the run says why it waits', async () => {
  const run = await workflow('one', 3);
  refusals = [{ status: 429, headers: { 'retry-after': '3' } }];
  const refused = await run();
  await until('the refusal is known', async () => {
    const { data } = await owner.api.call<{ data: { id: string; paused_until: string | null }[] }>(
      'GET',
      '/api/v1/oauth/connections',
    );
    return data.find(({ id }) => id === connection)?.paused_until ?? null;
  });
  const other = await run();
  const waiting = await until('the other run waits', async () => {
    const now = await get(other.id);
    return now.waiting.length > 0 ? now.waiting : null;
  });
  expect(waiting[0]).toMatchObject({ kind: 'connection', name: connection, step_id: 'look' });
  const { data: queues } = await owner.api.call<{ data: object[] }>('GET', '/api/v1/queues?kind=connection');
  expect(queues).toMatchObject([{ kind: 'connection', name: connection, workflow_name: 'one', waiting: 1 }]);
  expect(calls).toHaveLength(1);
  expect((await ended(other)).status).toBe('completed');
  expect((await ended(refused)).status).toBe('completed');
  expect(calls[1]! - calls[0]!).toBeGreaterThanOrEqual(2_900);
  expect(await attemptsOf(other)).toEqual([1]);
});

it('limits are removed by null, and wrong ones are refused', async () => {
  await limit({ rate: { limit: 1, period_seconds: 60 }, concurrency: 2 });
  expect(await limit({ rate: null })).toMatchObject({ limits: { rate: null, concurrency: null } });
  await expect(limit({ rate: { limit: 0, period_seconds: 1 } })).rejects.toThrow(/limit/);
  await expect(limit({ concurrency: 'many' })).rejects.toThrow(/concurrency/);
});

import type { ExecutionView } from '../../contracts/executions/views';
import { type Provider, startProvider } from '../support/connectors/provider';
import { Api } from '../support/server';
import { until } from '../support/until';
import { Installation } from './support/installation';

const RUNS = 10;
const LIMIT = 2;
const PERIOD_S = 2;
/** How long the provider takes, so that calls overlap unless they wait for each other. */
const CALL_MS = 200;
/** The call during which the server is killed. */
const KILLED_IN = 4;
const ANSWER = { ok: true, user_id: 'U1', user: 'bot', team: 'Team', team_id: 'T1', url: 'https://team.example' };

describe('a server that is killed while steps wait for the quota of their connection', () => {
  let provider: Provider;
  let place: Installation;
  let api: Api;
  let isKilled = false;
  const times: number[] = [];
  const open = { now: 0, most: 0 };

  beforeAll(async () => {
    provider = await startProvider(async () => {
      const number = times.push(Date.now()) - 1;
      open.most = Math.max(open.most, ++open.now);
      if (number === KILLED_IN) await place.server.kill().then(() => (isKilled = true));
      await new Promise((resolve) => setTimeout(resolve, CALL_MS));
      open.now -= 1;
      return { json: ANSWER };
    });
    place = await Installation.make({ CONNECTOR_CHAT_URL: provider.url });
    await place.start();
    api = new Api(place.url);
    await api.register('quota');
  }, 60_000);
  afterAll(async () => {
    await place?.remove();
    await provider?.close();
  });

  it('runs each of them, one at a time and no faster than the rate, and waiting is no attempt', async () => {
    await api.call('POST', '/api/v1/connections', {
      connector: 'chat',
      name: 'work',
      credentials: { access_token: 'xoxb-1' },
      rate: { limit: LIMIT, period_seconds: PERIOD_S },
      concurrency: 1,
    });
    // Those of the test of the new connection.
    times.length = 0;
    const step = { id: 'look', type: 'chat.whoami', config: { connection: 'work' } };
    const dsl = { id: 'looks', trigger: { type: 'http' }, steps: [step] };
    const { id } = await api.call<{ id: string }>('POST', '/api/v1/workflows', { name: 'Looks', dsl });
    const runs: string[] = [];
    for (let n = 0; n < RUNS; n++)
      runs.push((await api.call<{ execution_id: string }>('POST', `/webhooks/${id}`, { n })).execution_id);
    await until('the server is killed during a call', () => isKilled, 60_000);
    await place.start();

    const ended = (run: string) =>
      until(
        `run ${run} ends`,
        async () => {
          const view = await api.call<ExecutionView>('GET', `/api/v1/executions/${run}`);
          return view.status === 'running' ? null : view;
        },
        60_000,
      );
    const ends = await Promise.all(runs.map(ended));
    expect(ends.map(({ status }) => status)).toEqual(runs.map(() => 'completed'));
    // The call that was cut off is made again, in a second attempt; no other step has one.
    const attempts = await Promise.all(
      runs.map(async (run) => {
        const { steps } = await api.call<{ steps: { attempt: number }[] }>('GET', `/api/v1/executions/${run}/detail`);
        return steps[0]?.attempt;
      }),
    );
    expect(attempts.filter((attempt) => attempt !== 1)).toEqual([2]);
    expect(times).toHaveLength(RUNS + 1);
    expect(open.most).toBe(1);
    // Five periods of two, and a request follows its admission by a moment.
    expect((times.at(-1) as number) - (times[0] as number)).toBeGreaterThan(
      (RUNS / LIMIT - 1) * PERIOD_S * 1_000 - 500,
    );
  }, 180_000);
});

import { Api } from '../support/server';
import { until } from '../support/until';
import { Installation } from '../e2e/support/installation';
import { createWorkflow, ended, getDetail, trigger, waitingFor } from '../e2e/support/runs';
import { Witness } from '../e2e/support/witness';

const ENOUGH_ACCEPTED = 200;
/** Orderly stops have this grace by default. */
const GRACE_MS = 10_000;

let installation: Installation;
let witness: Witness;
let owner: Api;
const held: (() => void)[] = [];

beforeAll(async () => {
  installation = await Installation.make();
  witness = await Witness.open((path, count, response) => {
    // The first request is never answered: the step is in flight when its server goes away.
    if (path === '/held' && count === 1) held.push(() => response.end('{}'));
    else response.setHeader('content-type', 'application/json').end('{"ok":true}');
  });
  await installation.start();
  owner = new Api(installation.url);
  await owner.register('restarts');
}, 60_000);

afterAll(async () => {
  for (const answer of held) answer();
  await installation?.remove();
  witness?.close();
});

it('a wait ends when it should, although the server was killed in between', async () => {
  const id = await createWorkflow(owner, [{ id: 'wait', type: 'wait', config: { for: '3s' } }]);
  const run = await trigger(owner, id);
  await waitingFor(owner, run, 'timer');
  await installation.server.kill();
  await installation.start();
  const { duration_ms: took } = await ended(owner, run, 20_000);
  expect(took).toBeGreaterThanOrEqual(3_000);
  // A killed host is declared dead when its lease of 4 s has expired at the latest; on an own data folder at once.
  expect(took).toBeLessThan(10_000);
}, 60_000);

it('SIGTERM ends the process in time, and what was in flight goes on after the next start', async () => {
  const id = await createWorkflow(owner, [
    { id: 'before', type: 'http_request', config: { method: 'POST', url: `${witness.url}/before` } },
    { id: 'held', type: 'http_request', config: { method: 'POST', url: `${witness.url}/held` } },
  ]);
  const run = await trigger(owner, id);
  await until('the step is in flight', () => witness.count('/held') === 1);

  const began = performance.now();
  expect(await installation.server.stop()).toBe(0);
  expect(performance.now() - began).toBeLessThan(GRACE_MS + 5_000);

  await installation.start();
  expect(await ended(owner, run, 20_000)).toMatchObject({ status: 'completed' });
  expect(witness.count('/before')).toBe(1);
  expect(witness.count('/held')).toBe(2);
}, 60_000);

it('no request that was accepted is lost when SIGTERM comes under load', async () => {
  const id = await createWorkflow(owner, [
    { id: 'one', type: 'set', config: { n: '{{ trigger.body.n }}' } },
    { id: 'two', type: 'http_request', config: { method: 'POST', url: `${witness.url}/two` } },
  ]);
  const accepted: string[] = [];
  const odd: number[] = [];
  let loading = true;
  const clients = Array.from({ length: 8 }, async (_, client) => {
    for (let n = 0; loading; n++) {
      const answer = await new Api(installation.url)
        .ask<{ execution_id: string }>('POST', `/webhooks/${id}`, { n: client * 10_000 + n })
        .catch(() => null);
      if (answer === null) break;
      if (answer.status === 202) accepted.push(answer.body.execution_id);
      else odd.push(answer.status);
    }
  });
  await until('enough are accepted', () => accepted.length >= ENOUGH_ACCEPTED, 30_000);

  expect(await installation.server.stop()).toBe(0);
  loading = false;
  await Promise.all(clients);
  // A refusal of a stopping gateway has a status after which a client tries again.
  expect(odd.filter((status) => status !== 503)).toEqual([]);

  await installation.start();
  expect(new Set(accepted).size).toBe(accepted.length);
  for (const run of accepted) expect((await ended(owner, run, 30_000)).status).toBe('completed');
  expect((await getDetail(owner, accepted[0] as string)).steps).toHaveLength(2);
}, 120_000);

it('a gateway that is asked to stop reports that it is not ready, serves until no request arrives, and then ends', async () => {
  const id = await createWorkflow(owner, [{ id: 'one', type: 'set', config: { n: 1 } }]);
  await installation.server.stop();
  await installation.start({ SHUTDOWN_DELAY_SECONDS: '3' });
  const api = new Api(installation.url);
  const stopped = installation.server.stop();
  await until('it says that it is not ready', async () => (await api.ask('GET', '/health/ready')).status === 503);
  expect(await api.ask('POST', `/webhooks/${id}/sync`, {})).toMatchObject({ status: 200, body: { n: 1 } });
  expect((await api.ask('GET', '/health/live')).status).toBe(200);
  expect(await stopped).toBe(0);
  await expect(api.ask('GET', '/health/live')).rejects.toThrow('fetch failed');
  await installation.start();
}, 60_000);

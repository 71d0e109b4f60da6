import type { Session } from '../../../contracts/auth/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ask } from '../../support/http';
import { type MailServer, startMailServer } from '../../support/mail-server';
import { allServices } from '../../support/services';
import { until } from '../../support/until';
import { OPERATOR, signUpOperator } from './support/operator';

let mails: MailServer;
let app: TestApp;
let operator: Session;

beforeAll(async () => {
  mails = await startMailServer();
  app = await startApp({ services: [allServices], env: { ...mails.env, OPERATORS: OPERATOR }, nodeId: 'one' });
  operator = await signUpOperator(app, mails);
}, 60_000);
afterAll(async () => {
  await app.close();
  await mails.close();
});

const get = async (path: string) =>
  (await ask(app, `GET /api/v1/operator${path as '/'}`, { token: operator.token })).body;

test('the only process of an installation is its only host', async () => {
  const { hosts } = await get('/hosts');
  expect(hosts).toEqual([
    expect.objectContaining({
      node_id: 'one',
      state: 'alive',
      version: app.app.version,
      node_version: process.versions.node,
      services: expect.arrayContaining(['auth', 'executor']),
      memory_bytes: expect.any(Number),
      event_loop_delay_ms: expect.any(Number),
      executor: expect.objectContaining({ state: 'alive', capacity: 2_000 }),
    }),
  ]);
});

describe('readiness', () => {
  const stateOf = async (name: string) =>
    ((await get('/readiness')).dependencies as { name: string }[]).find((each) => each.name === name);

  test('names what is configured, and what is not', async () => {
    expect(await get('/readiness')).toEqual({
      dependencies: [
        { name: 'bus', state: 'not_configured', faults: [] },
        { name: 'database', state: 'ready', faults: [] },
        { name: 'mail', state: 'ready', faults: [] },
        { name: 'qdrant', state: 'not_configured', faults: [] },
        { name: 'redis', state: 'not_configured', faults: [] },
      ],
      silent: [],
    });
  });

  test('says which process cannot use what, and why', async () => {
    await mails.close();
    expect(await stateOf('mail')).toEqual({
      name: 'mail',
      state: 'unavailable',
      faults: [{ node_id: 'one', reason: expect.stringContaining('127.0.0.1') }],
    });
  });
});

test('keys are shown by their ids, with how far each collection is', async () => {
  await until('collections have been looked at', async () => {
    const { master } = (await get('/keys')) as { master: { collections: object[] } };
    return master.collections.length > 0 ? true : null;
  });
  expect(await get('/keys')).toMatchObject({
    master: { key_id: app.app.keyring.newestId, previous: [], done: expect.any(Boolean) },
    token: { algorithm: 'HS256', previous: 0 },
  });
});

test('waiting runs of all tenants are counted by what they wait for', async () => {
  const token = operator.token;
  const dsl = {
    id: 'd',
    trigger: { type: 'http' },
    concurrency: { key: 'all', limit: 1 },
    steps: [{ id: 'a', type: 'wait_for_signal', config: { signal: 'go' } }],
  };
  const { body } = await ask(app, 'POST /api/v1/workflows', { token, body: { name: 'x', dsl } });
  for (let n = 0; n < 3; n += 1)
    await ask(app, `POST /api/v1/workflows/${body.id as string}/trigger`, { token, body: {} });
  const row = await until('two runs wait', async () => {
    const { queues } = (await get('/queues')) as { queues: { kind: string; waiting: number; oldest: string | null }[] };
    return queues.find(({ kind, waiting }) => kind === 'concurrency' && waiting === 2) ?? null;
  });
  expect(Date.parse(row.oldest as string)).toBeLessThanOrEqual(Date.now());
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api, buildOnce, freePort, refusedStart, RUNNER, type ServerProcess, startServer } from '../support/server';
import { createWorkflow, ended, trigger } from './support/runs';

let dataDir: string;
let port: number;
const started: ServerProcess[] = [];
const start: typeof startServer = async (options) => {
  const server = await startServer(options);
  started.push(server);
  return server;
};

beforeAll(() => buildOnce(), 120_000);
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'everstep-runner-'));
  port = await freePort();
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.kill()));
  await rm(dataDir, { recursive: true, force: true });
});

test('moleculer-runner serves HTTP, runs workflows, and stops on SIGTERM; npm start continues what waits', async () => {
  const runner = await start({ dataDir, port, program: RUNNER });
  const api = new Api(runner.url);
  await api.register('runners');
  const greet = { id: 'greet', type: 'set', config: { words: 'Hello' } };
  const short = await createWorkflow(api, [greet]);
  expect((await ended(api, await trigger(api, short))).output).toEqual({ words: 'Hello' });
  const long = await createWorkflow(api, [{ id: 'pause', type: 'wait', config: { for: '2s' } }, greet]);
  const waiting = await trigger(api, long);
  expect(await runner.stop()).toBe(0);

  const server = await start({ dataDir, port });
  expect((await ended(api, waiting)).output).toEqual({ words: 'Hello' });
  expect(await server.stop()).toBe(0);
}, 90_000);

test('moleculer-runner does not start on a data folder that a server has', async () => {
  const server = await start({ dataDir, port });
  const { code, output } = await refusedStart({ dataDir, port: await freePort(), program: RUNNER });
  expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(`process ${server.pid}`) });
  expect(await server.stop()).toBe(0);
}, 90_000);

test.each([
  ['--hot', '--hot', 'moleculer-runner --hot'],
  ['a part of the services without MONGO_URL', '!dist/services/auth/*.service.js', 'not loaded'],
])(
  'moleculer-runner refuses %s',
  async (_, argument, words) => {
    const { code, output } = await refusedStart({ dataDir, port, program: [...RUNNER, argument] });
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(words) });
  },
  60_000,
);

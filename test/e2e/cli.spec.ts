import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCommand } from '../support/command-line';
import { Api, buildOnce, freePort, type ServerProcess, startServer } from '../support/server';
import { until } from '../support/until';

const WAITS = {
  name: 'Waits',
  dsl: {
    id: 'waits',
    trigger: { type: 'manual' },
    steps: [
      { id: 'first', type: 'set', config: { a: 1 } },
      { id: 'ask', type: 'approval', config: { message: 'Go on?' } },
      { id: 'last', type: 'set', config: { b: 2 } },
    ],
  },
};

describe('the command line', () => {
  let folder: string;
  let port: number;
  let server: ServerProcess;
  const api = new Api('');
  const start = async (): Promise<void> => {
    server = await startServer({ dataDir: join(folder, 'data'), port });
    api.url = server.url;
  };

  beforeAll(async () => {
    buildOnce();
    folder = await mkdtemp(join(tmpdir(), 'everstep-cli-'));
    port = await freePort();
    await start();
    const account = {
      tenant_slug: 'acme',
      tenant_name: 'Acme',
      email: 'you@example.com',
      password: 'choose-a-long-one',
    };
    api.token = (await api.call<{ token: string }>('POST', '/api/v1/auth/register', account)).token;
  }, 60_000);

  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('keeps the session in a file that its owner alone can read', async () => {
    const env = { EVERSTEP_PASSWORD: 'choose-a-long-one', HOME: folder };
    const url = `http://localhost:${port}`;
    const login = startCommand(['login', url, '--tenant', 'acme', '--email', 'you@example.com'], env);
    expect(await login.ended).toBe(0);
    expect(statSync(join(folder, '.config', 'everstep', 'credentials.json')).mode & 0o777).toBe(0o600);
  });

  it('tells every step once, and ends as the run does, when the server dies meanwhile', async () => {
    const { key } = await api.call<{ key: string }>('POST', '/api/v1/api-keys', { name: 'watch' });
    const env = { EVERSTEP_URL: `http://localhost:${port}`, EVERSTEP_API_KEY: key, HOME: folder };
    const { id } = await api.call<{ id: string }>('POST', '/api/v1/workflows', WAITS);
    const run = await api.call<{ id: string }>('POST', `/api/v1/workflows/${id}/trigger`, {});
    const watching = startCommand(['run', 'watch', run.id, '--json'], env);
    const stopped = startCommand(['run', 'watch', run.id], env);
    await until('both see the run wait', () => [watching, stopped].every((each) => each.out().includes('waiting')));
    stopped.child.kill('SIGINT');
    expect(await stopped.ended).toBe(130);
    await server.kill();
    await start();
    await api.call('POST', `/api/v1/executions/${run.id}/signal`, { signal: 'approve-ask', data: { approved: true } });
    expect(await watching.ended).toBe(0);
    const events = watching
      .out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string; id: string });
    expect(events.map((each) => each.id)).toEqual(events.map((_, n) => String(n + 1)));
    expect(events.at(-1)).toMatchObject({ event: 'end', data: { status: 'completed' } });
    expect(watching.out() + watching.err()).not.toContain(key);
  }, 60_000);
});

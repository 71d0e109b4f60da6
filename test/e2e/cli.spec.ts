import { readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { binFolder, startCommand } from '../support/command-line';
import { Api, buildOnce, freePort, type ServerProcess, startServer } from '../support/server';
import { blocksIn, plain, Shell, shownBehind } from '../support/shell';
import { until } from '../support/until';

const blocks = blocksIn(readFileSync(join(__dirname, '..', '..', 'docs', 'cli.md'), 'utf8'));
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

/** Tables have columns as wide as what is in them. */
const squeezed = (text: string): string => plain(text).replace(/ {2,}/g, '  ');

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

  it('does what its page shows, and prints what it shows', async () => {
    const shell = new Shell(folder, { PATH: `${binFolder(folder)}${delimiter}${process.env.PATH}` });
    const bash = [...blocks.entries()].filter(([, { language }]) => language === 'bash');
    expect(bash.length).toBeGreaterThan(5);
    for (const [at, { text }] of bash) {
      const told = (words: string): string => words.replaceAll('localhost:3000', `localhost:${port}`);
      const { code, output } = await shell.run(told(text));
      expect({ text, code, output: squeezed(output) }).toEqual({
        text,
        code: 0,
        output: squeezed(told(shownBehind(blocks, at))),
      });
    }
    const file = join(folder, '.config', 'everstep', 'credentials.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await shell.close();
  }, 60_000);

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

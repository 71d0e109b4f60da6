import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Session } from '../../contracts/auth/accounts';
import { Api, buildOnce, freePort, refusedStart, startServer } from '../support/server';
import { until } from '../support/until';
import { createWorkflow } from './support/runs';

const ROOT = join(__dirname, '..', '..');
const PROMPT = 'everstep $ ';
const REPL = [join(ROOT, 'start', 'run.mjs'), '--script', 'start/repl'];

let dataDir: string;
let port: number;

beforeAll(async () => {
  buildOnce();
  dataDir = await mkdtemp(join(tmpdir(), 'everstep-repl-'));
  port = await freePort();
}, 120_000);
afterAll(() => rm(dataDir, { recursive: true, force: true }));

/** A REPL with input from the test; its history is in the data folder instead of the home folder. */
function openRepl() {
  const env = { PATH: process.env.PATH, HOME: dataDir, HOST: '127.0.0.1', PORT: String(port), DATA_DIR: dataDir };
  const child = spawn(process.execPath, REPL, { cwd: ROOT, env, stdio: ['pipe', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  // The prompt marks the end of a command's output.
  const shows = (words: string) =>
    until(`the REPL shows ${words}`, () => printed.includes(words) && printed.endsWith(PROMPT), 20_000);
  return {
    ready: () => shows(PROMPT),
    async enter(line: string, expected: string): Promise<string> {
      printed = '';
      child.stdin.write(`${line}\n`);
      await shows(expected);
      return printed;
    },
    async exit(): Promise<number | null> {
      child.stdin.write('exit\n');
      const [code] = (await once(child, 'exit')) as [number | null];
      return code;
    },
    kill: () => child.kill('SIGKILL'),
  };
}

test('the REPL does not open a data folder that a server has, and calls actions for a tenant once it is free', async () => {
  const server = await startServer({ dataDir, port });
  const api = new Api(server.url);
  const credentials = { email: 'owner@repl.example', password: 'a-long-password' };
  const { token, tenant } = await api.call<Session>('POST', '/api/v1/auth/register', {
    tenant_slug: 'repl',
    tenant_name: 'repl',
    ...credentials,
  });
  api.token = token;
  const workflow = await createWorkflow(api, [{ id: 'one', type: 'set', config: { words: 'x' } }]);
  const refused = await refusedStart({ dataDir, port: await freePort(), program: REPL });
  expect(refused).toEqual({ code: 1, output: expect.stringContaining(`process ${server.pid}`) });
  expect(await server.stop()).toBe(0);

  const repl = openRepl();
  try {
    await repl.ready();
    await repl.enter('call workflows.list', 'requires a credential');
    await repl.enter('as unknown king', 'The role must be one of');
    await repl.enter(`as ${tenant.id} member`, 'Calls act for tenant');
    expect(await repl.enter('call workflows.list', 'limit:')).toContain(workflow);
    await repl.enter('call workflows.plan --hash x', 'is for services only');
    expect(await repl.enter('routes workflows.get', 'GET /api/v1/workflows/:id')).toMatch(
      /^workflows\.get +GET \/api\/v1\/workflows\/:id/m,
    );
    expect(await repl.enter('actions -f workflows.get', 'workflows.get')).toContain('OK');
    expect(await repl.exit()).toBe(0);
  } finally {
    repl.kill();
  }
  // The REPL was closed normally: its lock is released, and a server starts on the folder.
  const next = await startServer({ dataDir, port });
  expect(await next.stop()).toBe(0);
}, 120_000);

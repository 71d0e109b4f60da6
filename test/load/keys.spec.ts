import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Api, freePort, refusedStart } from '../support/server';
import { until } from '../support/until';
import { Installation } from '../e2e/support/installation';
import { createWorkflow, ended, trigger } from '../e2e/support/runs';

const ROOT = join(__dirname, '..', '..');
const SECRETS = 300;
const ROUNDS = 2;

interface Keys {
  master: { key_id: string; done: boolean; previous: { known: boolean }[]; collections: { name: string }[] };
}

/** `npm run keys -- ...` on a data folder. */
function keysTool(dataDir: string, ...args: string[]): { code: number | null; output: string } {
  const main = process.env.E2E_MAIN;
  const program =
    main === undefined ? [join(ROOT, 'start', 'run.mjs'), '--script', 'start/keys'] : [join(main, '..', 'keys.js')];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...program, ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir },
  });
  return { code: status, output: stdout + stderr };
}

/** Starts the server, and kills it as soon as it prints these words; fails when it has not printed them in a minute. */
async function killedWhile({ dataDir, port, env }: Installation, words: string): Promise<void> {
  const child = spawn(process.execPath, [process.env.E2E_MAIN ?? join(ROOT, 'start', 'run.mjs')], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...env,
      DATA_DIR: dataDir,
      PORT: String(port),
      LOG_LEVEL: 'info',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (output.includes(words)) child.kill('SIGKILL');
  });
  const timer = setTimeout(() => child.kill('SIGTERM'), 60_000);
  await once(child, 'exit');
  clearTimeout(timer);
  if (child.signalCode !== 'SIGKILL') throw new Error(`The server ended before it printed "${words}":\n${output}`);
}

describe('the keys of an installation', () => {
  let installation: Installation;
  let api: Api;
  let workflow: string;
  let metricsPort: number;

  beforeAll(async () => {
    metricsPort = await freePort();
    installation = await Installation.make({ METRICS_PORT: String(metricsPort) });
    await installation.start();
    api = new Api(installation.url);
    await api.register('rotates');
    for (let n = 0; n < SECRETS; n += 20) {
      const puts = Array.from({ length: 20 }, (_, i) =>
        api.call('POST', '/api/v1/secrets', { name: `S${n + i}`, value: `value ${n + i}` }),
      );
      await Promise.all(puts);
    }
    const all = Array.from({ length: SECRETS }, (_, n) => `secret.S${n} == "value ${n}"`);
    const steps = Array.from({ length: SECRETS / 20 }, (_, n) => ({
      id: `s${n}`,
      type: 'set',
      config: { same: `{{ ${all.slice(n * 20, n * 20 + 20).join(' && ')} }}` },
    }));
    workflow = await createWorkflow(api, steps, {
      output: { same: `{{ ${steps.map(({ id }) => `steps.${id}.same`).join(' && ')} }}` },
    });
  }, 120_000);
  afterAll(() => installation?.remove());

  const signIn = async (): Promise<void> => {
    const login = { tenant_slug: 'rotates', email: 'owner@rotates.example', password: 'a-long-password' };
    api.token = (await api.call<{ token: string }>('POST', '/api/v1/auth/login', login)).token;
  };
  const assertAllOpen = async (): Promise<void> => {
    const run = await ended(api, await trigger(api, workflow));
    expect(run).toMatchObject({ status: 'completed', output: { same: true } });
  };
  const keys = () => new Api(`http://127.0.0.1:${metricsPort}`).call<Keys>('GET', '/keys');
  const done = () =>
    until(
      'the rotation is done',
      async () => {
        const now = await keys();
        return now.master.done && now.master.collections.length > 0 ? now : null;
      },
      20_000,
    );

  it('are replaced by a command and a restart, and a kill in the middle loses nothing', async () => {
    for (let round = 1; round <= ROUNDS; round += 1) {
      expect(keysTool(installation.dataDir, 'rotate')).toMatchObject({ code: 0 });
      await installation.server.kill();
      await killedWhile(installation, 'values with the master key');
      await installation.start();
      await assertAllOpen();
      const { master } = await done();
      expect(master.previous).toHaveLength(round);
    }
    await assertAllOpen();
  }, 180_000);

  it('of before are dropped when nothing needs them, and not sooner', async () => {
    const before = JSON.parse(await readFile(join(installation.dataDir, 'keys.json'), 'utf8')) as {
      previous: { master_key: string[] };
    };
    expect(before.previous.master_key).toHaveLength(ROUNDS);
    expect(keysTool(installation.dataDir, 'rotate', '--only', 'master').code).toBe(0);
    const early = keysTool(installation.dataDir, 'retire');
    expect(early.code).toBe(1);
    expect(early.output).toContain('Not everything is encrypted under the newest master key');
    await installation.server.stop();
    await installation.start();
    await done();
    const late = keysTool(installation.dataDir, 'retire');
    expect(late.code).toBe(0);
    await installation.server.stop();
    const file = join(installation.dataDir, 'keys.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, 'utf8'))).not.toHaveProperty('previous');
    await installation.start();
    // Tokens of the former key are void with it.
    expect((await api.ask('GET', '/api/v1/tenant')).status).toBe(401);
    await signIn();
    await assertAllOpen();
    expect((await keys()).master.previous.every(({ known }) => !known)).toBe(true);
  }, 120_000);

  it('that are lost are given up by a command; then another one is taken, and secrets are stored again', async () => {
    await installation.server.stop();
    const env = { MASTER_KEY: Buffer.alloc(32, 5).toString('base64') };
    const port = await freePort();
    const refused = await refusedStart({ dataDir: installation.dataDir, port, env });
    expect(refused.output).toContain('docs/keys.md');
    expect(keysTool(installation.dataDir, 'forget').code).toBe(0);
    await installation.start(env);
    const failed = await ended(api, await trigger(api, workflow));
    expect(failed.status).toBe('failed');
    expect(failed.error?.message).toContain('store the secret again');
  }, 60_000);

  it.each([[], ['turn'], ['rotate', '--only', 'all']])(
    'and a command that there is not says what there is',
    (...args) => {
      const { code, output } = keysTool(installation.dataDir, ...args);
      expect(code).toBe(1);
      expect(output).toContain('usage: npm run keys');
    },
  );
});

import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api, freePort, refusedStart } from '../support/server';
import { Installation } from './support/installation';
import { createWorkflow, ended, trigger } from './support/runs';

/** The documentation promises 5 s; a test machine may be busy with other things. */
const START_MS = 10_000;

/** Output that an operator must never get instead of an error message. */
const STACK_TRACE = /^\s+at .+:\d+:\d+\)?$/m;

describe('the first start on an empty folder', () => {
  let installation: Installation;

  beforeAll(async () => {
    installation = await Installation.make();
  }, 60_000);
  afterAll(() => installation?.remove());

  it('serves soon, and says where it listens, where its data and keys are, and how to sign up', async () => {
    const began = performance.now();
    const server = await installation.start();
    const took = performance.now() - began;
    process.stdout.write(`start to ready: ${Math.round(took)} ms\n`);
    expect(took).toBeLessThan(START_MS);
    const printed = server.output();
    expect(printed).toContain(`http://localhost:${installation.port}`);
    expect(printed).toContain(installation.dataDir);
    expect(printed).toContain(`${join(installation.dataDir, 'keys.json')} (made just now)`);
    expect(printed).toContain('/api/v1/auth/register');
    expect(printed).not.toContain('Warning');
  });

  it('answers /health to anybody', async () => {
    expect(await new Api(installation.url).call('GET', '/health')).toEqual({ status: 'ok' });
  });

  it('keeps keys for its owner alone, and tokens and secrets outlive a restart', async () => {
    const keyFile = join(installation.dataDir, 'keys.json');
    const keys = await readFile(keyFile, 'utf8');
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
    const api = new Api(installation.url);
    await api.register('keeps');
    await api.call('POST', '/api/v1/secrets', { name: 'TOKEN', value: 's3cr3t-value' });
    const workflow = await createWorkflow(api, [
      { id: 'use', type: 'set', config: { matches: '{{ hash(secret.TOKEN) == hash("s3cr3t-value") }}' } },
    ]);

    expect(await installation.server.stop()).toBe(0);
    const server = await installation.start();

    expect(server.output()).not.toContain('made just now');
    expect(await readFile(keyFile, 'utf8')).toBe(keys);
    expect((await ended(api, await trigger(api, workflow))).output).toEqual({ matches: true });
  });

  it('refuses a second process on the same data', async () => {
    const { code, output } = await refusedStart({ dataDir: installation.dataDir, port: await freePort() });
    expect(code).toBe(1);
    expect(output).toContain(installation.dataDir);
    expect(output).toMatch(/in use|already|another/i);
    expect(output).not.toMatch(STACK_TRACE);
    expect(await new Api(installation.url).call('GET', '/health/ready')).toEqual({ status: 'ready' });
  });

  it('refuses a MASTER_KEY that opens nothing of the data, and serves as before with the right one', async () => {
    const api = new Api(installation.url);
    await api.register('other-master');
    await api.call('POST', '/api/v1/secrets', { name: 'TOKEN', value: 's3cr3t-value' });
    const workflow = await createWorkflow(api, [{ id: 'use', type: 'set', config: { it: '{{ secret.TOKEN }}' } }]);
    await installation.server.stop();
    const { code, output } = await refusedStart({
      dataDir: installation.dataDir,
      port: await freePort(),
      env: { MASTER_KEY: Buffer.alloc(32, 7).toString('base64') },
    });

    expect(code).toBe(1);
    expect(output).toContain('MASTER_KEY_PREVIOUS');
    expect(output).not.toMatch(STACK_TRACE);
    await installation.start();
    expect((await ended(api, await trigger(api, workflow))).status).toBe('completed');
  });
});

describe('a start that cannot succeed ends with exit code 1 and a sentence', () => {
  let dataDir: string;
  let port: number;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'everstep-e2e-'));
    port = await freePort();
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  it('when the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const taken = (other.address() as AddressInfo).port;
    try {
      const { code, output } = await refusedStart({ dataDir, port: taken });
      expect(code).toBe(1);
      expect(output).toContain(String(taken));
      expect(output).toMatch(/in use/i);
      expect(output).not.toMatch(STACK_TRACE);
    } finally {
      other.close();
    }
  });

  const refused: { env: Record<string, string>; words: string[] }[] = [
    {
      env: { PORT: 'abc', SERVICES: 'foo', EGRESS_ALLOW: '10.0.0.0/99', MONGO_URL: 'nonsense' },
      words: ['PORT="abc"', '65535', 'SERVICES', '"foo"', 'executor', 'EGRESS_ALLOW', '10.0.0.0/99', 'MONGO_URL'],
    },
    { env: { JWT_SECRET: 'short' }, words: ['JWT_SECRET', '32 bytes'] },
    { env: { PLANS_FILE: '/nonexistent/plans.json' }, words: ['PLANS_FILE', '/nonexistent/plans.json'] },
    { env: { HOST: '203.0.113.7' }, words: ['203.0.113.7'] },
  ];
  it.each(refused)('with $env', async ({ env, words }) => {
    const { code, output } = await refusedStart({ dataDir, port, env });
    expect(code).toBe(1);
    for (const word of words) expect(output).toContain(word);
    expect(output).not.toMatch(STACK_TRACE);
  });

  it('when the key file is broken', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'everstep-e2e-'));
    await writeFile(join(folder, 'keys.json'), '{"master_key": ');
    try {
      const { code, output } = await refusedStart({ dataDir: folder, port });
      expect(code).toBe(1);
      expect(output).toContain(join(folder, 'keys.json'));
      expect(output).toContain('backup');
      expect(output).not.toMatch(STACK_TRACE);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('when the data folder cannot be one', async () => {
    const file = join(dataDir, 'a-file');
    await writeFile(file, '');
    const { code, output } = await refusedStart({ dataDir: file, port });
    expect(code).toBe(1);
    expect(output).toContain(file);
    expect(output).not.toMatch(STACK_TRACE);
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkBackup, restoreBackup } from '../../start/backup/restore';
import { createBackup } from '../../start/backup/create';
import { Api, buildOnce, freePort, type ServerProcess, startServer } from '../support/server';
import { until } from '../support/until';

const ROOT = join(__dirname, '..', '..');
const { E2E_MAIN } = process.env;
const step = (id: string, type: string, config: object) => ({ id, type, config });
const workflow = (id: string, ...steps: object[]) => ({ name: id, dsl: { id, trigger: { type: 'manual' }, steps } });

describe('a backup of a server that serves', () => {
  let folder: string;
  let server: ServerProcess;
  let api: Api;

  /** Starts a script of package.json, by the file that it runs. */
  function tool(
    name: 'backup/main' | 'backup/restore-main' | 'migrate' | 'doctor/main',
    words: string[],
    dataDir = '',
  ): ChildProcess {
    const program = E2E_MAIN
      ? [join(dirname(E2E_MAIN), `${name}.js`)]
      : [join(ROOT, 'start', 'run.mjs'), '--script', `start/${name}`];
    const env = { PATH: process.env.PATH, DATA_DIR: join(folder, dataDir) };
    return spawn(process.execPath, [...program, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  async function ended(child: ChildProcess): Promise<{ code: number | null; out: string; err: string }> {
    const output = { out: '', err: '' };
    child.stdout?.on('data', (chunk: Buffer) => (output.out += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (output.err += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, ...output };
  }
  const backup = (...words: string[]) => ended(tool('backup/main', words, 'data'));
  const restore = (from: string, dataDir: string) => ended(tool('backup/restore-main', [join(folder, from)], dataDir));
  const runOf = async (body: object): Promise<string> => {
    const { id } = await api.call<{ id: string }>('POST', '/api/v1/workflows', body);
    return (await api.call<{ id: string }>('POST', `/api/v1/workflows/${id}/trigger`, {})).id;
  };
  const statusOf = async (id: string): Promise<unknown> => (await api.call('GET', `/api/v1/executions/${id}`)).status;
  const waits = async (id: string): Promise<boolean> =>
    ((await api.call<{ waiting: unknown[] }>('GET', `/api/v1/executions/${id}`)).waiting ?? []).length > 0;

  beforeAll(async () => {
    buildOnce();
    folder = await mkdtemp(join(tmpdir(), 'everstep-backup-'));
    server = await startServer({ dataDir: join(folder, 'data'), port: await freePort() });
    api = new Api(server.url);
    await api.register('acme');
  }, 60_000);

  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('is one instant of it, and a server on it goes on with its runs', async () => {
    await api.call('POST', '/api/v1/secrets', { name: 'WORD', value: 'sesame' });
    const asking = await runOf(
      workflow(
        'asks',
        step('ask', 'approval', { message: 'Go on?' }),
        step('say', 'set', { word: '{{ trigger.x ?? "none" }}' }),
      ),
    );
    const sleeping = await runOf(
      workflow('sleeps', step('nap', 'wait', { for: '3s' }), step('up', 'set', { ok: true })),
    );
    const many = Array.from({ length: 400 }, (_, n) => n);
    const looping = await runOf(
      workflow('loops', {
        id: 'each',
        type: 'foreach',
        config: { items: `{{ ${JSON.stringify(many)} }}` },
        steps: [step('one', 'set', { n: '{{ loop.item }}' })],
      }),
    );
    await until('all wait', async () => (await waits(asking)) && (await waits(sleeping)));
    let writes = 0;
    let writing = true;
    const writer = (async () => {
      for (; writing && writes < 150; writes++)
        await api.call('POST', '/api/v1/secrets', { name: `N${writes}`, value: 'a value' });
    })();
    const { code, out, err } = await backup(join(folder, 'one'));
    writing = false;
    await writer;
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('The backup has no keys') });
    const manifest = JSON.parse(out) as { collections: Record<string, number>; keys: boolean };
    expect(manifest).toMatchObject({ keys: false, collections: { executions: 3 } });
    expect(readdirSync(join(folder, 'one')).sort()).toEqual(['data.db', 'manifest.json']);
    await server.kill();

    // The keys first, as in the documentation.
    mkdirSync(join(folder, 'again'));
    copyFileSync(join(folder, 'data', 'keys.json'), join(folder, 'again', 'keys.json'));
    expect(await restore('one', 'again')).toMatchObject({
      code: 0,
      err: expect.not.stringContaining('Before the start'),
    });
    server = await startServer({ dataDir: join(folder, 'again'), port: await freePort() });
    api.url = server.url;
    const { data } = await api.call<{ data: { name: string }[] }>('GET', '/api/v1/secrets?limit=200');
    // Of the concurrent writes the backup has a prefix: no write is missing that is older than one in the backup.
    const numbers = data.map(({ name }) => Number(name.slice(1))).filter((n) => !Number.isNaN(n));
    expect(numbers.sort((one, other) => one - other)).toEqual(numbers.map((_, n) => n));
    expect(numbers.length).toBe((manifest.collections.secrets ?? 0) - 1);
    await api.call('POST', `/api/v1/executions/${asking}/signal`, { signal: 'approve-ask', data: { approved: true } });
    for (const id of [asking, sleeping, looping])
      await until(`the run ${id} completes`, async () => (await statusOf(id)) === 'completed', 20_000);
  }, 90_000);

  it('is refused where something is already, and where it was tampered with or not finished', async () => {
    const at = (name: string): string => join(folder, name);
    const quiet = (): void => undefined;
    const take = (out: string, withKeys: boolean) =>
      createBackup(at('again'), at(out), { withKeys, now: Date.now(), progress: quiet });
    expect(await take('two', true)).toMatchObject({ keys: true });
    await expect(take('two', false)).rejects.toThrow('is not empty');
    await expect(checkBackup(at('two'), quiet)).resolves.toMatchObject({ keys: true });
    // The server uses this folder.
    await expect(restoreBackup(at('two'), at('again'), quiet)).rejects.toThrow('is not empty');
    await restoreBackup(at('two'), at('fresh'), quiet);
    expect(readFileSync(at('fresh/keys.json'))).toEqual(readFileSync(at('data/keys.json')));
    const keys = readFileSync(at('two/keys.json'));
    const others = JSON.parse(keys.toString()) as Record<string, string>;
    for (const wrong of ['{}', JSON.stringify({ ...others, master_key: others.jwt_secret })]) {
      writeFileSync(at('two/keys.json'), wrong);
      await expect(checkBackup(at('two'), quiet)).rejects.toThrow('keys.json');
      await expect(restoreBackup(at('two'), at('other'), quiet)).rejects.toThrow('keys.json');
      expect(existsSync(at('other'))).toBe(false);
    }
    writeFileSync(at('two/keys.json'), keys);
    const data = readFileSync(at('two/data.db'));
    data.writeUInt8((data.readUInt8(data.length - 100) + 1) % 256, data.length - 100);
    writeFileSync(at('two/data.db'), data);
    await expect(checkBackup(at('two'), quiet)).rejects.toThrow('differs from what was backed up');
    await expect(restoreBackup(at('two'), at('other'), quiet)).rejects.toThrow('differs from what was backed up');
    expect(existsSync(at('other'))).toBe(false);
    await expect(restoreBackup(at('nowhere'), at('other'), quiet)).rejects.toThrow('there is no backup');
  }, 60_000);

  it('is of data that the other tools find in order, while it is served', async () => {
    const finished = await ended(tool('migrate', ['--finish'], 'again'));
    expect({ code: finished.code, err: finished.err }).toEqual({
      code: 0,
      err: expect.stringMatching(/^ *1 {2}done .*\n *2 {2}done /m),
    });
    const { code, out } = await ended(tool('doctor/main', ['--json'], 'again'));
    const { worst, findings } = JSON.parse(out) as { worst: string; findings: { check: string; what: string }[] };
    expect({ code, worst }).toEqual({ code: 0, worst: 'note' });
    expect(findings.find(({ check }) => check === 'migrations')?.what).toBe('the data is up to date');
    expect((await ended(tool('migrate', ['--finish', 'now'], 'again'))).code).toBe(1);
  }, 60_000);

  it('that is killed leaves nothing that looks like one', async () => {
    const child = tool('backup/main', [join(folder, 'three')], 'again');
    await until(
      'it has begun',
      () => readdirSync(folder).some((name) => name.startsWith('.three')) || existsSync(join(folder, 'three')),
    );
    child.kill('SIGKILL');
    await once(child, 'close');
    const checked = await ended(tool('backup/main', [join(folder, 'three'), '--check']));
    expect(checked.code).toBe(existsSync(join(folder, 'three')) ? 0 : 1);
    expect(await ended(tool('backup/main', [join(folder, 'four')], 'again'))).toMatchObject({ code: 0 });
  }, 60_000);
});

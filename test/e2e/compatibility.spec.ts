import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { restoreBackup } from '../../start/backup/restore';
import { Api, buildOnce, freePort, type ServerProcess, startServer } from '../support/server';
import { until } from '../support/until';

/** Made by `test/compatibility/fill.mjs` against version 0.1.0. */
const PACKED = join(__dirname, '..', 'compatibility', '0.1.0.tar.gz');

interface Facts {
  readonly login: object;
  readonly apiKey: string;
  readonly workflowKey: string;
  readonly hook: string;
  readonly runs: Readonly<Record<'asks' | 'listens' | 'naps', string>>;
  readonly base: string;
  readonly skill: string;
}

interface Run {
  readonly status: string;
  readonly output: unknown;
}

describe.each(['data folder', 'backup'])('a %s of version 0.1.0', (kind) => {
  let folder: string;
  let server: ServerProcess;
  let api: Api;
  let facts: Facts;

  const ended = async (id: string): Promise<Run> => {
    const get = (): Promise<Run> => api.call<Run>('GET', `/api/v1/executions/${id}`);
    await until('the run ends', async () => !['running', 'waiting'].includes((await get()).status));
    return get();
  };

  beforeAll(async () => {
    buildOnce();
    folder = await mkdtemp(join(tmpdir(), 'everstep-compatibility-'));
    const unpacked = spawnSync('tar', ['xzf', PACKED, '-C', folder], { encoding: 'utf8' });
    if (unpacked.status !== 0) throw new Error(unpacked.stderr);
    facts = JSON.parse(readFileSync(join(folder, 'facts.json'), 'utf8')) as Facts;
    let dataDir = join(folder, 'data');
    if (kind === 'backup') {
      dataDir = join(folder, 'restored');
      await restoreBackup(join(folder, 'backup'), dataDir, () => undefined);
      copyFileSync(join(folder, 'data', 'keys.json'), join(dataDir, 'keys.json'));
    }
    server = await startServer({ dataDir, port: await freePort() });
    api = new Api(server.url);
    api.token = (await api.call<{ token: string }>('POST', '/api/v1/auth/login', facts.login)).token;
  }, 60_000);

  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('opens: its definitions, skills and search are there', async () => {
    const { data } = await api.call<{ data: { name: string }[] }>('GET', '/api/v1/workflows');
    expect(data.map(({ name }) => name).sort()).toEqual(['asks', 'intake', 'listens', 'naps', 'yearly']);
    expect(await api.call('GET', `/api/v1/skills/${facts.skill}`)).toMatchObject({ name: 'invoice-check' });
    await until('the index has been built', async () => {
      const found = await api.ask<{ data?: { text: string }[] }>(
        'POST',
        `/api/v1/knowledge-bases/${facts.base}/query`,
        {
          query: 'how many holidays in a year?',
        },
      );
      return found.body.data?.some(({ text }) => text.includes('28 days')) === true;
    });
  });

  it('answers its webhooks and keys', async () => {
    const answer = await api.ask('POST', `/webhooks/${facts.hook}/sync`, { n: 21 });
    expect(answer).toMatchObject({ status: 201, body: { twice: 42, region: 'north' } });
    const byKey = await api.ask(
      'POST',
      `/run/${facts.hook}`,
      { n: 1 },
      { authorization: `Bearer ${facts.workflowKey}` },
    );
    expect(byKey.status).toBeLessThan(300);
    const listed = await api.ask('GET', '/api/v1/workflows', undefined, { authorization: `Bearer ${facts.apiKey}` });
    expect(listed.status).toBe(200);
  });

  it('goes on with runs that waited, from what they had recorded', async () => {
    expect(await ended(facts.runs.naps)).toMatchObject({ status: 'completed', output: { ok: true } });
    await api.call('POST', `/api/v1/executions/${facts.runs.listens}/signal`, { signal: 'news', data: { n: 7 } });
    expect(await ended(facts.runs.listens)).toMatchObject({ status: 'completed', output: { it: { n: 7 } } });
    await api.call('POST', `/api/v1/executions/${facts.runs.asks}/signal`, {
      signal: 'approve-ask',
      data: { approved: true },
    });
    const word = { word: 'kept', secret_length: 13 };
    expect(await ended(facts.runs.asks)).toMatchObject({ status: 'completed', output: word });
    const recorded = await api.call('GET', `/api/v1/executions/${facts.runs.asks}/detail`);
    expect(JSON.stringify(recorded)).toContain('x'.repeat(1_000));
  });

  it('stops cleanly', async () => {
    expect(await server.stop()).toBe(0);
  });
});

import { readFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { ProcessReaper } from '../../start/process-reaper';
import { createWorkflow, ended, trigger } from '../e2e/support/runs';
import { describeWith } from '../support/daemons';
import { Part, program } from '../support/part';
import { Api, buildOnce, freePort } from '../support/server';
import { eventually, MAX_WAIT_MS } from './support/eventually';

let reaper: ProcessReaper;
let dir: string;
const parts: Part[] = [];

beforeAll(async () => {
  buildOnce();
  reaper = new ProcessReaper();
  dir = await mkdtemp(join(tmpdir(), 'everstep-commands-'));
}, 120_000);

afterAll(async () => {
  await Promise.all(parts.map((part) => part.kill()));
  reaper.close();
  await rm(dir, { recursive: true, force: true });
});

/** A program of `start/`, until its output has the words. */
async function begin(
  name: 'store' | 'cluster',
  args: string[],
  words: RegExp,
  env: Record<string, string> = {},
): Promise<Part> {
  const part = new Part({
    name,
    command: [...program(name), ...args],
    env,
    url: null,
    ready: (output) => Promise.resolve(words.test(output)),
    reaper,
  });
  parts.push(part);
  await part.start();
  return part;
}

/** False also for a zombie: a process that has ended and that its parent has not waited for yet. */
function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe('npm run store', () => {
  const url = (store: Part): string =>
    store
      .output()
      .match(/MONGO_URL=\S+/g)
      ?.at(-1)
      ?.slice('MONGO_URL='.length) ?? '';

  /** How many documents there are, after one more. */
  async function insert(at: string): Promise<number> {
    const client = new MongoClient(at, { serverSelectionTimeoutMS: 2_000 });
    try {
      const notes = client.db().collection('notes');
      await notes.insertOne({});
      return await notes.countDocuments();
    } finally {
      await client.close();
    }
  }

  it('serves a database under a URL that is the same after a restart, to those who know the password', async () => {
    const folder = join(dir, 'store');
    const args = ['--listen', `127.0.0.1:${await freePort()}`, '--dir', folder];
    const store = await begin('store', args, /MONGO_URL=/);
    const first = url(store);
    expect(await insert(first)).toBe(1);
    await expect(insert(first.replace(/:[^:@]+@/, ':wrong@'))).rejects.toThrow(/auth/i);
    expect((await stat(join(folder, 'password'))).mode & 0o777).toBe(0o600);
    expect(await store.stop()).toBe(0);
    await store.start();
    expect(url(store)).toBe(first);
    expect(await insert(first)).toBe(2);
    await expect(
      begin('store', ['--listen', args[1] ?? '', '--dir', join(dir, 'other')], /MONGO_URL=/),
    ).rejects.toThrow(/in use/i);
    expect(await store.stop()).toBe(0);
  });

  it.each([
    [['--listen', 'somewhere'], /127\.0\.0\.1:27017/],
    [['--listen', '0.0.0.0:0'], /loopback/],
    [['--prot', '1'], /usage: npm run store/],
  ])('with %j refuses in words', async (args, words) => {
    const refusal = begin('store', [...args, '--dir', join(dir, 'refused')], /MONGO_URL=/);
    await expect(refusal).rejects.toThrow(words);
    await expect(refusal).rejects.not.toThrow(/^ {4}at /m);
  });
});

describeWith('nats', { own: true })('npm run cluster', () => {
  /** Pids by process name, from the table. */
  const pidsOf = (cluster: Part): Map<string, number> =>
    new Map(
      [...cluster.output().matchAll(/^ {2}((?:nats|store|executor|gateway)\S*) +(\d+)/gm)].map(([, name, pid]) => [
        name ?? '',
        Number(pid),
      ]),
    );

  it('is a whole cluster: it runs workflows, a process that dies starts again, and Ctrl-C leaves nothing behind', async () => {
    const port = await freePort();
    const env = { DATA_DIR: join(dir, 'cluster') };
    const cluster = await begin('cluster', ['--executors', '2', '--port', String(port), '--restart'], /The end/, env);
    const pids = pidsOf(cluster);
    expect([...pids.keys()]).toEqual(['nats', 'store', 'executor-1', 'executor-2', 'gateway-1']);
    const api = new Api(`http://127.0.0.1:${port}`);
    await api.register('local');
    const id = await createWorkflow(api, [{ id: 'one', type: 'set', config: { n: 1 } }]);
    expect((await ended(api, await trigger(api, id), MAX_WAIT_MS)).output).toEqual({ n: 1 });

    process.kill(pids.get('executor-1') as number, 'SIGKILL');
    await eventually('its end is printed', () => cluster.output().includes('ended: SIGKILL; restarting'));
    await eventually('it has restarted', () => cluster.output().includes('restarted with pid'));
    expect((await ended(api, await trigger(api, id), MAX_WAIT_MS)).status).toBe('completed');

    expect(await cluster.stop()).toBe(0);
    expect([...pids].filter(([, pid]) => lives(pid))).toEqual([]);
  }, 120_000);

  it('leaves no process behind when it is killed itself', async () => {
    const env = { DATA_DIR: join(dir, 'killed') };
    const args = ['--executors', '1', '--port', String(await freePort())];
    const cluster = await begin('cluster', args, /The end/, env);
    const pids = pidsOf(cluster);
    expect([...pids].filter(([, pid]) => !lives(pid))).toEqual([]);
    await cluster.kill();
    await eventually('all have gone', () => [...pids.values()].every((pid) => !lives(pid)));
  }, 120_000);
});

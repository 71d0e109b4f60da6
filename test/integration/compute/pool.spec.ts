import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type ComputePolicy, ComputePool } from '../../../lib/compute';
import {
  bytesTask,
  echoTask,
  endlessTask,
  memoryTask,
  openTestCompute,
  sleepTask,
  throwTask,
} from '../../support/compute/tasks.cjs';

const opened: ComputePool[] = [];
afterEach(() => Promise.all(opened.splice(0).map((pool) => pool.close())));

const open = (policy: Partial<ComputePolicy> = {}): ComputePool => {
  const pool = openTestCompute(policy);
  opened.push(pool);
  return pool;
};

describe('a pool of compute threads', () => {
  it('gives what the task returns', async () => {
    const compute = open().lane('a');
    const input = { text: 'a', list: [1, null], bytes: new Uint8Array([1, 2]) };
    expect(await compute.run(echoTask, input)).toEqual(input);
  });

  it('hands bytes over in both directions', async () => {
    const compute = open().lane('a');
    const bytes = new Uint8Array([1, 2, 3]);
    expect(await compute.run(echoTask, bytes, { transfer: [bytes.buffer] })).toEqual(new Uint8Array([1, 2, 3]));
    expect(bytes).toHaveLength(0);
    expect(await compute.run(bytesTask, 1_000)).toHaveLength(1_000);
  });

  it('ends a task at its timeout, which is final, and replaces the thread', async () => {
    const compute = open({ maxThreads: 1 }).lane('a');
    await expect(compute.run(endlessTask, null, { timeoutMs: 100 })).rejects.toMatchObject({
      code: 'timed_out',
      message: 'The computation took longer than 0.1 s',
      retryable: false,
    });
    expect(await compute.run(echoTask, 1)).toBe(1);
  });

  it('ends a task that only sleeps at its timeout', async () => {
    const compute = open({ maxThreads: 1 }).lane('a');
    const began = performance.now();
    await expect(compute.run(sleepTask, 60_000, { timeoutMs: 1_000 })).rejects.toMatchObject({ code: 'timed_out' });
    expect(performance.now() - began).toBeLessThan(9_000);
  });

  it('ends a task that exhausts its memory, and only its thread', async () => {
    const compute = open({ maxThreads: 1, heapMiB: 32 }).lane('a');
    await expect(compute.run(memoryTask, null, { timeoutMs: 60_000 })).rejects.toMatchObject({
      code: 'out_of_memory',
      retryable: false,
    });
    expect(await compute.run(echoTask, 1)).toBe(1);
  });

  it('reports what a task throws, and an input that cannot be copied', async () => {
    const compute = open({ maxThreads: 1 }).lane('a');
    await expect(compute.run(throwTask, 'broken')).rejects.toMatchObject({
      code: 'crashed',
      message: 'The computation failed: broken',
    });
    await expect(compute.run(echoTask, () => 1)).rejects.toMatchObject({ code: 'crashed' });
    expect(await compute.run(echoTask, 1)).toBe(1);
  });

  it('runs only what the list of modules names', async () => {
    const compute = open().lane('a');
    const unknown = { ...echoTask, module: 'lib/compute/worker' };
    await expect(compute.run(unknown, 1)).rejects.toMatchObject({ code: 'crashed' });
    await expect(compute.run({ ...echoTask, name: 'nothing' }, 1)).rejects.toMatchObject({ code: 'crashed' });
  });

  it('lets tenants take turns', async () => {
    const pool = open({ maxThreads: 1 });
    const order: string[] = [];
    const asked = ['a', 'a', 'a', 'b', 'c'].map(async (lane, n) => {
      await pool.lane(lane).run(echoTask, n);
      order.push(lane + n);
    });
    await Promise.all(asked);
    expect(order).toEqual(['a0', 'b3', 'c4', 'a1', 'a2']);
  });

  it('keeps the last thread for tenants that have none', async () => {
    const pool = open({ maxThreads: 2 });
    const stop = new AbortController();
    const greedy = [1, 2, 3].map(() =>
      pool.lane('greedy').run(endlessTask, null, { signal: stop.signal, timeoutMs: 60_000 }),
    );
    const settled = Promise.allSettled(greedy);
    expect(await pool.lane('modest').run(echoTask, 1)).toBe(1);
    expect(await pool.lane('modest').run(echoTask, 2)).toBe(2);
    stop.abort();
    expect(await settled).toEqual(
      greedy.map(() => ({ status: 'rejected', reason: expect.objectContaining({ code: 'aborted' }) })),
    );
  });

  it('refuses what is too much of one tenant, and others not', async () => {
    const pool = open({ maxThreads: 1, maxWaiting: 1 });
    const blocking = pool.lane('a').run(endlessTask, null, { timeoutMs: 300 });
    // It is on its way to the thread, not in the queue, as soon as the thread has started.
    await expect(pool.lane('a').run(echoTask, 1)).rejects.toMatchObject({ code: 'overloaded', retryable: true });
    const other = pool.lane('b').run(echoTask, 2);
    await expect(blocking).rejects.toMatchObject({ code: 'timed_out' });
    expect(await other).toBe(2);
  });

  it('rejects everything when it closes, and accepts no more', async () => {
    const pool = open({ maxThreads: 1 });
    const both = Promise.allSettled([
      pool.lane('a').run(endlessTask, null, { timeoutMs: 60_000 }),
      pool.lane('a').run(echoTask, 1),
    ]);
    await pool.close();
    const rejected = { status: 'rejected', reason: expect.objectContaining({ code: 'aborted', retryable: true }) };
    expect(await both).toEqual([rejected, rejected]);
    await expect(pool.lane('a').run(echoTask, 1)).rejects.toMatchObject({ code: 'aborted' });
  });

  it('reports that threads cannot start, for each task', async () => {
    const pool = new ComputePool({ entry: '/nowhere/worker.js' });
    opened.push(pool);
    for (let n = 0; n < 2; n++)
      await expect(pool.lane('a').run(echoTask, 1)).rejects.toMatchObject({
        code: 'crashed',
        message: expect.stringContaining('do not start'),
      });
  });

  it('does not keep the process alive once it is idle', () => {
    const { status, stdout } = spawnSync(
      process.execPath,
      ['test/support/run.mjs', 'test/integration/compute/idle-process.ts'],
      { cwd: join(__dirname, '..', '..', '..'), encoding: 'utf8', timeout: 25_000 },
    );
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'computed 1\n' });
  });
});

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type JobLost, type ThreadEvents, WorkerThread } from '../../../lib/threads/thread';

const folder = mkdtempSync(join(tmpdir(), 'everstep-thread-'));
afterAll(() => rmSync(folder, { recursive: true }));

const BUILD = join(__dirname, '../../../dist');
// Other systems have no statistics of threads; timeouts count all time there.
const onLinux = platform() === 'linux' ? it : it.skip;

type Thread = WorkerThread<number, never, string>;

/** A thread whose jobs take as many milliseconds as their message says; its statistics count them as waits for a processor. */
async function openWaiting(name: string, onFree: () => void = () => undefined): Promise<Thread> {
  const entry = join(__dirname, '../../support/compute/statistics-worker.cjs');
  let thread!: Thread;
  await new Promise<void>((resolve, reject) => {
    const events: ThreadEvents = {
      onFree: () => {
        onFree();
        resolve();
      },
      onExit: (fault) => fault !== null && reject(fault),
    };
    thread = new WorkerThread({ entry, resourceLimits: {}, workerData: join(folder, name) }, events);
  });
  return thread;
}

const run = (thread: Thread, ms: number, timeoutMs: number): Promise<string> =>
  new Promise((resolve) =>
    thread.run({
      message: ms,
      transfer: [],
      timeoutMs,
      onProgress: () => undefined,
      onDone: resolve,
      onLost: ({ kind }: JobLost) => resolve(kind),
    }),
  );

describe('the timeout of a worker thread', () => {
  it('does not count time in which the thread waits for a processor', async () => {
    const thread = await openWaiting('long');
    expect(await run(thread, 2_500, 500)).toBe('done');
    await thread.end();
  });

  it('counts it after ten times as much', async () => {
    const thread = await openWaiting('endless');
    const began = performance.now();
    expect(await run(thread, 60_000, 50)).toBe('timed_out');
    expect(performance.now() - began).toBeGreaterThanOrEqual(500);
  });

  onLinux.each(['compute/worker.js', 'documents/threads/worker.js'])(
    'has the statistics of the thread of %s',
    async (entry) => {
      const worker = new Worker(join(BUILD, 'lib', entry), { workerData: { modules: [] } });
      const ready = await new Promise((resolve) => worker.once('message', resolve));
      await worker.terminate();
      const statistics = expect.stringMatching(new RegExp(`^/proc/${process.pid}/task/\\d+/schedstat$`));
      expect(ready).toEqual({ kind: 'ready', statistics });
    },
  );

  onLinux(
    'is measured by statistics that grow with the use of a processor',
    async () => {
      const work = `const { parentPort, workerData } = require('node:worker_threads');
      const { ownStatistics, threadTimes } = require(workerData);
      const used = () => threadTimes(ownStatistics()).usedMs;
      const begun = used();
      while (used() - begun < 100);
      parentPort.postMessage('used');`;
      const workerData = join(BUILD, 'lib/threads/scheduler-statistics.js');
      const worker = new Worker(work, { eval: true, workerData });
      expect(await new Promise((resolve) => worker.once('message', resolve))).toBe('used');
      await worker.terminate();
    },
    30_000,
  );
});

test('a worker thread that is being ended takes no other job, also when a result still arrives', async () => {
  let freed = 0;
  const thread = await openWaiting('ended', () => {
    freed += 1;
  });
  const result = run(thread, 20, 60_000);
  // Without a pause of this thread: the result is sent, and not received yet.
  for (const end = performance.now() + 20_000; !existsSync(join(folder, 'ended.done')) && performance.now() < end; );
  const ended = thread.end();
  expect(await result).toBe('done');
  await ended;
  expect(thread.isFree).toBe(false);
  expect(freed).toBe(1);
});

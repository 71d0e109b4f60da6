import { mkdtempSync, rmSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { threadTimes } from '../../../lib/threads/scheduler-statistics';
import { WorkerThread } from '../../../lib/threads/thread';

const folder = mkdtempSync(join(tmpdir(), 'everstep-thread-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a job of so many milliseconds in a thread that says it waits for a processor all the time. */
async function runWaiting(ms: number, timeoutMs: number): Promise<string> {
  const entry = join(__dirname, '../../support/compute/statistics-worker.cjs');
  let thread!: WorkerThread<number, never, string>;
  await new Promise<void>((resolve, reject) => {
    const events = { onFree: resolve, onExit: (fault: Error | null) => fault !== null && reject(fault) };
    const options = { entry, resourceLimits: {}, workerData: join(folder, `${ms}-${timeoutMs}`) };
    thread = new WorkerThread(options, events);
  });
  try {
    return await new Promise((resolve) =>
      thread.run({
        message: ms,
        transfer: [],
        timeoutMs,
        onProgress: () => undefined,
        onDone: resolve,
        onLost: ({ kind }) => resolve(kind),
      }),
    );
  } finally {
    await thread.end();
  }
}

describe('the timeout of a worker thread', () => {
  it('does not count time in which the thread waits for a processor, up to ten times as much', async () => {
    expect(await runWaiting(600, 150)).toBe('done');
    expect(await runWaiting(60_000, 50)).toBe('timed_out');
  });

  const onLinux = platform() === 'linux' ? it : it.skip;
  onLinux('is measured by statistics that tell use, and waiting for a processor, apart', async () => {
    const work = `const { readlinkSync } = require('node:fs');
      const { parentPort } = require('node:worker_threads');
      const end = performance.now() + 200;
      while (performance.now() < end);
      parentPort.postMessage('/proc/' + readlinkSync('/proc/thread-self') + '/schedstat');
      parentPort.once('message', () => undefined);`;
    const worker = new Worker(work, { eval: true });
    const statistics = await new Promise<string>((resolve) => worker.once('message', resolve));
    const { usedMs, waitedMs } = threadTimes(statistics) ?? { usedMs: 0, waitedMs: 0 };
    await worker.terminate();
    // All of the 200 ms were one or the other.
    expect(usedMs + waitedMs).toBeGreaterThan(190);
    expect(usedMs).toBeGreaterThan(0);
  });
});

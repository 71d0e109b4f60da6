import { platform, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { Engine } from './engine';
import { ENGINES_KEPT } from './limits';
import type { FromThread, JobMessage, ThreadData } from './messages';
import { Shelf } from './shelf';

/**
 * Scripts that keep every processor busy must not make the rest of the process late: it gets three times their share.
 * Less for scripts would let them run out of their time on a machine that has much else to do.
 */
const NICENESS = 5;

/** The thread in which scripts run, one at a time. */
async function main(): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('this file is the entry of a worker thread');
  const { engine: compiled, stop } = workerData as ThreadData;
  const send = (message: FromThread): void => port.postMessage(message);
  // On Linux this is a matter of the thread; elsewhere it would be one of the process.
  if (platform() === 'linux') setPriority(NICENESS);
  // The engine asks the host for its time zone. Scripts must not come to other results on another machine.
  Date.prototype.getTimezoneOffset = () => 0;

  const shelf = new Shelf(ENGINES_KEPT, () => Engine.create(compiled));
  const run = async (job: JobMessage): Promise<void> => {
    const engine = await shelf.take(job.lane);
    const end = performance.now() + job.timeoutMs;
    const ran = engine.run(job, () => performance.now() > end || Atomics.load(stop, 0) === job.id);
    send({ kind: 'done', id: job.id, ran });
    shelf.put(job.lane, engine);
  };
  port.on('message', (job: JobMessage) => void run(job));
  send({ kind: 'ready' });
}

void main();

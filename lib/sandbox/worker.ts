import { platform, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { Engine } from './engine';
import { ENGINES_KEPT } from './limits';
import type { FromThread, ToThread } from '../threads/thread';
import type { JobMessage, Ran, ThreadData } from './messages';
import { EnginePool } from './engine-pool';

/**
 * Scripts must not delay the rest of the process, which gets three times their share. A lower share would make scripts
 * time out on a busy machine.
 */
const NICENESS = 5;

/** Worker thread: runs one script at a time. */
async function main(): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('this file is the entry of a worker thread');
  const { engine: compiled, stop } = workerData as ThreadData;
  const send = (message: FromThread<never, Ran>): void => port.postMessage(message);
  // On Linux this sets the priority of the thread; elsewhere it would set that of the process.
  if (platform() === 'linux') setPriority(NICENESS);
  // The engine reads the host's time zone. Scripts must give the same results on every machine.
  Date.prototype.getTimezoneOffset = () => 0;

  const shelf = new EnginePool(ENGINES_KEPT, () => Engine.create(compiled));
  const run = async ({ id, message: job }: ToThread<JobMessage>): Promise<void> => {
    const engine = await shelf.take(job.lane);
    const end = performance.now() + job.timeoutMs;
    const ran = engine.run(job, () => performance.now() > end || Atomics.load(stop, 0) === id);
    send({ kind: 'done', id, result: ran });
    shelf.put(job.lane, engine);
  };
  port.on('message', (job: ToThread<JobMessage>) => void run(job));
  send({ kind: 'ready', statistics: null });
}

void main();

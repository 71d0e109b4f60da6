import { parentPort, workerData } from 'node:worker_threads';
import { Engine } from './engine';
import { ENGINES_KEPT } from './limits';
import type { FromThread, JobMessage, ThreadData } from './messages';
import { Shelf } from './shelf';

/** The thread in which scripts run, one at a time. */
async function main(): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('this file is the entry of a worker thread');
  const { engine: compiled, stop } = workerData as ThreadData;
  const send = (message: FromThread): void => port.postMessage(message);
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

import { parentPort, workerData } from 'node:worker_threads';
import { Engine } from './engine';
import type { FromThread, JobMessage, ThreadData } from './messages';

/** The thread in which scripts run, one at a time. */
async function main(): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('this file is the entry of a worker thread');
  const { engine: compiled, stop } = workerData as ThreadData;
  const send = (message: FromThread): void => port.postMessage(message);
  // The engine asks the host for its time zone. Scripts must not come to other results on another machine.
  Date.prototype.getTimezoneOffset = () => 0;

  let engine = Engine.create(compiled);
  let lane: string | null = null;
  const run = async (job: JobMessage): Promise<void> => {
    if (lane !== null && lane !== job.lane) engine = Engine.create(compiled);
    lane = job.lane;
    const current = await engine;
    const end = performance.now() + job.timeoutMs;
    const ran = current.run(job, () => performance.now() > end || Atomics.load(stop, 0) === job.id);
    send({ kind: 'done', id: job.id, ran });
    if (current.spent) engine = Engine.create(compiled);
  };
  port.on('message', (job: JobMessage) => void run(job));
  await engine;
  send({ kind: 'ready' });
}

void main();

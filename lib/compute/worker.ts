import { platform, setPriority } from 'node:os';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { ownStatistics } from '../threads/scheduler-statistics';
import type { FromThread, ToThread } from '../threads/thread';
import type { TaskMessage, TaskProgress, TaskResult, ThreadData } from './messages';
import type { ComputeTask } from './task';

/** Folder of the compiled program, in which modules are. */
const ROOT = join(__dirname, '..', '..');
/** Below the priority of threads that serve requests. */
const NICENESS = 10;

/** Worker thread: runs one task at a time. */
function main(): void {
  const port = parentPort;
  if (port === null) throw new Error('this file is the entry of a worker thread');
  const { modules } = workerData as ThreadData;
  const send = (message: FromThread<TaskProgress, TaskResult>, transfer: ArrayBuffer[] = []): void =>
    port.postMessage(message, transfer);
  // On Linux this sets the priority of the thread; elsewhere it would set that of the process.
  if (platform() === 'linux') setPriority(NICENESS);

  const run = async (id: number, { module, name, input }: TaskMessage): Promise<void> => {
    try {
      if (!modules.includes(module)) throw new Error(`${module} is not a module of tasks`);
      const task = (require(join(ROOT, module)) as Record<string, ComputeTask<unknown, unknown>>)[name];
      if (task === undefined) throw new Error(`${module} has no task ${name}`);
      send({ kind: 'progress', id, progress: 'begun' });
      const result = await task.run(input);
      send({ kind: 'done', id, result: { kind: 'result', result } }, transferable(result));
    } catch (fault) {
      send({
        kind: 'done',
        id,
        result: { kind: 'failed', message: fault instanceof Error ? fault.message : String(fault) },
      });
    }
  };
  port.on('message', ({ id, message }: ToThread<TaskMessage>) => void run(id, message));
  // At this niceness a busy machine gives it little of a processor.
  send({ kind: 'ready', statistics: ownStatistics() });
}

/** Bytes that fill their buffer are transferred, not copied. */
const transferable = (result: unknown): ArrayBuffer[] =>
  result instanceof Uint8Array && result.buffer instanceof ArrayBuffer && result.byteLength === result.buffer.byteLength
    ? [result.buffer]
    : [];

main();

import { type ComputeTask, defineTask } from '../../../lib/compute/task';

const MODULE = 'test/support/compute/tasks';

/** Returns its input. */
export const echoTask: ComputeTask<unknown, unknown> = defineTask(MODULE, 'echoTask', (input) => input);

/** Never ends. */
export const endlessTask: ComputeTask<null, never> = defineTask(MODULE, 'endlessTask', () => {
  for (;;) Math.random();
});

/** Takes all memory of its thread. */
export const memoryTask: ComputeTask<null, never> = defineTask(MODULE, 'memoryTask', () => {
  const lists: number[][] = [];
  for (;;) lists.push(Array.from({ length: 100_000 }, (_unused, index) => index + 0.5));
});

export const throwTask: ComputeTask<string, never> = defineTask(MODULE, 'throwTask', (message) => {
  throw new Error(message);
});

/** So many bytes. */
export const bytesTask: ComputeTask<number, Uint8Array> = defineTask(MODULE, 'bytesTask', (n) => new Uint8Array(n));

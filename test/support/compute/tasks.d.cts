import type { ComputePolicy, ComputePool } from '../../../lib/compute';
import type { ComputeTask } from '../../../lib/compute/task';

export const echoTask: ComputeTask<unknown, unknown>;
export const endlessTask: ComputeTask<null, never>;
export const sleepTask: ComputeTask<number, string>;
export const memoryTask: ComputeTask<null, never>;
export const throwTask: ComputeTask<string, never>;
export const bytesTask: ComputeTask<number, Uint8Array>;
/** A pool on these tasks. To be closed. */
export function openTestCompute(policy?: Partial<ComputePolicy>): ComputePool;

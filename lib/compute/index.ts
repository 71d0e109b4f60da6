/**
 * Runs pure work of user-controlled length without blocking the main thread.
 *
 * Usually short work runs inline first: `sliceWork` ends it after some milliseconds when its loops call `tick`, and the
 * same work then runs as a task on the pool, with a timeout. Work known to be long, by its cost or input size, runs as
 * a task at once. Tasks are declared with `defineTask` in the modules of TASK_MODULES.
 */
export { type Compute, ComputeError, type ComputeOptions, type ComputePolicy, ComputePool } from './pool';
export { defineTask } from './task';
export { operationsCounted, sliceWork, tick } from './time-slice';

import type { Compute } from '../../lib/compute';

/** Runs tasks in the thread of the caller, in the order of the calls. */
export const inlineCompute: Compute = { run: async ({ run }, input) => run(input) };

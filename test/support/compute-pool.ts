import { type Compute, type ComputePolicy, ComputePool } from '../../lib/compute';
import { compiledRoot } from './compiled';

/** A pool with real threads, on the tasks of the product. To be closed. */
export const openCompute = (policy: Partial<ComputePolicy> = {}): ComputePool =>
  new ComputePool({
    policy,
    root: compiledRoot([
      'lib',
      'dsl',
      'nodes',
      'services/auth/factors/passkeys',
      'services/auth/sso',
      'services/connectors/openapi',
      'services/evaluations/rules',
      'services/skills/rules',
    ]),
  });

/** A pool with real threads, on the tasks of `tasks.ts`. */
export const openTestCompute = (policy: Partial<ComputePolicy> = {}): ComputePool =>
  new ComputePool({
    policy,
    root: compiledRoot(['lib/compute', 'lib/threads', 'test/support/compute']),
    modules: ['test/support/compute/tasks'],
  });

/** Runs tasks in the thread of the caller, in the order of the calls. */
export const inlineCompute: Compute = { run: async ({ run }, input) => run(input) };

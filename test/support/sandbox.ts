import { type PoolPolicy, SandboxPool } from '../../lib/sandbox';
import { compiledFile } from './compiled';

/** A pool with real threads. */
export const openSandbox = (policy: Partial<PoolPolicy> = {}): SandboxPool =>
  new SandboxPool({ policy, entry: compiledFile('lib/sandbox/worker.ts', ['lib/sandbox', 'lib/threads']) });

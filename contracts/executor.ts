import { contract } from './contract';
import { startParams } from './executions/params';
import type { StartResult } from './executions/views';
import * as s from '../lib/schema';

export const executorContract = contract('executor', {
  /** Starts a run on this host. */
  start: {
    access: 'internal',
    repeatable: true,
    summary: 'Starts a run on this host',
    params: startParams,
    result: s.typed<StartResult>(),
  },
  ready: {
    access: 'internal',
    repeatable: true,
    summary: 'Whether this host takes on runs',
    params: {},
    result: s.typed<{
      ready: boolean;
      running: number;

      reason: string | null;
    }>(),
  },
});

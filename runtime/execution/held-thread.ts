import type { Execution } from '../core/model';
import type { ActorDeps } from './deps';

/** Reports the run and step that blocked the main thread: all other runs of the process waited. */
export function reportHeldThread(
  { meters, log }: Pick<ActorDeps, 'meters' | 'log'>,
  execution: Execution,
  stepId: string | undefined,
  tookMs: number,
): void {
  meters.heldThread(tookMs);
  log(execution, 'warn', `Main thread blocked for ${Math.round(tookMs)} ms by this run`, undefined, stepId);
}

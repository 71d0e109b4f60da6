import type { AttemptResult } from '../core/decide/event';
import type { ExitReason } from './deps';

/** Label of an exit in metrics. `aside` is the published label of a yielded run. */
type ExitLabel = Exclude<ExitReason['kind'], 'yielded'> | 'aside';

/** Metrics of a host. Called on the hot path: implementations must not block or throw. Times in milliseconds. */
export interface Meters {
  /** An attempt of a step has ended. */
  stepEnded(type: string, outcome: AttemptResult['kind'] | 'cached', tookMs: number): void;
  /** A record was created. */
  recorded(entries: number, json: string): void;
  /** A record became durable. */
  flushed(tookMs: number): void;
  /** A timer in memory fired this long after it was due. */
  timerFired(lateMs: number): void;
  /** A run was claimed this long after it was due. */
  claimed(lagMs: number): void;
  /** `late`: answered after the next renewal was due. */
  leaseRenewed(result: 'ok' | 'late' | 'lost'): void;
  /** Runs of dead hosts were freed. */
  takenOver(runs: number): void;
  /** Work of a run blocked the main thread this long. */
  heldThread(tookMs: number): void;
  /** A run was given up as a poison run. */
  poisoned(): void;
  /** A run has left memory. */
  left(reason: ExitLabel): void;
}

/** Metrics are not collected. */
export const NO_METERS: Meters = {
  stepEnded() {},
  recorded() {},
  flushed() {},
  timerFired() {},
  claimed() {},
  leaseRenewed() {},
  takenOver() {},
  heldThread() {},
  poisoned() {},
  left() {},
};

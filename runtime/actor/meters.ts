import type { Settled } from '../rules/event';
import type { Verdict } from './deps';

/** What a host tells of its work, to be counted. Called on the hot path: nothing may be kept, or thrown. Times in milliseconds. */
export interface Meters {
  /** An attempt of a step is over. */
  stepEnded(type: string, outcome: Settled['kind'] | 'cached', tookMs: number): void;
  /** A record was made, with this text. */
  recorded(entries: number, json: string): void;
  /** It was durable after so long. */
  flushed(tookMs: number): void;
  /** A timer in memory has fired so long after it was due. */
  timerFired(lateMs: number): void;
  /** A run was claimed so long after it was due. */
  claimed(lagMs: number): void;
  /** Late: beyond the time of the next renewal. */
  leaseRenewed(result: 'ok' | 'late' | 'lost'): void;
  /** Runs of dead hosts were freed. */
  takenOver(runs: number): void;
  /** A run has left memory. */
  left(verdict: Verdict['kind']): void;
}

/** For whoever counts nothing. */
export const NO_METERS: Meters = {
  stepEnded() {},
  recorded() {},
  flushed() {},
  timerFired() {},
  claimed() {},
  leaseRenewed() {},
  takenOver() {},
  left() {},
};

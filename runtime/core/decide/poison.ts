/**
 * Poison runs: runs that crash the process, or the activation, of every host that claims them. Owns: when a run is
 * given up. Does not own: the count of claims, which is in the run's document (`Execution.claims`).
 *
 * A claim counts as failed when the run has not been released since: its host died, was killed or lost its lease, or a
 * rule failed. It stops counting once it has recorded progress, or has lasted long enough (see `Suspects`).
 */
import { stepIdOf } from '../../../dsl';
import type { RunError } from '../entries/entry';
import type { Survey } from '../entries/survey';
import type { Execution } from '../model';

/** A run is given up after this many consecutive claims that recorded nothing. */
const MAX_SILENT_CLAIMS = 3;

/**
 * A run is given up after this many consecutive claims that recorded only intents of steps. The limit is higher, as a
 * host that an operator kills repeatedly interrupts a long step each time.
 */
const MAX_INTERRUPTED_CLAIMS = 10;

/** A run with this many failed claims is claimed alone, so that another run cannot be blamed for its crash. */
const MIN_SUSPECT_CLAIMS = 2;

/** True when an unowned run must be claimed alone. */
export const isSuspect = ({ claims }: Pick<Execution, 'claims'>): boolean => claims >= MIN_SUSPECT_CLAIMS;

/** True when the history of a claimed run is surveyed before it is loaded. */
export const mayBePoisoned = ({ claims }: Pick<Execution, 'claims'>): boolean => claims > MAX_SILENT_CLAIMS;

/** The error of a poison run; null when the run continues. */
export function poisoned(
  { claims, epoch }: Pick<Execution, 'claims' | 'epoch'>,
  { recordedEpoch, progressEpoch, open }: Survey,
): RunError | null {
  const failedSince = (progress: number): number => Math.min(claims, epoch - progress) - 1;
  const silent = failedSince(recordedEpoch);
  const interrupted = failedSince(progressEpoch);
  if (silent < MAX_SILENT_CLAIMS && interrupted < MAX_INTERRUPTED_CLAIMS) return null;
  const times = silent >= MAX_SILENT_CLAIMS ? silent : interrupted;
  const last = [...open].at(-1);
  return {
    code: 'poisoned',
    message:
      `This run was claimed ${times} times in a row, and each time its host crashed or failed before the run ` +
      'made progress. It will not be claimed again, and no cleanup was run. Fix the cause, then start it again',
    step_id: last === undefined ? null : stepIdOf(last),
  };
}

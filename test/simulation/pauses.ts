/** Invariants of paused runs. */
import type { Entry } from '../../runtime/core/entries/entry';
import type { Execution } from '../../runtime/core/model';
import { flowOf } from './flows';
import type { Recorded } from './history';
import type { Watch } from './watch';

/** Nothing begins while a run is paused, nor after a claim of a paused run. */
export function judgePauses({ id, planHash }: Execution, history: readonly Recorded[], watch: Watch): void {
  const begun = new Set<string>();
  const last = new Map<string, Entry>();
  let paused: Extract<Entry, { kind: 'run.paused' }> | null = null;
  for (const { entry, epoch } of history) {
    const { kind } = entry;
    if (kind === 'run.closing' || kind === 'run.resumed') paused = null;
    const found = paused === null ? null : faultIn(entry, paused.at, last, begun);
    if (found !== null) watch.report('nothing begins in a pause', `${id}: ${found}`);
    const rev = watch.pausedClaims.get(`${id} ${epoch}`);
    const isResumed = watch.resumes.get(id)?.some((other) => other > (rev ?? 0)) === true;
    const goesOn = paused === null && (BEGINS.has(kind) || 'mail' in entry);
    if (goesOn && rev !== undefined && !isResumed && !isClosing(history, entry))
      watch.report('paused when requested', `${id}: claim ${epoch} was of a paused run, and it records ${kind}`);
    if (kind === 'run.ended' && entry.status === 'completed' && paused !== null && !isStopped(planHash, last))
      watch.report('nothing begins in a pause', `${id} completed`);
    if (kind === 'run.paused') paused = entry;
    if (kind === 'step.started') begun.add(`${entry.path} ${entry.attempt}`);
    if ('path' in entry) last.set(entry.path, entry);
  }
}

const BEGINS = new Set<Entry['kind']>(['step.started', 'step.opened', 'step.skipped', 'loop.turn', 'loop.item']);

/** What is wrong with an entry of a run that was paused at `since`; null for the end of what was in flight. */
function faultIn(
  entry: Entry,
  since: number,
  last: ReadonlyMap<string, Entry>,
  begun: ReadonlySet<string>,
): string | null {
  if (!('path' in entry) || entry.kind === 'step.cancelled') return null;
  const at = `${entry.path}: ${entry.kind}`;
  const isSecondIntent = entry.kind === 'step.started' && begun.has(`${entry.path} ${entry.attempt}`);
  if (BEGINS.has(entry.kind)) return isSecondIntent ? null : at;
  if ('mail' in entry) return `${at} by ${entry.mail}`;
  const isEnd = entry.kind === 'step.completed' || entry.kind === 'step.failed';
  if (isEnd && last.get(entry.path)?.kind === 'step.waiting') return `${at} after its wait`;
  // A step without effects records only its end.
  return isEnd && entry.started > since ? `${at}, begun at ${entry.started}` : null;
}

const isClosing = (history: readonly Recorded[], entry: Entry): boolean =>
  history
    .slice(
      0,
      history.findIndex((recorded) => recorded.entry === entry),
    )
    .some((recorded) => recorded.entry.kind === 'run.closing');

/** True when the last step has stopped the run. */
function isStopped(planHash: string, last: ReadonlyMap<string, Entry>): boolean {
  const path = [...last.keys()].at(-1);
  return path !== undefined && flowOf(planHash).plan.byPath.get(path)?.def.type === 'stop';
}

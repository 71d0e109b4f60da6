/** Invariants of starts that become one run, by debounce or batch. */
import { eventsOf, type Gathering } from '../../runtime/core/decide/gathering';
import type { Execution } from '../../runtime/core/model';
import type { SimDatabase } from '../support/runtime/sim-store';
import { MAX_SKEW_MS, type Watch } from './watch';

/** Each start belongs to one run, which is the one that its caller was answered with. */
export function judgeGatherings(db: SimDatabase, watch: Watch): void {
  const runsOf = new Map<string, string[]>();
  for (const execution of db.executions.values()) {
    const { gathering, id } = execution;
    if (gathering === undefined) continue;
    for (const start of gathering.starts) runsOf.set(start, [...(runsOf.get(start) ?? []), id]);
    judgeTrigger(execution, gathering, watch);
    judgeTime(execution, gathering, watch);
  }
  for (const [start, runs] of runsOf)
    if (runs.length > 1) watch.report('gathered once', `${start} is in ${runs.join()}`);
  for (const [start, runs] of watch.gatheredIn) {
    const [run] = runs;
    if (runs.size > 1) watch.report('gathered once', `${start} was answered with ${[...runs].join()}`);
    else if (!runsOf.get(start)?.includes(run as string))
      watch.report('nothing lost', `${start} was answered with ${run}, which does not have it`);
  }
}

function judgeTrigger({ id, trigger }: Execution, { kind, starts, count, maxSize }: Gathering, watch: Watch): void {
  const shown = kind === 'batch' ? eventsOf(trigger).map(({ start }) => start) : [trigger.start];
  const expected = kind === 'batch' ? starts : starts.slice(-1);
  if (shown.join() !== expected.join())
    watch.report('nothing lost', `${id} has the triggers of ${shown.join()}, and the starts ${starts.join()}`);
  if (maxSize !== null && count > maxSize) watch.report('limits kept', `${id} has ${count} starts of ${maxSize}`);
  const begun = watch.begunWith.get(id);
  if (begun !== undefined && begun.join() !== starts.join())
    watch.report('gathered once', `${id} began with ${begun.join()}, and has ${starts.join()}`);
}

/** A run begins when its last start is old enough, or its first one too old, or it is full. */
function judgeTime({ id }: Execution, { kind, starts, count, maxSize, beginsAt }: Gathering, watch: Watch): void {
  const [first, last] = [starts[0] as string, starts.at(-1) as string];
  const rule = watch.rules.get(first);
  if (count === maxSize || rule === undefined) return;
  const dueAfter = (times: (start: string) => number): number =>
    kind === 'batch'
      ? times(first) + rule.periodMs
      : Math.min(times(last) + rule.periodMs, times(first) + rule.maxWaitMs);
  // A start is dated between the moment at which it is asked for and the one at which its run takes it.
  const earliest = dueAfter((start) => watch.askedAt.get(start) ?? 0);
  const latest = dueAfter((start) => watch.takenAt.get(`${id} ${start}`) ?? Number.POSITIVE_INFINITY);
  if (beginsAt < earliest - MAX_SKEW_MS || beginsAt > latest + MAX_SKEW_MS)
    watch.report('gathered in time', `${id} begins at ${beginsAt}, and not between ${earliest} and ${latest}`);
}

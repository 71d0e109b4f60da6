import { addressOf, iterationOf } from '../../dsl';
import type { StepEntry } from '../../runtime/core/entries/entry';
import type { TimelineSpan } from '../../contracts/executions/views';
import type { RecordedStep } from './step-views';

/** A stretch that has begun. */
interface Open {
  readonly kind: TimelineSpan['kind'];
  readonly attempt: number;
  readonly from: number;
}

/** One that is over. */
interface Closed extends Open {
  readonly to: number;
  readonly outcome: TimelineSpan['outcome'];
}

/** When a step was at work, when it waited, and when it paused before it was tried again: a fold over its entries. Pure. */
export function spansOf({ path, step: { def }, entries }: RecordedStep): TimelineSpan[] {
  const shown = ({ kind, attempt, from }: Open, to: number | null, outcome: TimelineSpan['outcome']): TimelineSpan => ({
    step_id: def.id,
    address: addressOf(path),
    path,
    iteration: iterationOf(path),
    type: def.type,
    kind,
    attempt,
    started_at: new Date(from).toISOString(),
    ended_at: to === null ? null : new Date(to).toISOString(),
    duration_ms: to === null ? null : to - from,
    outcome,
  });
  const spans: TimelineSpan[] = [];
  let open: Open | null = null;
  for (const entry of entries) {
    const next = turn(entry, open);
    spans.push(...next.closed.map((span) => shown(span, span.to, span.outcome)));
    open = next.open;
  }
  return open === null ? spans : [...spans, shown(open, null, null)];
}

const run = (attempt: number, from: number): Open => ({ kind: 'run', attempt, from });

/** What an entry ends, and what it begins. */
function turn(entry: StepEntry, open: Open | null): { closed: Closed[]; open: Open | null } {
  const ended = (outcome: TimelineSpan['outcome'], to = entry.at): Closed[] =>
    open === null ? [] : [{ ...open, to, outcome }];
  switch (entry.kind) {
    case 'step.started':
      return { closed: ended(open?.kind === 'pause' ? 'resumed' : 'interrupted'), open: run(entry.attempt, entry.at) };
    case 'step.opened':
      return { closed: [], open: run(1, entry.at) };
    case 'step.waiting':
      return { closed: ended('waits'), open: { kind: 'wait', attempt: entry.attempt, from: entry.at } };
    case 'step.resumed':
      return { closed: ended('resumed'), open: run(open?.attempt ?? 1, entry.at) };
    case 'step.completed':
      return { closed: settled(entry, 'completed'), open: null };
    case 'step.failed':
      return {
        closed: settled(entry, 'failed'),
        open: entry.retryAt === null ? null : { kind: 'pause', attempt: entry.attempt + 1, from: entry.at },
      };
    case 'step.cancelled':
      return { closed: ended('cancelled'), open: null };
    case 'step.skipped':
    case 'step.noted':
    case 'loop.turn':
    case 'loop.item':
      return { closed: [], open };
  }

  /** Of a step without effects nothing is recorded before its end, which tells when it began. */
  function settled(end: { at: number; started: number; attempt: number }, outcome: TimelineSpan['outcome']): Closed[] {
    if (open !== null && open.kind !== 'pause') return ended(outcome);
    return [...ended('resumed', end.started), { ...run(end.attempt, end.started), to: end.at, outcome }];
  }
}

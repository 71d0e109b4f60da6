/** What is stored of a rule and a workflow, and how it advances. Pure. */
import type { AlertCondition, EndedRun } from '../../../contracts/alerts';
import { type Incident, NO_INCIDENT, nextNoticeAt, type Notice, type Policy, step } from './incident';
import { type Facts, measureFacts, measureRuns, measureTime, type Measured, type Meter } from './meter';

export interface Watch {
  readonly incident: Incident;
  readonly meter: Meter;
  /** The last batch of ended runs that was counted, so that none is counted twice. */
  readonly batch: number;
  /** Notices that are not yet on their way; stored with what they are about. */
  readonly outbox: readonly Notice[];
}

export const NEW_WATCH: Watch = { incident: NO_INCIDENT, meter: { kind: 'none' }, batch: 0, outbox: [] };

export type Input =
  | { readonly kind: 'runs'; readonly batch: number; readonly runs: readonly EndedRun[] }
  /** Of this workflow; null: there is nothing to say of it. */
  | { readonly kind: 'facts'; readonly facts: Facts | null }
  | { readonly kind: 'time' };

/** The same object when nothing has changed. */
export function advance(condition: AlertCondition, watch: Watch, input: Input, now: number, policy: Policy): Watch {
  if (input.kind === 'runs' && input.batch <= watch.batch) return watch;
  const { meter, seen } = measured(condition, watch.meter, input, now);
  let { incident } = watch;
  const notices: Notice[] = [];
  for (const observation of seen) {
    const next = step(incident, observation, now, policy);
    incident = next.incident;
    notices.push(...next.notices);
  }
  const after: Watch = {
    incident,
    meter,
    batch: input.kind === 'runs' ? input.batch : watch.batch,
    outbox: [...watch.outbox, ...notices],
  };
  // What the batch has not changed, it would not change a second time.
  return isSame(watch, after) ? watch : after;
}

function measured(condition: AlertCondition, meter: Meter, input: Input, now: number): Measured {
  switch (input.kind) {
    case 'runs':
      return measureRuns(condition, meter, input.runs, now);
    case 'facts':
      return measureFacts(condition, meter, input.facts, now);
    case 'time':
      return measureTime(condition, meter, now);
  }
}

const isSame = (a: Watch, b: Watch): boolean =>
  JSON.stringify([a.incident, a.meter, a.outbox]) === JSON.stringify([b.incident, b.meter, b.outbox]);

/** How often a firing condition of a window is measured again, as it ends by the passing of time. */
const WINDOW_MS = 15_000;
/** A process sends what it has stored at once; after this time any process does. */
const OUTBOX_MS = 5_000;

/** When a watch has to be looked at without anything happening; null: never. */
export function attentionAt(
  condition: AlertCondition,
  { incident, outbox }: Watch,
  now: number,
  policy: Policy,
): number | null {
  if (outbox.length > 0) return now + OUTBOX_MS;
  const notice = nextNoticeAt(incident, policy);
  if (notice === null) return null;
  const isWindow = condition.kind === 'failure_rate' || condition.kind === 'p95_duration';
  return isWindow ? Math.min(notice, now + WINDOW_MS) : notice;
}

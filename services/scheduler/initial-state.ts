import type { PollTimer, ScheduleTimer, Timer } from '../../contracts/scheduler';
import type { ScheduleRecord } from './models';
import { beginAgain, NEVER_POLLED, type PollState, writePollState } from './rules/poll-state';
import { timelineOf } from './rules/timeline';
import type { Timed } from './store';

/** Input for the state of a timer that is new, changed, paused or resumed. */
interface Beginning<T extends Timer = Timer> {
  readonly timer: T;
  readonly active: boolean;
  /** The previous timer; null for a new one. */
  readonly before: Timed | null;
  readonly now: number;
}

export type InitialFields = Omit<ScheduleRecord, '_id' | 'tenant_id' | 'workflow_id' | 'revision' | 'active' | 'held'>;

/** The fields of a trigger that starts now, or is paused. Clears an earlier claim. Pure. */
export const initialFields = (id: string, { timer, ...rest }: Beginning): InitialFields => ({
  kind: timer.kind,
  timer: JSON.stringify(timer),
  paused: !rest.active,
  holder: null,
  tries: 0,
  trouble: null,
  ...(timer.kind === 'poll' ? begunSource({ timer, ...rest }) : begunSchedule(id, { timer, ...rest })),
});

type Fields = Pick<InitialFields, 'anchor' | 'next_at' | 'wake_at' | 'last_run' | 'poll'>;

function begunSchedule(id: string, { timer, active, before, now }: Beginning<ScheduleTimer>): Fields {
  const same = before !== null && before.record.timer === JSON.stringify(timer);
  const anchor = same ? before.record.anchor : new Date(now);
  const line = timelineOf(id, timer, anchor.getTime());
  const slot = active ? line.next(now) : null;
  return {
    anchor,
    next_at: slot === null ? null : new Date(slot),
    wake_at: slot === null ? null : new Date(line.due(slot)),
    last_run: before?.record.last_run ?? null,
    poll: null,
  };
}

/**
 * A source is polled at once, so that its existing items are known. An unchanged source keeps its seen items; if it was not
 * paused, it continues from its cursor.
 */
function begunSource({ timer, active, before, now }: Beginning<PollTimer>): Fields {
  const same = before?.kind === 'poll' && isSame(before.timer, timer) ? before : null;
  const at = active ? new Date(now) : null;
  return {
    anchor: same === null ? new Date(now) : same.record.anchor,
    next_at: at,
    wake_at: at,
    last_run: null,
    poll: writePollState(same === null ? NEVER_POLLED : stateOf(same)),
  };
}

const stateOf = ({ record, state }: Extract<Timed, { kind: 'poll' }>): PollState =>
  record.paused ? beginAgain(state) : state;

/** True for the same source; the poll interval may differ. */
const isSame = (one: PollTimer, other: PollTimer): boolean => one.type === other.type && one.config === other.config;

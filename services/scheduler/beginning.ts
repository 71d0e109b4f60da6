import type { PollTimer, ScheduleTimer, Timer } from './contract';
import type { ScheduleRecord } from './models';
import { beginAgain, NEVER_POLLED, type PollState, writePollState } from './rules/poll-state';
import { timelineOf } from './rules/timeline';
import type { Timed } from './store';

/** What a timer begins with, where it is new, was changed, or is paused or not paused any more. */
export interface Beginning<T extends Timer = Timer> {
  readonly timer: T;
  readonly active: boolean;
  /** What was there before it; null where it is new. */
  readonly before: Timed | null;
  readonly now: number;
}

export type Begun = Omit<ScheduleRecord, '_id' | 'tenant_id' | 'workflow_id' | 'revision'>;

/** The fields of a trigger that begins now, or is paused. Whoever has claimed it before has lost it. Pure. */
export const begunAs = (id: string, { timer, ...rest }: Beginning): Begun => ({
  kind: timer.kind,
  timer: JSON.stringify(timer),
  paused: !rest.active,
  holder: null,
  tries: 0,
  trouble: null,
  ...(timer.kind === 'poll' ? begunSource({ timer, ...rest }) : begunSchedule(id, { timer, ...rest })),
});

type Fields = Pick<Begun, 'anchor' | 'next_at' | 'wake_at' | 'last_run' | 'poll'>;

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
 * A source is asked at once, so that what is there by now is known. Where it is the source of before, what that has
 * told is known as well; where it was asked until now, it goes on where it is.
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

/** The same source, however often it is asked. */
const isSame = (one: PollTimer, other: PollTimer): boolean => one.type === other.type && one.config === other.config;

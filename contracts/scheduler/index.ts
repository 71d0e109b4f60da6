import { contract } from '../contract';
import { id, typed } from '../rules';
import * as s from '../../lib/schema';
import { schedulesActions } from './schedules';
import type { Timer } from './timers';
import type { TriggerView } from './views';

export * from './timers';
export * from './views';

const count = { type: 'number', integer: true, min: 0 } as const;

const word = { type: 'string', max: 200, nullable: true } as const;

const scheduleTimer = {
  type: 'object',
  props: {
    kind: { type: 'equal', value: 'schedule', strict: true },
    index: count,
    cron: word,
    every: word,
    every_ms: { ...count, nullable: true },
    timezone: { type: 'string', max: 200 },
    jitter_ms: count,
    missed: { type: 'enum', values: ['skip', 'last', 'all'] },
    window_ms: count,
    overlap: { type: 'enum', values: ['allow', 'skip', 'queue'] },
  },
} as const;

const pollTimer = {
  type: 'object',
  props: {
    kind: { type: 'equal', value: 'poll', strict: true },
    index: count,
    type: { type: 'string', max: 100 },
    every: { type: 'string', max: 200 },
    every_ms: { type: 'number', integer: true, min: 1 },
    config: { type: 'string', max: 1_000_000 },
  },
} as const;

export const schedulerContract = contract('scheduler', {
  ...schedulesActions,
  /** Sets the schedules and sources of a workflow as of a revision; an older revision than the stored one is ignored. */
  sync: {
    access: 'internal',
    repeatable: true,
    summary: 'Makes the schedules and sources of a workflow what its triggers say',
    params: {
      workflow_id: id,
      revision: count,
      active: { type: 'boolean' },
      timers: typed<Timer[]>()({ type: 'array', max: 100, items: [scheduleTimer, pollTimer] }),
    },
    result: s.nothing,
  },
  /**
   * Fire times of active schedules that were decided after `since`, and those that are due for longer than the grace.
   * `in_time`: a run was started for it within the grace. `scheduled`: workflows that have active schedules.
   */
  fire_times: {
    access: 'internal',
    repeatable: true,
    summary: 'Fire times of schedules that were decided after a time, and those that are overdue',
    params: {
      grace_ms: count,
      since: { type: 'number' },
      now: { type: 'number' },
      workflow_ids: { type: 'array', items: id, max: 200, optional: true },
    },
    result: s.typed<{
      data: { workflow_id: string; id: string; at: number; in_time: boolean; decided_at: number | null }[];
      scheduled: string[];
    }>(),
  },
  /** When schedules and sources of workflows are due next; workflows without one are left out. */
  next: {
    access: 'internal',
    repeatable: true,
    summary: 'When schedules and sources of workflows are due next',
    params: { workflow_ids: { type: 'array', items: 'string', max: 200 } },
    result: s.typed<{ data: { workflow_id: string; at: string }[] }>(),
  },
  /** The schedules and sources of a workflow, in the order of its triggers. */
  state: {
    access: 'internal',
    repeatable: true,
    summary: 'The schedules and sources of a workflow: when they are due, and the outcomes of their last times',
    params: { workflow_id: id },
    result: s.typed<{ schedules: TriggerView[] }>(),
  },
});

import { pageParams } from '../../lib/page';
import * as s from '../../lib/schema';
import { actions } from '../contract';
import { id } from '../rules';
import { START_ERRORS } from '../shared';
import { BackfillView, ScheduleRow, ScheduleView } from './views';

/** Next times of a row: hourly times of a day, and the one after. */
const MAX_NEXT_RUNS = 25;

const TIME = { type: 'string', min: 10, max: 40 } as const;

/** One schedule of a workflow: the first, or the one of the trigger. */
const scheduleParams = {
  id,
  trigger: { type: 'number', integer: true, min: 0, max: 100, convert: true, optional: true },
} as const;

const WHICH =
  '`trigger` is the index of the schedule in the triggers of the workflow; the first schedule unless given.';

export const schedulesActions = actions({
  list: {
    rest: 'GET /api/v1/schedules',
    access: 'viewer',
    paged: true,
    repeatable: true,
    integrators: true,
    summary: 'Lists the schedules of all workflows with their next times and last outcomes',
    description:
      '`sort`: `workflow` unless given; `next` lists those with a next start, the soonest first. `next_runs`: the number of next times of each row, 5 unless given, at most 25.',
    params: {
      ...pageParams,
      cursor: { type: 'string', min: 1, max: 400, optional: true },
      sort: { type: 'enum', values: ['workflow', 'next'], optional: true },
      paused: { type: 'boolean', convert: true, optional: true },
      workflow_id: { ...id, optional: true },
      next_runs: { type: 'number', integer: true, min: 1, max: MAX_NEXT_RUNS, convert: true, optional: true },
    },
    result: s.listed(ScheduleRow).extend({
      next_cursor: s.text.nullable().about('For the page that follows in the same order; null after the last.'),
    }),
  },
  pause: {
    rest: 'POST /api/v1/workflows/:id/schedule/pause',
    access: 'member',
    integrators: true,
    summary: 'Pauses a schedule; the workflow stays enabled',
    description: `Nothing is started at the fire times of a paused schedule. ${WHICH}`,
    params: scheduleParams,
    result: ScheduleView,
    errors: ['not_found', 'conflict'],
  },
  resume: {
    rest: 'POST /api/v1/workflows/:id/schedule/resume',
    access: 'member',
    integrators: true,
    summary: 'Resumes a paused schedule with the times from now on',
    description: `Fire times during the pause do not count as missed; a backfill starts them. ${WHICH}`,
    params: scheduleParams,
    result: ScheduleView,
    errors: ['not_found', 'conflict'],
  },
  fire: {
    rest: 'POST /api/v1/workflows/:id/schedule/fire',
    status: 202,
    access: 'member',
    runs: true,
    idempotency: 'replay',
    integrators: true,
    summary: 'Starts a run of a schedule now',
    description: `Also while the schedule is paused. \`overlap: skip\` does not apply. ${WHICH}`,
    params: scheduleParams,
    result: s.object({ execution_id: s.text, scheduled_for: s.text }),
    errors: ['not_found', ...START_ERRORS],
  },
  backfill: {
    rest: 'POST /api/v1/workflows/:id/schedule/backfill',
    access: 'member',
    runs: true,
    integrators: true,
    summary: 'Starts the fire times of a range that have no run',
    description: `\`from\` and \`to\` are RFC 3339 times, both included, and not in the future; the range is at most 366 days. A call starts at most 300 times, the oldest first; \`next_from\` of the answer continues. A time that has a run is left alone, so a call may be repeated. \`dry_run\` starts nothing. ${WHICH}`,
    params: {
      ...scheduleParams,
      from: TIME,
      to: TIME,
      dry_run: { type: 'boolean', convert: true, optional: true },
    },
    result: BackfillView,
    errors: ['not_found', ...START_ERRORS],
  },
});

import { actions } from '../contract';
import { deliverParams, startParams, waitMs } from './params';
import type { DayFigures, ExecutionStatus, StartResult, WorkerRow } from './views';
import { id } from '../rules';
import * as s from '../../lib/schema';

export const internalActions = actions({
  /** Stores a run for any host to begin, where none can be reached. */
  accept: {
    access: 'internal',
    repeatable: true,
    summary: 'Stores a run for any host to begin',
    params: startParams,
    result: s.typed<StartResult>(),
  },
  /** A run when it has ended, or as it is when the time is up or this node is about to stop. */
  settled: {
    access: 'internal',
    repeatable: true,
    summary: 'Waits for the end of a run; returns its state at the latest when the time is up',
    params: { id, wait_ms: waitMs, record: { type: 'boolean', optional: true } },
    result: s.typed<StartResult>(),
  },
  /** Whose run it is: for pages of links, which know the run alone. */
  tenant_of: {
    access: 'internal',
    repeatable: true,
    summary: 'The tenant of a run',
    params: { id },
    result: s.typed<{ tenant_id: string }>(),
    errors: ['not_found'],
  },
  /** Statuses of the tenant's runs with these ids, at most 400; unknown ids are left out. */
  statuses: {
    access: 'internal',
    repeatable: true,
    summary: 'Statuses of runs',
    params: { ids: { type: 'array', items: id, max: 400 } },
    result: s.typed<{ data: { id: string; status: ExecutionStatus }[] }>(),
  },
  /** Cancels a run for a service. One that has ended, or does not exist, stays as it is. */
  stop: {
    access: 'internal',
    repeatable: true,
    summary: 'Cancels a run for a service',
    params: { id },
    result: s.nothing,
  },
  /** Those of the tenant's runs with a step that has this feedback. */
  rated: {
    access: 'internal',
    repeatable: true,
    summary: 'Runs with a step that has a feedback',
    params: {
      ids: { type: 'array', items: id, max: 1_000 },
      rating: { type: 'string', min: 1, max: 100 },
      step_id: { type: 'string', min: 1, max: 200, optional: true },
    },
    result: s.typed<{ ids: string[] }>(),
  },
  /** Cancels the running executions of a workflow, then removes all its executions with what belongs to them. */
  purge: {
    access: 'internal',
    repeatable: true,
    summary: 'Cancels and removes all executions of a workflow',
    params: { workflow_id: id },
    result: s.typed<{ removed: number }>(),
  },
  /** Executions of the tenant that count in this month. */
  usage: {
    access: 'internal',
    repeatable: true,
    summary: 'Executions of the tenant that count in this month',
    params: {},
    result: s.typed<{ executions: number }>(),
  },
  /** The tenant's runs of the last days, today last. */
  figures: {
    access: 'internal',
    repeatable: true,
    summary: "The tenant's runs of the last days",
    params: { days: { type: 'number', integer: true, min: 1, max: 90 } },
    result: s.typed<{ data: DayFigures[] }>(),
  },
  /** Prepares the first view of a long run that has ended. */
  index_steps: {
    access: 'internal',
    repeatable: true,
    summary: 'Stores the index of the steps of a long run that has ended',
    params: { id },
    result: s.typed<{ accepted: true }>(),
  },
  /** Figures of the last `window_hours` by workflow. */
  health: {
    access: 'internal',
    repeatable: true,
    summary: 'Figures of recent runs, by workflow',
    params: {
      workflow_ids: { type: 'array', items: 'string', max: 200 },
      window_hours: { type: 'number', positive: true, max: 24 * 90 },
    },
    result: s.typed<{
      data: {
        workflow_id: string;
        total: number;
        completed: number;
        failed: number;
        cancelled: number;
        running: number;
        waiting: number;
        p50_ms: number | null;
        p95_ms: number | null;
        last_execution_at: string | null;
        last_error: string | null;
      }[];
    }>(),
  },
  /** Runs that have not ended and began, or began to wait, before a time; by workflow. */
  lasting: {
    access: 'internal',
    repeatable: true,
    summary: 'Runs that have been running or waiting since before a time, by workflow',
    params: {
      state: { type: 'enum', values: ['running', 'waiting'] },
      before: { type: 'number' },
      workflow_ids: { type: 'array', items: id, max: 200, optional: true },
    },
    result: s.typed<{
      data: {
        workflow_id: string;
        workflow_name: string;
        since: number;
        total: number;
        execution_ids: string[];
      }[];
    }>(),
  },
  /** The last ten runs of each workflow that has any, newest first. */
  recent: {
    access: 'internal',
    repeatable: true,
    summary: 'The last runs of workflows',
    params: { workflow_ids: { type: 'array', items: 'string', max: 200 } },
    result: s.typed<{
      data: {
        workflow_id: string;
        runs: {
          id: string;
          status: ExecutionStatus;
          trigger_type: string;
          started_at: string;
          duration_ms: number | null;
        }[];
      }[];
    }>(),
  },
  /** Each of them, for the operator. */
  hosts: {
    access: 'internal',
    repeatable: true,
    summary: 'The hosts of executions: which are alive, how busy each is, which are leaving',
    params: {},
    result: s.typed<{ data: WorkerRow[] }>(),
  },
  /** A signal that a step of another run sends, once: `message_id` says which it is. */
  deliver: {
    access: 'internal',
    repeatable: true,
    summary: 'Sends a signal for a step of another run',
    params: deliverParams,
    result: s.typed<{
      accepted: true;
      execution_id: string;
      signal: string;
    }>(),
  },
  /** Which of the runs have written that record by now, or have ended. */
  moved: {
    access: 'internal',
    repeatable: true,
    summary: 'Which of the given runs have new records, or have ended',
    params: {
      runs: {
        type: 'array',
        max: 500,
        items: { type: 'object', props: { id, next: { type: 'number', integer: true, min: 0 } } },
      },
    },
    result: s.typed<{ ids: string[] }>(),
  },
});

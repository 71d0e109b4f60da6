import { actions } from '../contract';
import { StartedView } from '../executions/views';
import { id } from '../rules';
import { PollView, ScheduleView, TriggerView } from '../scheduler';
import { ErrorCodes, START_ERRORS } from '../shared';
import { pinParams, signalParams, stepTestParams, triggerParams } from './params';
import { StepTestView, WorkflowHealth, WorkflowView } from './views';
import { pageParams } from '../../lib/page';
import * as s from '../../lib/schema';

export const runsActions = actions({
  health: {
    rest: 'GET /api/v1/workflows/:id/health',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'Health of a workflow',
    params: { id },
    result: WorkflowHealth,
    errors: ['not_found'],
  },
  health_all: {
    rest: 'GET /api/v1/workflows/health',
    access: 'viewer',
    paged: true,
    repeatable: true,
    integrators: true,
    summary: 'Health of all workflows',
    params: pageParams,
    result: s.listed(WorkflowHealth),
  },
  schedule: {
    rest: 'GET /api/v1/workflows/:id/schedule',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'Live state of the schedule',
    description:
      'Null without a trigger that comes by the clock; of several, the first, and all of them in `schedules`.',
    params: { id },
    result: s.object({
      schedule: s.union(PollView, ScheduleView).nullable(),
      schedules: s.array(TriggerView).optional(),
    }),
    errors: ['not_found'],
  },
  trigger: {
    rest: 'POST /api/v1/workflows/:id/trigger',
    status: 202,
    access: 'member',
    runs: true,
    idempotency: 'action',
    body: 'trigger',
    given: ['idempotency_key'],
    integrators: true,
    summary: 'Starts a run; the body becomes `trigger`',
    params: triggerParams,
    result: StartedView,
    errors: ['not_found', ...START_ERRORS, 'idempotency_mismatch', 'conflict'],
  },
  signal: {
    rest: 'POST /api/v1/signals',
    status: 202,
    access: 'member',
    runs: true,
    idempotency: 'replay',
    given: ['idempotency_key'],
    integrators: true,
    summary: 'Starts every workflow with a `signal` trigger of that name',
    description: 'Starts every workflow of the tenant that has a `signal` trigger of that name.',
    params: signalParams,
    result: s.object({
      accepted: s.constant(true),
      signal: s.text,
      started: s.array(
        s.object({
          workflow_id: s.text,
          execution_id: s.text,
        }),
      ),
      refused: s.array(
        s.object({
          workflow_id: s.text,
          code: ErrorCodes,
          message: s.text,
        }),
      ),
    }),
    errors: ['payload_too_large'],
  },
  test_step: {
    rest: 'POST /api/v1/workflows/:id/steps/:step_id/test',
    access: 'member',
    integrators: true,
    summary: 'Runs one step on its own; its effects are real',
    description: 'Runs one step on its own, with the given inputs.',
    params: stepTestParams,
    result: StepTestView,
    errors: ['forbidden', 'not_found', 'unknown_secret', 'workflow_pending', 'quota_exceeded', 'conflict'],
  },
  pin: {
    rest: 'PUT /api/v1/workflows/:id/steps/:step_id/pin',
    access: 'member',
    integrators: true,
    summary: "Fixes a step's output for runs that are started by hand",
    description:
      "Fixes a step's output for runs that are started by hand: the one given, or the one that it had in a run.",
    params: pinParams,
    result: WorkflowView,
    errors: ['not_found', 'invalid_dsl', 'conflict', 'payload_too_large'],
  },
  unpin: {
    rest: 'DELETE /api/v1/workflows/:id/steps/:step_id/pin',
    status: 204,
    access: 'member',
    integrators: true,
    summary: 'Lets a pinned step run again',
    params: { id, step_id: id },
    result: WorkflowView,
    errors: ['not_found', 'invalid_dsl', 'conflict'],
  },
});

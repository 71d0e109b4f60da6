import { actions } from '../contract';
import { id } from '../rules';
import { LoopView } from './loop-view';
import { ExecutionStatus, RunError, StepStatus } from './views';
import * as s from '../../lib/schema';

export const StepOverview = s.named(
  'StepOverview',
  s.object({
    step_id: s.text,
    path: s.text.about('In the document, without the numbers of loops: `each/steps/fetch`.'),
    type: s.text,
    status: StepStatus.about(
      'Of a step in loops the first of `failed`, `running`, `retrying`, `waiting`, `cancelled`, `completed` and `skipped` that it has in any item.',
    ),
    counts: s
      .record(s.number)
      .about('How often it has begun, by status now; more than one only in loops. Statuses without steps are absent.'),
    shown_path: s.text
      .nullable()
      .about('The path in the run of the first step with that status (`each/steps[17]/fetch`); null before it begins.'),
    attempt: s.number.about('The highest attempt.'),
    started_at: s.text.nullable().about('Of the first that started.'),
    ended_at: s.text.nullable().about('Of the last that ended; null while one goes on.'),
    duration_ms: s.number.nullable().about('Of all that have ended together.'),
    error: RunError.nullable().about('Of the step at `shown_path`; up to 300 characters of the message.'),
    loop: LoopView.optional().about('Only of a `foreach` or `while` that has begun, and is in no other loop.'),
  }),
  'The state of a step of the document; of one in loops, of all its items together.',
);
export type StepOverview = s.Infer<typeof StepOverview>;

export const graphActions = actions({
  document: {
    rest: 'GET /api/v1/executions/:id/document',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'The document that an execution runs, whatever the workflow has become since',
    description:
      'Made from the compiled plan of the run: aliases of types are resolved, defaults are left out, and a retry policy of the whole document is one of each step. `values=false`: without configuration, pinned outputs, inputs and output.',
    params: { id, values: { type: 'boolean', convert: true, optional: true } },
    result: s.object({
      execution_id: s.text,
      workflow_def_id: s.text,
      workflow_name: s.text.about('As it was when the run started.'),
      dsl: s.jsonObject,
    }),
    errors: ['not_found'],
  },
  overview: {
    rest: 'GET /api/v1/executions/:id/overview',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'The state of each step of the document of an execution; steps in loops are counted by status',
    description: 'In the order of the document; those that have not begun are `pending`.',
    params: { id },
    result: s.object({
      execution_id: s.text,
      status: ExecutionStatus,
      started_at: s.text,
      ended_at: s.text.nullable(),
      steps: s.array(StepOverview),
    }),
    errors: ['not_found'],
  },
});

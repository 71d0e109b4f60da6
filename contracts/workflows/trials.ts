import { actions } from '../contract';
import { START_ERRORS } from '../shared';
import { documentStepTestParams, tryParams } from './params';
import { ExecutionView } from '../executions/views';
import { StepTestView, type WorkflowEnv } from './views';
import * as s from '../../lib/schema';

export const TrialView = s.named(
  'TrialView',
  ExecutionView.extend({
    pinned: s.array(s.text).about('Ids of the steps that did not run because they have a pinned output.'),
    suppressed: s.array(s.text).about('Ids of the steps that did not run because of `suppress_writes`.'),
  }),
  'A run of a document that is not saved.',
);
export type TrialView = s.Infer<typeof TrialView>;

/** How trials of a saved document run. */
export interface TrialPlan {
  readonly workflow: { readonly id: string; readonly name: string; readonly env: WorkflowEnv };
  readonly plan_hash: string;
  readonly dsl_hash: string;
  /** The live document of an approved workflow, without pins of the caller. */
  readonly approved: boolean;
  readonly pinned: string[];
  readonly suppressed: string[];
}

export const trialsActions = actions({
  try: {
    rest: 'POST /api/v1/workflows/try',
    status: 202,
    access: 'member',
    query: ['wait'],
    integrators: true,
    summary: 'Runs a document that is not saved, as a trial',
    description:
      'The run has `trial: true`; it does not count in the health of a workflow, starts no other workflow when it ends, and is removed after three days. `workflow_id`: the workflow that the document belongs to. `until_step`: the run ends after this step. `pins`: outputs of steps by id; those steps do not run. `from_execution`: steps that completed in this run and are the same in the document do not run again, and its trigger is taken unless there is a `trigger`. `suppress_writes`: steps that change something outside do not run. `now`: the time at the start of the run, such as `2026-03-01T09:00:00Z`; from there on its time is simulated: it stands still while steps run and jumps to the next timer, so nothing is waited for. `wait=1` answers at the end of the run.',
    params: tryParams,
    result: TrialView,
    errors: ['not_found', 'invalid_dsl', 'forbidden', 'conflict', 'payload_too_large', ...START_ERRORS],
  },
  test_document_step: {
    rest: 'POST /api/v1/workflows/steps/test',
    access: 'member',
    integrators: true,
    summary: 'Runs one step of a document that is not saved; its effects are real',
    description:
      'What the step sees of others is `steps`, else their outputs in the run `from_execution`, else what the document pins. Secrets are masked in the outputs of a run.',
    params: documentStepTestParams,
    result: StepTestView,
    errors: [
      'forbidden',
      'not_found',
      'invalid_dsl',
      'unknown_secret',
      'quota_exceeded',
      'conflict',
      'payload_too_large',
    ],
  },
});

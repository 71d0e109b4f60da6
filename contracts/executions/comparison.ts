import { actions } from '../contract';
import { LoopView } from './loop-view';
import { comparisonParams } from './params';
import { ExecutionStatus, RunError, StepStatus } from './views';
import * as s from '../../lib/schema';

export const ValueDifference = s.named(
  'ValueDifference',
  s.object({
    path: s.text.about('Such as `items[2].price`; empty for the value itself.'),
    a: s.json.optional().about('Absent where the first run has nothing there.'),
    b: s.json.optional().about('Absent where the second run has nothing there.'),
    cut: s.boolean.about('A value is longer than the 200 characters that are here.'),
  }),
  'A place at which the values of two runs differ.',
);
export type ValueDifference = s.Infer<typeof ValueDifference>;

export const ComparedValue = s.named(
  'ComparedValue',
  s.object({
    same: s.boolean,
    changes: s.array(ValueDifference),
    more: s.boolean.about(
      'There are more changes than are here; or a value is over 512 KiB, and its changes are not listed.',
    ),
  }),
  'A value of two runs. Secrets are masked, so that a changed secret is no difference.',
);
export type ComparedValue = s.Infer<typeof ComparedValue>;

export const ComparedRun = s.named(
  'ComparedRun',
  s.object({
    id: s.text,
    workflow_def_id: s.text,
    workflow_name: s.text,
    plan_hash: s.text.about('Of the compiled document: runs of one version of a workflow have the same.'),
    status: ExecutionStatus,
    trigger_type: s.text,
    started_at: s.text,
    ended_at: s.text.nullable(),
    duration_ms: s.number.nullable(),
    steps: s.number.about('Steps that it ran, without those that were taken over; 0 until the run ends.'),
    tokens: s.number,
    cost_usd: s.number,
    error: RunError.nullable(),
    retry_of: s.text.nullable(),
  }),
  'One of two runs that are compared.',
);
export type ComparedRun = s.Infer<typeof ComparedRun>;

export const ComparedSide = s.named(
  'ComparedSide',
  s.object({
    status: StepStatus,
    attempts: s.number,
    started_at: s.text.nullable(),
    duration_ms: s.number.nullable(),
    error: RunError.nullable(),
    input_tokens: s.number.nullable(),
    output_tokens: s.number.nullable(),
    cost_usd: s.number.nullable(),
    loop: LoopView.optional().about('Only of a `foreach` or `while`.'),
  }),
  'A step in one of two runs.',
);
export type ComparedSide = s.Infer<typeof ComparedSide>;

export const ComparedStep = s.named(
  'ComparedStep',
  s.object({
    path: s.text,
    address: s.text.about('Its id, and in loops their numbers (`ask.17`).'),
    step_id: s.text,
    iteration: s.number.nullable(),
    type: s.text,
    result: s.words('different', 'only_in_a', 'only_in_b', 'same'),
    differs: s
      .array(s.words('attempts', 'error', 'input', 'loop', 'output', 'status', 'type'))
      .about('What differs; times and costs do not count. `loop`: the counts of its items or of their steps.'),
    a: ComparedSide.nullable(),
    b: ComparedSide.nullable(),
    input: ComparedValue.nullable().about(
      'Null where neither run has one, where the step is in one run alone, and where a run has skipped it or taken it over.',
    ),
    output: ComparedValue.nullable(),
  }),
  'A step of two runs, matched by its path.',
);
export type ComparedStep = s.Infer<typeof ComparedStep>;

export const comparisonActions = actions({
  compare: {
    rest: 'GET /api/v1/executions/:id/compare/:other',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'Compares two runs: inputs, outputs and each step',
    description:
      'Steps that have begun in a run or in both, a window at a time, in the order of the document; loops are one record each, and `parent` lists what is inside one. `differences=true`: without steps that are the same; a window then may have fewer records than `limit`, or none, though others follow. `changes`: how many changes of a value are listed.',
    params: comparisonParams,
    result: s.object({
      a: ComparedRun,
      b: ComparedRun,
      same_workflow: s.boolean,
      same_plan: s.boolean,
      input: ComparedValue.nullable().about('Null in all windows but the first.'),
      output: ComparedValue.nullable().about('Null in all windows but the first.'),
      steps: s.array(ComparedStep),
      total: s.number.about('Steps that have begun in a run or in both.'),
      only_in_a: s.number,
      only_in_b: s.number,
      compared: s.number.about('How many of the steps have been compared with this window.'),
      next_cursor: s.text.nullable().about('For the window that follows; null after the last.'),
    }),
    errors: ['not_found'],
  },
});

import { actions } from '../contract';
import { evaluateParams } from './params';
import * as s from '../../lib/schema';

export const EvaluationView = s.named(
  'EvaluationView',
  s.object({
    type: s.words('array', 'boolean', 'null', 'number', 'object', 'string').nullable().about('Null with an error.'),
    value: s.json.about('The value, or its beginning.'),
    truncated: s.boolean.about('`value` is not all of it.'),
    size: s.number.about('Length of the value as JSON text, in characters.'),
    error: s
      .object({
        message: s.text,
        source: s.text.nullable().about('The expression at fault.'),
        position: s.number.nullable().about('Characters of it before the fault.'),
      })
      .nullable(),
  }),
  'The value of an expression, or why it has none.',
);
export type EvaluationView = s.Infer<typeof EvaluationView>;

export const expressionsActions = actions({
  evaluate: {
    rest: 'POST /api/v1/expressions/evaluate',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'Evaluates expressions with the data of a run or with sample data',
    description:
      'Up to 50 `items`: each an `expression` without braces (`lenient`: what is missing is null, as in conditions), or a `template`, which is any JSON with `{{ expressions }}` in its texts. `context.execution_id`: the data of this run, as the step `context.step_id` sees it (an id, in loops with the numbers of the items: `ask.17`). `context.sample`: roots such as `trigger`, `steps`, `loop` and `error`, which come first. `dsl`: outputs that it pins stand for steps without one. The limits are those of a run. A secret is never read: it is shown as its name.',
    params: evaluateParams,
    result: s.object({ results: s.array(EvaluationView).about('In the order of `items`.') }),
    errors: ['not_found', 'payload_too_large'],
  },
});

import { render, type Template } from '../../../dsl';
import { operationsCounted, sliceWork } from '../../../lib/compute';
import { errorMessage } from '../../../lib/errors';
import type { Json } from '../../../lib/json';
import type { StepError } from '../../../nodes/contract';
import type { Evaluation, RunState } from '../state/state';
import type { DecisionBuilder } from '../decide/decision-builder';

/** Results that took more operations are kept until their step begins, so that repeated walks make progress. */
const KEPT_FROM_OPERATIONS = 5_000;

type Evaluated =
  | { kind: 'value'; value: Json }
  | { kind: 'refused'; error: StepError }
  /** It is being evaluated elsewhere; the step waits. */
  | { kind: 'later' };

/**
 * The value of a template at a path, or its error; `what` names it in the error message. An expensive template is
 * evaluated by the actor, and a later walk finds the result.
 */
export function evaluate(
  run: DecisionBuilder,
  template: Template,
  path: string,
  what: string,
  renderWith: typeof render = render,
): Evaluated {
  const known = run.state.evaluations.get(path)?.get(what) ?? evaluateNow(run, template, path, what, renderWith);
  switch (known.kind) {
    case 'pending':
      return { kind: 'later' };
    case 'refused':
      return {
        kind: 'refused',
        error: { code: 'expression', message: `${what} cannot be evaluated: ${known.message}` },
      };
    case 'value':
      return known;
  }
}

function evaluateNow(
  run: DecisionBuilder,
  template: Template,
  path: string,
  what: string,
  renderWith: typeof render,
): Evaluation {
  if (run.atEvaluationLimit) {
    run.continueLater();
    return { kind: 'pending' };
  }
  const before = operationsCounted();
  const env = run.env(path);
  const found = attempt(() => sliceWork(() => renderWith(template, env)));
  const operations = operationsCounted() - before;
  run.evaluatedOperations += operations;
  if (found.kind === 'too_long') run.decision.commands.push({ kind: 'evaluate', path, what, template, env });
  const evaluation: Evaluation = found.kind === 'too_long' ? { kind: 'pending' } : found;
  if (found.kind === 'too_long' || operations > KEPT_FROM_OPERATIONS) keep(run.state, path, what, evaluation);
  return evaluation;
}

type Attempted = Evaluation | { kind: 'too_long' };

function attempt(work: () => { kind: 'done'; value: Json } | { kind: 'too_long' }): Attempted {
  try {
    const sliced = work();
    return sliced.kind === 'done' ? { kind: 'value', value: sliced.value } : sliced;
  } catch (fault) {
    return { kind: 'refused', message: errorMessage(fault) };
  }
}

export function keep({ evaluations }: RunState, path: string, what: string, evaluation: Evaluation): void {
  const known = evaluations.get(path);
  if (known === undefined) evaluations.set(path, new Map([[what, evaluation]]));
  else known.set(what, evaluation);
}

/** True while attempts are in flight, or templates are being evaluated. */
export const isBusy = ({ inFlight, evaluations }: RunState): boolean =>
  inFlight.size > 0 || [...evaluations.values()].some((found) => [...found.values()].some(isPending));

const isPending = ({ kind }: Evaluation): boolean => kind === 'pending';

/** Forgets evaluations of an earlier activation, so that they start again. */
export function forgetPending({ evaluations }: RunState): void {
  for (const found of evaluations.values())
    for (const [what, evaluation] of found) if (isPending(evaluation)) found.delete(what);
}

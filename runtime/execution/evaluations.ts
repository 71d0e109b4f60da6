import { renderOnThread } from '../../dsl';
import { ComputeError } from '../../lib/compute';
import { errorMessage } from '../../lib/errors';
import { prepareJson } from '../../lib/json/prepared';
import type { Evaluation, RunState } from '../core/state/state';
import type { Command } from '../core/decide/decision-builder';
import type { Execution } from '../core/model';
import type { ActorDeps } from './deps';

/** Pause before a template is evaluated again when no thread was available. */
const RETRY_MS = 200;

type Evaluate = Extract<Command, { kind: 'evaluate' }>;

/** Evaluates an expensive template on a compute thread, stores the result for the rules, and calls back. */
export function evaluateElsewhere(
  deps: Pick<ActorDeps, 'capabilities' | 'clock'>,
  { tenantId }: Pick<Execution, 'tenantId'>,
  state: RunState,
  command: Evaluate,
  onResult: () => void,
): void {
  void evaluated(deps, tenantId, state, command).then(onResult);
}

/** Writes the JSON of a large value in slices of the main thread's time, and calls back. */
export function prepareElsewhere(
  { tenantId }: Pick<Execution, 'tenantId'>,
  { evaluations }: RunState,
  { path, what, value }: Extract<Command, { kind: 'prepare' }>,
  onResult: () => void,
): void {
  const settle = (evaluation: Evaluation): void => void evaluations.get(path)?.set(what, evaluation);
  void Promise.resolve(prepareJson(value, tenantId))
    .then(
      () => settle({ kind: 'value', value }),
      (fault: unknown) => settle({ kind: 'refused', message: errorMessage(fault) }),
    )
    .then(onResult);
}

/** Never throws. */
async function evaluated(
  { capabilities, clock }: Pick<ActorDeps, 'capabilities' | 'clock'>,
  tenantId: string,
  { evaluations }: RunState,
  { path, what, template, env }: Evaluate,
): Promise<void> {
  try {
    const value = await renderOnThread(capabilities(tenantId).compute, template, env);
    evaluations.get(path)?.set(what, { kind: 'value', value });
  } catch (fault) {
    if (fault instanceof ComputeError && fault.retryable) {
      await new Promise<void>((resolve) => clock.after(RETRY_MS, resolve));
      evaluations.get(path)?.delete(what);
    } else evaluations.get(path)?.set(what, { kind: 'refused', message: errorMessage(fault) });
  }
}

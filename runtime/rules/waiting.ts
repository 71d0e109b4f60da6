import type { RunState, StepState } from '../record/state';
import { stepIdOf } from '../../dsl';
import type { Waiting } from '../store/port';
import { awaitedName } from './waits';

/** Everything that a run waits for, as its document shows it. */
export function waitingOf(state: RunState): Waiting[] {
  return [...state.open].flatMap((path) => {
    const step = state.steps.get(path);
    return step === undefined ? [] : waitingOfStep(path, step);
  });
}

function waitingOfStep(path: string, step: StepState): Waiting[] {
  const step_id = stepIdOf(path);
  if (step.kind === 'retrying') return [{ step_id, kind: 'retry', name: null, since: step.since, until: step.retryAt }];
  if (step.kind !== 'waiting') return [];
  const { wait, since } = step;
  const name = wait.kind === 'child' ? wait.executionId : awaitedName(path, step);
  const common = { step_id, kind: wait.kind, name, since, until: wait.until };
  return [
    wait.kind === 'approval'
      ? { ...common, message: wait.message, approvers: wait.approvers, form: wait.form }
      : common,
  ];
}

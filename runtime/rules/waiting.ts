import { stepIdOf } from '../../dsl';
import { jsonSize } from '../../lib/json';
import type { RunState, StepState } from '../record/state';
import type { Waiting } from '../store/port';
import { awaitedName } from './waits';

/** Characters of messages and forms that a run's document holds: loops may ask many questions at once. */
const SHOWN = 1024 * 1024;

/** Everything that a run waits for, as its document shows it: words beyond what it can hold are left out. */
export function waitingOf(state: RunState): Waiting[] {
  let left = SHOWN;
  return [...state.open].flatMap((path) => {
    const step = state.steps.get(path);
    const waiting = step === undefined ? null : waitingOfStep(path, step);
    if (waiting === null) return [];
    const { message, form, ...rest } = waiting;
    if (message === undefined) return [waiting];
    left -= message.length + jsonSize(form ?? null);
    return [left < 0 ? rest : waiting];
  });
}

function waitingOfStep(path: string, step: StepState): Waiting | null {
  const step_id = stepIdOf(path);
  if (step.kind === 'retrying') return { step_id, kind: 'retry', name: null, since: step.since, until: step.retryAt };
  if (step.kind !== 'waiting') return null;
  const { wait, since } = step;
  const name = wait.kind === 'child' ? wait.executionId : awaitedName(path, step);
  const common = { step_id, kind: wait.kind, name, since, until: wait.until };
  if (wait.kind !== 'approval') return common;
  return { ...common, message: wait.message, approvers: wait.approvers, form: wait.form };
}

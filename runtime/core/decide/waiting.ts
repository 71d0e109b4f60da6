import { stepIdOf } from '../../../dsl';
import { jsonSize } from '../../../lib/json';
import type { RunState, StepState } from '../state/state';
import type { Waiting } from '../model';
import { awaitedMessageName } from './waits';

/** Limit of messages and forms in a run's document: loops may wait for many approvals at once. */
const MAX_TEXT_CHARS = 1024 * 1024;

/** What a run waits for, as stored in its document. Texts over the limit are omitted. */
export function waitingOf(state: RunState): Waiting[] {
  let left = MAX_TEXT_CHARS;
  return [...state.open].flatMap((path) => {
    const step = state.steps.get(path);
    const waiting = step === undefined ? null : waitingOfStep(path, step, state.turns);
    if (waiting === null) return [];
    const { message, form, page, ...rest } = waiting;
    if (message === undefined) return [waiting];
    left -= message.length + (page?.description.length ?? 0) + jsonSize(form ?? null);
    return [left < 0 ? rest : waiting];
  });
}

function waitingOfStep(path: string, step: StepState, turns: RunState['turns']): Waiting | null {
  const step_id = stepIdOf(path);
  if (step.kind === 'retrying') return { step_id, kind: 'retry', name: null, since: step.since, until: step.retryAt };
  if (step.kind !== 'waiting') return null;
  const { wait, since } = step;
  if (wait.kind === 'connection')
    return { step_id, kind: 'connection', name: wait.connection, since, until: turns.get(path) ?? wait.until };
  const name = wait.kind === 'child' ? wait.executionId : awaitedMessageName(path, step);
  const common = { step_id, kind: wait.kind, name, since, until: wait.until };
  if (wait.kind === 'approval') return { ...common, message: wait.message, approvers: wait.approvers, form: wait.form };
  if (wait.kind !== 'form') return common;
  const { title, description, submit, access, form } = wait;
  return { ...common, message: title, form, page: { description, submit, access } };
}

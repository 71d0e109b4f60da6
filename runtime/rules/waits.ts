import { addressOf } from '../../dsl';
import { isObject, type Json, type JsonObject } from '../../lib/json';
import type { OnTimeout, StepError } from '../../nodes/contract';
import type { RunError, Wait } from '../record/entry';
import { CANCEL, type Mail, type RunState, type StepState } from '../record/state';
import { childMail, endOfChild } from './children';

/** What ends a wait: a time that has come, or a message. */
export type WaitEnd =
  | { kind: 'complete'; output: JsonObject; mail?: string }
  | { kind: 'fail'; error: StepError; mail?: string; retryable?: boolean };

export { CANCEL };

/** The message by which the runtime itself cancels a run. Its id is that of any cancellation: the first one counts. */
export const cancellation = (at: number, why: StepError): Mail => ({
  id: CANCEL,
  name: CANCEL,
  data: { error: { ...why } },
  by: null,
  at,
});

/** Why the runtime has cancelled a run; null when a person has. */
export function reasonOf({ data: { error } }: Mail): RunError | null {
  if (!isObject(error) || typeof error.code !== 'string' || typeof error.message !== 'string') return null;
  return { code: error.code, message: error.message, step_id: null };
}

/** A step that waits, as the state has it. */
export type WaitingStep = Extract<StepState, { kind: 'waiting' }>;

/**
 * The name of the message that a wait listens to; null for a timer. The question whether to run an interrupted attempt
 * again, and one of several that a step asks, have names of their own each time: no decision that was made earlier, or
 * about something else, may answer them.
 */
export function awaitedName(path: string, { wait, rerun, note, attempt }: WaitingStep): string | null {
  if (wait.kind === 'timer') return null;
  if (wait.kind === 'signal') return wait.signal;
  if (wait.kind === 'child') return childMail(wait.executionId);
  const name = `approve-${addressOf(path)}`;
  return rerun || note !== undefined ? `${name}#${attempt}` : name;
}

/** The first message that a waiting step would take; undefined when none has come. */
export function mailFor(state: RunState, path: string, step: WaitingStep): Mail | undefined {
  const name = awaitedName(path, step);
  return name === null ? undefined : state.mail.find((mail) => mail.name === name);
}

/** How a waiting step goes on at `now`; null while it must wait on. A message wins over a time-out that is due as well. */
export function endOfWait(wait: Wait, mail: Mail | undefined, now: number): WaitEnd | null {
  if (wait.kind === 'child') return mail === undefined ? null : endOfChild(wait.executionId, mail);
  if (mail !== undefined) {
    const output = wait.kind === 'approval' ? decision(mail) : mail.data;
    return { kind: 'complete', output, mail: mail.id };
  }
  if (wait.until === null || wait.until > now) return null;
  return wait.kind === 'timer' ? { kind: 'complete', output: wait.output } : timedOut(wait.onTimeout);
}

const timedOut = (policy: OnTimeout): WaitEnd =>
  policy.kind === 'complete' ? { kind: 'complete', output: policy.output } : policy;

const text = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);

function decision(mail: Mail): JsonObject {
  return {
    approved: mail.data.approved === true,
    comment: text(mail.data.comment),
    decided_by: mail.by,
    decided_at: new Date(mail.at).toISOString(),
    form: mail.data.form ?? null,
  };
}

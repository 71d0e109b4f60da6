import { addressOf } from '../../../dsl';
import { isObject, type Json, type JsonObject } from '../../../lib/json';
import type { OnTimeout, StepError } from '../../../nodes/contract';
import type { RunError, Wait } from '../entries/entry';
import { CANCEL, type Message, type RunState, type StepState } from '../state/state';
import { childMessageId, childResult } from './children';

/** The end of a wait, by time or by a message. */
export type WaitResult =
  | { kind: 'complete'; output: JsonObject; messageId?: string }
  | { kind: 'fail'; error: StepError; messageId?: string; retryable?: boolean };

export { CANCEL };

/** The message by which the runtime cancels a run. All cancellations share one id: the first one counts. */
export const cancelMessage = (at: number, why: StepError): Message => ({
  id: CANCEL,
  name: CANCEL,
  data: { error: { ...why } },
  by: null,
  at,
});

/** The reason of a cancellation by the runtime; null when a person cancelled. */
export function reasonOf({ data: { error } }: Message): RunError | null {
  if (!isObject(error) || typeof error.code !== 'string' || typeof error.message !== 'string') return null;
  return { code: error.code, message: error.message, step_id: null };
}

/** The message with the values of a form. Users cannot send it, so the values have been checked. */
export const formMessageName = (address: string): string => `$form:${address}`;

/** The state of a waiting step. */
type WaitingStep = Extract<StepState, { kind: 'waiting' }>;

/**
 * The name of the message that ends a wait; null for a timer. Approvals and forms of interrupted attempts, and those with a
 * checkpoint key, have a name per attempt, so that an earlier decision, or one about something else, cannot answer
 * them.
 */
export function awaitedMessageName(path: string, { wait, rerun, note, attempt }: WaitingStep): string | null {
  if (wait.kind === 'timer' || wait.kind === 'connection') return null;
  if (wait.kind === 'signal') return wait.signal;
  if (wait.kind === 'child') return childMessageId(wait.executionId);
  const name = wait.kind === 'form' ? formMessageName(addressOf(path)) : `approve-${addressOf(path)}`;
  return rerun || note !== undefined ? `${name}#${attempt}` : name;
}

/** The first message for a waiting step; undefined when there is none. */
export function messageFor(state: RunState, path: string, step: WaitingStep): Message | undefined {
  const name = awaitedMessageName(path, step);
  return name === null ? undefined : state.messages.find((message) => message.name === name);
}

/**
 * The result of a waiting step at `now`; null while it must wait. A message wins over a timeout that is due as well.
 */
export function waitResult(wait: Wait, message: Message | undefined, now: number): WaitResult | null {
  if (wait.kind === 'connection') return null;
  if (wait.kind === 'child') return message === undefined ? null : childResult(wait.executionId, message);
  if (message !== undefined) {
    const output = wait.kind === 'approval' ? decision(message) : message.data;
    return { kind: 'complete', output, messageId: message.id };
  }
  if (wait.until === null || wait.until > now) return null;
  return wait.kind === 'timer' ? { kind: 'complete', output: wait.output } : timedOut(wait.onTimeout);
}

const timedOut = (policy: OnTimeout): WaitResult =>
  policy.kind === 'complete' ? { kind: 'complete', output: policy.output } : policy;

const text = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);

function decision(message: Message): JsonObject {
  return {
    approved: message.data.approved === true,
    comment: text(message.data.comment),
    decided_by: message.by,
    decided_at: new Date(message.at).toISOString(),
    form: message.data.form ?? null,
  };
}

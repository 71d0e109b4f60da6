/**
 * Child runs: their depth and ids, and the messages about their ends.
 *
 *  C1  A step has one child at a time: the next one begins only when the end of the last one is recorded.
 *  C2  A parent that waits for a run gets a message about its end; at its own end the parent cancels the runs that it
 *      waits for.
 */
import { isObject, type Json, type JsonObject, jsonSize } from '../../../lib/json';
import type { StepError } from '../../../nodes/contract';
import type { Message, RunState } from '../state/state';
import type { Ending, Execution } from '../model';
import type { WaitResult } from './waits';

/** Maximum number of ancestors of a run. */
export const MAX_DEPTH = 10;

/** A longer output is not sent in the message; the parent reads it from the child's document. */
const MAX_INLINE_OUTPUT_CHARS = 128 * 1024;

/** Name and id of the message about a child's end. */
export const childMessageId = (childId: string): string => `$child:${childId}`;

/**
 * The id of the child that a step starts or has started: the first whose end is not recorded. It depends on the
 * history, not on the attempt, as an interrupted attempt may have started it.
 */
export function nextChildId(state: RunState, id: (n: number) => string): string {
  for (let n = 0; ; n++) {
    const child = id(n);
    if (!state.consumedMessageIds.has(childMessageId(child))) return child;
  }
}

/** The error of a child that is cancelled because its parent has ended. */
export const parentEnded = (parentId: string): StepError => ({
  code: 'parent_ended',
  message: `Execution ${parentId}, which waited for this one, has ended`,
});

/** The message to a parent about the end of its child. */
export function endMessage(id: string, { status, output, error, endedAt }: Omit<Ending, 'outbox'>): Message {
  const result: JsonObject = jsonSize(output) > MAX_INLINE_OUTPUT_CHARS ? { output_of: id } : { output };
  const reason = error === null ? null : { code: error.code, message: error.message };
  return {
    id: childMessageId(id),
    name: childMessageId(id),
    data: { status, error: reason, ...result },
    by: null,
    at: endedAt,
  };
}

/** The run whose document contains the output that a message omits; null when the message is complete. */
export const outputExecutionId = ({ name, data }: Message): string | null =>
  name.startsWith(childMessageId('')) && typeof data.output_of === 'string' ? data.output_of : null;

/** Completes a message with the output of the child, or with a failure when the child has been deleted. */
export function withOutput(message: Message, child: Pick<Execution, 'output'> | null): Message {
  const { output_of: _, ...rest } = message.data;
  const gone = { code: 'output_gone', message: 'The run was removed before its output was read' };
  return {
    ...message,
    data: child === null ? { ...rest, status: 'failed', error: gone } : { ...rest, output: child.output },
  };
}

/** The result of a step whose child has ended. */
export function childResult(childId: string, { id, data }: Message): WaitResult {
  if (data.status === 'completed') {
    const output: JsonObject = { execution_id: childId, status: 'completed', output: data.output ?? null };
    return { kind: 'complete', output, messageId: id };
  }
  const cancelled = data.status === 'cancelled';
  return {
    kind: 'fail',
    error: {
      code: cancelled ? 'child_cancelled' : 'child_failed',
      message: `Execution ${childId} ${cancelled ? 'was cancelled' : 'failed'}${reasonIn(data.error)}`,
    },
    // The cancellation was intended, so the child is not started again.
    retryable: !cancelled,
    messageId: id,
  };
}

const reasonIn = (error: Json | undefined): string =>
  isObject(error) && typeof error.message === 'string' ? `: ${error.message}` : '';

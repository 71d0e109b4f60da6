/**
 * Runs that steps of other runs start: how deep, under which ids, and what is told of their ends.
 *
 *  C1  A step has one child at a time: the next one begins only when the end of the last one is on record.
 *  C2  Whoever waits for a run is told of its end; what a run waits for is cancelled at its own end.
 */
import { isObject, type Json, type JsonObject, jsonSize } from '../../lib/json';
import type { StepError } from '../../nodes/contract';
import type { Mail, RunState } from '../record/state';
import type { Ending, Execution } from '../store/port';
import type { WaitEnd } from './waits';

/** How many runs may stand above one another, the first one not counted. */
export const DEEPEST = 10;

/** A longer output does not travel in a message: whoever takes that reads it where it lies. In characters. */
const CARRIED = 128 * 1024;

/** Name and id of the message that tells of a child's end. */
export const childMail = (childId: string): string => `$child:${childId}`;

/**
 * The child that a step starts, or has started: the first whose end it has not seen. By what is on record, not by the
 * attempt: an attempt that was interrupted may have started it.
 */
export function childOf(state: RunState, id: (n: number) => string): string {
  for (let n = 0; ; n++) {
    const child = id(n);
    if (!state.taken.has(childMail(child))) return child;
  }
}

/** Why a run is cancelled for whose end nobody waits any more. */
export const unwanted = (parentId: string): StepError => ({
  code: 'parent_ended',
  message: `Execution ${parentId}, which waited for this one, has ended`,
});

/** What tells a parent of the end of a run that it waits for. */
export function endOfRun(id: string, { status, output, error, endedAt }: Omit<Ending, 'outbox'>): Mail {
  const told: JsonObject = jsonSize(output) > CARRIED ? { output_of: id } : { output };
  const why = error === null ? null : { code: error.code, message: error.message };
  return { id: childMail(id), name: childMail(id), data: { status, error: why, ...told }, by: null, at: endedAt };
}

/** The run in which the output lies that a message does not carry; null when it carries all. */
export const outputLiesIn = ({ name, data }: Mail): string | null =>
  name.startsWith(childMail('')) && typeof data.output_of === 'string' ? data.output_of : null;

/** The message with the output that lay elsewhere, or with the failure that it lies there no more. */
export function withOutput(mail: Mail, child: Pick<Execution, 'output'> | null): Mail {
  const { output_of: _, ...told } = mail.data;
  const gone = { code: 'output_gone', message: 'The run was removed before its output was read' };
  return {
    ...mail,
    data: child === null ? { ...told, status: 'failed', error: gone } : { ...told, output: child.output },
  };
}

/** How a step goes on at the end of the run that it waits for. */
export function endOfChild(childId: string, { id, data }: Mail): WaitEnd {
  if (data.status === 'completed') {
    const output: JsonObject = { execution_id: childId, status: 'completed', output: data.output ?? null };
    return { kind: 'complete', output, mail: id };
  }
  const cancelled = data.status === 'cancelled';
  return {
    kind: 'fail',
    error: {
      code: cancelled ? 'child_cancelled' : 'child_failed',
      message: `Execution ${childId} ${cancelled ? 'was cancelled' : 'failed'}${reasonIn(data.error)}`,
    },
    // Somebody wanted it to end: starting it anew would be against his will.
    retryable: !cancelled,
    mail: id,
  };
}

const reasonIn = (error: Json | undefined): string =>
  isObject(error) && typeof error.message === 'string' ? `: ${error.message}` : '';

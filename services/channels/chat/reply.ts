import { AppError } from '../../../lib/errors';
import { parseFieldPath, valueAt } from '../../../lib/field-path';
import type { Json, JsonObject } from '../../../lib/json';
import { publicError } from '../../../lib/public-error';
import type { StartResult } from '../../../contracts/executions/views';
import type { Pending, Turn } from './model';

/** State of the reply of a run. `silent`: the run ended without a reply. */
type Replied =
  | { readonly kind: 'reply'; readonly value: Json }
  | { readonly kind: 'silent'; readonly reason: string }
  | { readonly kind: 'running' };

/** The reply of a run to its visitor. Pure. */
export function repliedBy({ status, output, error }: StartResult, outputField: string): Replied {
  switch (status) {
    case 'running':
      return { kind: 'running' };
    case 'failed':
      return { kind: 'silent', reason: publicError(error ?? { code: '' }).message };
    case 'cancelled':
      return { kind: 'silent', reason: 'The run was cancelled' };
    case 'completed': {
      const path = parseFieldPath(outputField);
      const value = path === null ? undefined : valueAt(output, path);
      if (value !== undefined && value !== null) return { kind: 'reply', value };
      return { kind: 'silent', reason: `The run has ended without a reply: its output has no ${outputField}` };
    }
  }
}

/** The turn to store in the conversation; null without a reply. */
export const turnOf = ({ said: text, execution_id }: Pending, replied: Replied): Turn | null =>
  replied.kind === 'reply' ? { said: text, reply: textOf(replied.value), execution_id } : null;

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The response to the visitor. @throws AppError execution_failed, timed_out */
export function answerOf(
  replied: Replied,
  outputField: string,
  ids: { readonly conversation_id: string; readonly execution_id: string },
): JsonObject {
  switch (replied.kind) {
    case 'reply':
      return { [outputField]: replied.value, reply: replied.value, ...ids };
    case 'silent':
      throw new AppError('execution_failed', replied.reason, { body: { ...ids } });
    case 'running':
      throw new AppError('timed_out', 'The reply is still being made; ask for the run later', { body: { ...ids } });
  }
}

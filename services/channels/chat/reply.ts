import { AppError } from '../../../lib/errors';
import { parseFieldPath, valueAt } from '../../../lib/field-path';
import type { Json, JsonObject } from '../../../lib/json';
import type { ExecutionView } from '../../executor/contract';
import type { Pending, Turn } from './model';

/** How a run looks from its conversation. `silent`: it ended without a reply, for whatever reason. */
export type Replied =
  | { readonly kind: 'reply'; readonly value: Json }
  | { readonly kind: 'silent'; readonly reason: string }
  | { readonly kind: 'running' };

/** What a run has to say to the visitor. Pure. */
export function repliedBy({ status, output, error }: ExecutionView, outputField: string): Replied {
  switch (status) {
    case 'running':
      return { kind: 'running' };
    case 'failed':
      // As everybody may see it who knows the run's id.
      return { kind: 'silent', reason: error?.message ?? 'The run failed' };
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

/** What is remembered of it; null for what has no reply. */
export const turnOf = ({ said, execution_id }: Pending, replied: Replied): Turn | null =>
  replied.kind === 'reply' ? { said, reply: textOf(replied.value), execution_id } : null;

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** What the visitor is answered. @throws AppError execution_failed, timed_out */
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

import type { JsonObject } from '../../lib/json';
import type { FileResult, NodeContext, NodeFile, Outcome } from '../contract';
import { platformCall } from '../platform-call';

/** Size limit of a file that a step reads or writes. */
export const MAX_FILE_BYTES = 16 * 1_048_576;

/** Calls the file service. A refusal becomes the failure of the step. `subject` names the call in error messages. */
export const fileCall = <T>(
  ctx: Pick<NodeContext, 'signal' | 'redact'>,
  subject: string,
  call: () => Promise<FileResult<T>>,
) => platformCall(ctx, 'file', subject, call);

/** Calls the file service and turns the result into the outcome of the step. `subject` names the call in error messages. */
export async function fileOutcome<T>(
  ctx: Pick<NodeContext, 'signal' | 'redact'>,
  subject: string,
  call: () => Promise<FileResult<T>>,
  done: (value: T) => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  const result = await fileCall(ctx, subject, call);
  return result.kind === 'done' ? await done(result.value) : result.outcome;
}

/** The output of a step about a file. */
export const outputOf = ({ path, name, size, contentType, sha256 }: NodeFile): JsonObject => ({
  path,
  name,
  size,
  content_type: contentType,
  sha256,
});

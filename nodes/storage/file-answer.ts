import type { JsonObject } from '../../lib/json';
import type { FileAnswer, NodeContext, NodeFile, Outcome } from '../contract';
import { wished as wishedOf } from '../wished';

/** The most that a step writes or reads at once, in bytes. */
export const MOST_BYTES = 16 * 1_048_576;

/** What became of a wish about files; the failure of the step where it was not granted. `subject` names it in messages. */
export const wished = <T>(
  ctx: Pick<NodeContext, 'signal' | 'mask'>,
  subject: string,
  wish: () => Promise<FileAnswer<T>>,
) => wishedOf(ctx, 'file', subject, wish);

/** The outcome of a step that wishes something about files. `subject` names the wish in messages. */
export async function filed<T>(
  ctx: Pick<NodeContext, 'signal' | 'mask'>,
  subject: string,
  wish: () => Promise<FileAnswer<T>>,
  done: (value: T) => Outcome,
): Promise<Outcome> {
  const answer = await wished(ctx, subject, wish);
  return answer.kind === 'done' ? done(answer.value) : answer.outcome;
}

/** What a step puts out about a file. */
export const outputOf = ({ path, name, size, contentType, sha256 }: NodeFile): JsonObject => ({
  path,
  name,
  size,
  content_type: contentType,
  sha256,
});

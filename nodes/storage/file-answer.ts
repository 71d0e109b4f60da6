import { EgressError } from '../../lib/egress';
import type { JsonObject } from '../../lib/json';
import { bounded } from '../bounded';
import type { FileAnswer, NodeContext, NodeFile, Outcome } from '../contract';
import { type Failed, failConnection } from '../outcome';

/** As long as a timer can be: what ends the wait for a workspace that does not answer is the step's own timeout. */
const TIMEOUT_MS = 0x7fffffff;

/** The most that a step writes or reads at once, in bytes. */
export const MOST_BYTES = 16 * 1_048_576;

/** What became of a wish about files; the failure of the step where it was not granted. `subject` names it in messages. */
export async function wished<T>(
  ctx: Pick<NodeContext, 'signal' | 'mask'>,
  subject: string,
  wish: () => Promise<FileAnswer<T>>,
): Promise<{ readonly kind: 'done'; readonly value: T } | { readonly kind: 'failed'; readonly outcome: Failed }> {
  try {
    const answer = await bounded(ctx.signal, TIMEOUT_MS, wish);
    if (answer.kind === 'done') return answer;
    const { code, message } = answer.error;
    const error = { code, message: ctx.mask(`${subject}: ${message}`) };
    return { kind: 'failed', outcome: { kind: 'fail', error, retryable: answer.retryable } };
  } catch (fault) {
    if (!(fault instanceof EgressError)) throw fault;
    return { kind: 'failed', outcome: failConnection('file', fault, ctx.mask(`${subject} failed: ${fault.message}`)) };
  }
}

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

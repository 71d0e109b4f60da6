import { EgressError } from '../lib/egress';
import { bounded } from './bounded';
import type { Answered, NodeContext } from './contract';
import { type Failed, failConnection } from './outcome';

/** As long as a timer can be: what ends the wait for a service that does not answer is the step's own timeout. */
const TIMEOUT_MS = 0x7fffffff;

/**
 * What became of a wish to a service of ours; the failure of the step where it was not granted. `subject` names the wish in
 * messages, `system` whom it is told in codes.
 */
export async function wished<T>(
  ctx: Pick<NodeContext, 'signal' | 'mask'>,
  system: string,
  subject: string,
  wish: () => Promise<Answered<T>>,
): Promise<{ readonly kind: 'done'; readonly value: T } | { readonly kind: 'failed'; readonly outcome: Failed }> {
  try {
    const answer = await bounded(ctx.signal, TIMEOUT_MS, wish);
    if (answer.kind === 'done') return answer;
    const { code, message } = answer.error;
    const error = { code, message: ctx.mask(`${subject}: ${message}`) };
    return { kind: 'failed', outcome: { kind: 'fail', error, retryable: answer.retryable } };
  } catch (fault) {
    if (!(fault instanceof EgressError)) throw fault;
    const message = ctx.mask(`${subject} failed: ${fault.message}`);
    return { kind: 'failed', outcome: failConnection(system, fault, message) };
  }
}

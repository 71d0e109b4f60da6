import { EgressError } from '../lib/egress';
import { bounded } from './bounded';
import type { PlatformResult, NodeContext } from './contract';
import { type Failed, failConnection } from './outcome';

/** No timeout of its own: the step's timeout ends the wait for a service that does not answer. */
const TIMEOUT_MS = 0x7fffffff;

/**
 * Calls a service of the platform. A refusal becomes the failure of the step. `subject` names the call in error
 * messages, `system` the service in error codes.
 */
export async function platformCall<T>(
  ctx: Pick<NodeContext, 'signal' | 'redact'>,
  system: string,
  subject: string,
  call: () => Promise<PlatformResult<T>>,
): Promise<{ readonly kind: 'done'; readonly value: T } | { readonly kind: 'failed'; readonly outcome: Failed }> {
  try {
    const result = await bounded(ctx.signal, TIMEOUT_MS, call);
    if (result.kind === 'done') return result;
    const { code, message } = result.error;
    const error = { code, message: ctx.redact(`${subject}: ${message}`) };
    return { kind: 'failed', outcome: { kind: 'fail', error, retryable: result.retryable } };
  } catch (fault) {
    if (!(fault instanceof EgressError)) throw fault;
    const message = ctx.redact(`${subject} failed: ${fault.message}`);
    return { kind: 'failed', outcome: failConnection(system, fault, message) };
  }
}

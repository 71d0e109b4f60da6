import { EgressError } from '../../../lib/egress';
import type { JsonObject } from '../../../lib/json';
import { bounded } from '../../bounded';
import type { EmittedSignal, NodeContext, Outcome } from '../../contract';
import { done, failConnection } from '../../outcome';

/** How long one attempt waits until the signal is stored. */
const TIMEOUT_MS = 30_000;

/** Sends a signal to one run, or to all workflows of the tenant that begin by it. Sending it again changes nothing. */
export async function run(ctx: NodeContext): Promise<Outcome> {
  // The runtime has checked the input against the manifest's schema.
  const { signal, execution_id, data = {} } = ctx.input as { signal: string; execution_id?: string; data?: JsonObject };
  const sent: EmittedSignal =
    execution_id === undefined ? { signal, data } : { executionId: execution_id, signal, data };
  try {
    const answer = await bounded(ctx.signal, TIMEOUT_MS, () => ctx.emit(sent));
    if (answer.kind === 'refused') return { kind: 'fail', error: answer.error, retryable: answer.retryable };
    const { started, refused } = answer;
    return done({ signal: ctx.mask(signal), started: started.map(copy), refused: refused.map(copy) });
  } catch (fault) {
    if (!(fault instanceof EgressError)) throw fault;
    return failConnection('signal', fault, ctx.mask(`the signal "${signal}" could not be sent: ${fault.message}`));
  }
}

const copy = <T extends object>(row: T): T => ({ ...row });

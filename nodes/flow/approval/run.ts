import type { Json } from '../../../lib/json';
import type { NodeContext, OnTimeout, Outcome } from '../../contract';
import { invalidConfig } from '../../outcome';
import { deadlineOf, INVALID_TIMEOUT } from '../deadline';

/** The input as its schema promises it. */
interface ApprovalInput {
  message: string;
  approvers?: string[];
  form?: Json;
  on_timeout?: 'approve' | 'reject' | 'fail';
}

/** Decides what to ask and until when; the decision arrives as a signal and becomes the output. */
export function run(ctx: NodeContext): Outcome {
  // The runtime has checked the input against the manifest's schema.
  const { message, approvers = [], form = null, on_timeout = 'reject' } = ctx.input as unknown as ApprovalInput;
  const until = deadlineOf(ctx);
  if (until === 'invalid') return invalidConfig(INVALID_TIMEOUT);
  const onTimeout = timeoutOutcome(on_timeout, until ?? ctx.now);
  return { kind: 'wait', wait: { kind: 'approval', message, approvers, form, until, onTimeout } };
}

function timeoutOutcome(policy: 'approve' | 'reject' | 'fail', at: number): OnTimeout {
  if (policy === 'fail') return { kind: 'fail', error: { code: 'timed_out', message: 'nobody decided in time' } };
  const decidedAt = new Date(at).toISOString();
  return {
    kind: 'complete',
    output: { approved: policy === 'approve', comment: null, decided_by: null, decided_at: decidedAt, form: null },
  };
}

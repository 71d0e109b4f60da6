import type { NodeContext, OnTimeout, Outcome } from '../../contract';
import { invalidConfig } from '../../outcome';
import { deadlineOf, INVALID_TIMEOUT } from '../deadline';

/** Decides what to wait for and until when; the runtime matches signals. */
export function run(ctx: NodeContext): Outcome {
  // The runtime has checked the input against the manifest's schema.
  const { signal, on_timeout = 'fail' } = ctx.input as { signal: string; on_timeout?: 'fail' | 'continue' };
  const until = deadlineOf(ctx);
  if (until === 'invalid') return invalidConfig(INVALID_TIMEOUT);
  const onTimeout: OnTimeout =
    on_timeout === 'continue'
      ? { kind: 'complete', output: { timed_out: true } }
      : { kind: 'fail', error: { code: 'timed_out', message: `no signal "${ctx.mask(signal)}" came in time` } };
  return { kind: 'wait', wait: { kind: 'signal', signal, until, onTimeout } };
}

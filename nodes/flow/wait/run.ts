import { parseDuration } from '../../../lib/duration';
import type { NodeContext, Outcome } from '../../contract';
import { done, invalidConfig } from '../../outcome';
import { parseInstant } from './instant';

/** Decides until when to wait; the runtime holds the timer. */
export function run(ctx: NodeContext): Outcome {
  const until = untilOf(ctx);
  if (typeof until === 'string') return invalidConfig(until);
  const output = { until: new Date(until).toISOString() };
  // Nothing to wait for: going on at once spares the run its way out of memory and back.
  return until <= ctx.now ? done(output) : { kind: 'wait', wait: { kind: 'timer', until, output } };
}

/** The instant, or the problem in words. */
function untilOf({ input, now }: NodeContext): number | string {
  if (typeof input.until === 'string') {
    return parseInstant(input.until) ?? '"until" must be a time with an offset, as 2030-06-01T09:00:00Z';
  }
  const ms = parseDuration(input.for);
  return ms === null ? '"for" must be a duration of at most 100 years, as 2h' : now + ms;
}

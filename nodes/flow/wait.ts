import { parseDuration } from '../../lib/duration';
import type { NodeContext, Outcome } from '../contract';
import { defineNode } from '../contract/define';
import { done, invalidConfig } from '../outcome';
import { durationSchema, exactlyOneOf, objectSchema, text } from '../schema';

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** Epoch milliseconds of a date and time with an offset (RFC 3339 section 5.6), or null. Leap seconds are not taken. */
function parseInstant(text: string): number | null {
  const upper = text.trim().toUpperCase();
  const match = RFC3339.exec(upper);
  if (!match) return null;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  // Date.parse rolls February 30 over into March.
  if (day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return null;
  const at = Date.parse(upper);
  return Number.isNaN(at) ? null : at;
}

/** Decides until when to wait; the runtime holds the timer. */
function run(ctx: NodeContext): Outcome {
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

export const waitNode = defineNode({
  type: 'wait',
  title: 'Wait',
  description:
    'Pauses the run for a duration or until a time. Waits of any length survive restarts and use no resources.',
  category: 'Flow',
  aliases: ['delay', 'sleep'],
  effect: 'pure',
  input: objectSchema(
    {
      for: durationSchema('For', 'How long to wait.', '2h'),
      until: text(
        'Time to wait for, with UTC offset (RFC 3339). A time in the past does not wait.',
        '2030-06-01T09:00:00+02:00',
      ),
    },
    [],
    exactlyOneOf('for', 'until'),
  ),
  output: objectSchema({ until: text('End of the wait, in UTC.') }, ['until']),
  run,
});

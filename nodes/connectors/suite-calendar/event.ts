import type { Json, JsonObject } from '../../../lib/json';
import { withoutUndefined, textAt, textsAt } from '../values';
import { pick } from '../input';

/** A time as events have it: a day alone, or an instant. */
function when(text: string | undefined, timeZone: string | undefined): Json | undefined {
  if (text === undefined) return undefined;
  if (!text.includes('T')) return { date: text };
  // Seconds may be left out by people, but not by RFC 3339.
  const dateTime = text.replace(/T(\d{2}:\d{2})(?=Z|[+-]|$)/, 'T$1:00');
  return withoutUndefined({ dateTime, timeZone });
}

/** The members of an event that an input names. */
export function eventOf(input: JsonObject): JsonObject {
  const timeZone = textAt(input, 'timezone');
  return withoutUndefined({
    ...pick(input, 'summary', 'description', 'location', 'recurrence', 'visibility'),
    start: when(textAt(input, 'start'), timeZone),
    end: when(textAt(input, 'end'), timeZone),
    attendees: 'attendees' in input ? textsAt(input, 'attendees').map((email) => ({ email })) : undefined,
    transparency: 'show_as' in input ? (input.show_as === 'free' ? 'transparent' : 'opaque') : undefined,
  });
}

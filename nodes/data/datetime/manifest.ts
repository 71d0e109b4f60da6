import type { JsonSchema } from '../../contract';
import type { NodeManifest } from '../../manifest';
import { objectSchema, requiredWhen } from '../../schema';
import { UNITS } from './calendar';

const NEEDS = {
  now: [],
  parse: ['value'],
  format: ['value', 'format'],
  add: ['value', 'amount', 'unit'],
  diff: ['value', 'to', 'unit'],
  start_of: ['value', 'unit'],
  end_of: ['value', 'unit'],
};

const time = (title: string, description: string): JsonSchema => ({
  title,
  description,
  anyOf: [{ type: 'string', maxLength: 200 }, { type: 'number' }],
  examples: ['2030-01-31T09:30:00Z', 1_900_000_000],
});

export const manifest: NodeManifest = {
  type: 'datetime',
  version: 1,
  title: 'Date and time',
  description: "Reads, moves, compares and writes times, by any zone's calendar.",
  category: 'Data',
  effect: 'pure',
  onInterrupted: 'retry',
  immediate: true,
  input: objectSchema(
    {
      operation: {
        type: 'string',
        title: 'Operation',
        description:
          '`now`; `parse` and `format` read and write a time; `add` moves it by `amount` units; `diff` is how much later `to` is than `value`; `start_of` and `end_of` are the first and last millisecond of the unit that holds it.',
        enum: Object.keys(NEEDS),
        examples: ['add'],
      },
      value: time(
        'Value',
        'A date or time (ISO 8601; without an offset, in the time zone), or a number of seconds since 1970 (milliseconds from 100,000,000,000 on).',
      ),
      to: time('To', 'The other time, for `diff`.'),
      amount: {
        type: 'integer',
        title: 'Amount',
        description: 'How many units to add; negative ones are taken away.',
        minimum: -1e13,
        maximum: 1e13,
        examples: [3],
      },
      unit: {
        type: 'string',
        title: 'Unit',
        description:
          'Days and longer are those of the calendar: tomorrow at the same time, though clocks may change in between. Weeks begin on Monday. Differences in months and longer are whole.',
        enum: [...UNITS],
        examples: ['days'],
      },
      timezone: {
        type: 'string',
        title: 'Time zone',
        description: 'A name of the IANA database.',
        minLength: 1,
        maxLength: 64,
        default: 'UTC',
        examples: ['Europe/Berlin'],
      },
      format: {
        type: 'string',
        title: 'Format',
        description: "How `text` is written: yyyy MM dd HH mm ss SSS, MMM EEE (English), a, Z; words in 'quotes'.",
        minLength: 1,
        maxLength: 200,
        examples: ['dd.MM.yyyy HH:mm'],
      },
      pattern: {
        type: 'string',
        title: 'Pattern',
        description: 'How `value` (and `to`) are written when not as ISO 8601, in the letters of `format`.',
        minLength: 1,
        maxLength: 200,
        examples: ['dd.MM.yyyy HH:mm'],
      },
    },
    ['operation'],
    requiredWhen('operation', NEEDS),
  ),
  output: objectSchema({
    iso: { type: 'string', title: 'ISO 8601', description: 'The time in UTC.', examples: ['2030-01-31T09:30:00.000Z'] },
    local: { type: 'string', title: 'Local', description: 'The time as clocks in the zone show it, with the offset.' },
    timezone: { type: 'string', title: 'Time zone', description: 'The zone that the members are in.' },
    epoch_ms: { type: 'integer', title: 'Milliseconds', description: 'Since 1970-01-01 in UTC.' },
    parts: {
      type: 'object',
      title: 'Parts',
      description:
        'Of the local time: year, quarter, month, week (ISO 8601), day, day_of_year, weekday (1 for Monday), hour, minute, second, millisecond.',
    },
    text: { type: 'string', title: 'Text', description: 'The local time by `format`.' },
    value: { type: 'number', title: 'Difference', description: 'Of `diff`, in units.' },
    milliseconds: { type: 'integer', title: 'Milliseconds', description: 'Of `diff`.' },
  }),
};

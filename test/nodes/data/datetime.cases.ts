import type { JsonObject } from '../../../lib/json';
import type { NodeCase } from '../node-case';

const PARTS = { year: 2030, quarter: 1, month: 1, week: 1, day: 1, day_of_year: 1, weekday: 2, hour: 0, minute: 0 };
const refused = (code: string, message: string): NodeCase['outcome'] => ({
  kind: 'fail',
  error: { code, message },
  retryable: false,
});
const full = (output: JsonObject): NodeCase['outcome'] => ({ kind: 'done', output });

export const cases: NodeCase[] = [
  {
    title: 'now is when the attempt began',
    input: { operation: 'now' },
    outcome: full({
      iso: '2030-01-01T00:00:00.000Z',
      local: '2030-01-01T00:00:00.000Z',
      timezone: 'UTC',
      epoch_ms: 1_893_456_000_000,
      parts: { ...PARTS, second: 0, millisecond: 0 },
    }),
  },
  {
    title: 'a time is written by a format, in its zone',
    input: {
      operation: 'format',
      value: '2030-01-01T00:00:00.250Z',
      timezone: 'Asia/Kolkata',
      format: "EEE d MMM yyyy, h:mm a 'o''clock'",
    },
    outcome: full({
      iso: '2030-01-01T00:00:00.250Z',
      local: '2030-01-01T05:30:00.250+05:30',
      timezone: 'Asia/Kolkata',
      epoch_ms: 1_893_456_000_250,
      parts: { ...PARTS, hour: 5, minute: 30, second: 0, millisecond: 250 },
      text: "Tue 1 Jan 2030, 5:30 AM o'clock",
    }),
  },
  {
    title: 'a difference in units',
    input: { operation: 'diff', value: '2030-01-01', to: '2030-01-02T12:00:00Z', unit: 'days' },
    outcome: full({ value: 1.5, milliseconds: 129_600_000 }),
  },
  {
    title: 'a time that no calendar has is refused',
    input: { operation: 'parse', value: '2030-02-30' },
    outcome: refused('invalid_time', '"value" is not a time such as'),
  },
  {
    title: 'a time of another form is refused',
    input: { operation: 'diff', value: '31.01.2030', to: '2030-01-31', unit: 'days', pattern: 'dd.MM.yyyy' },
    outcome: refused('invalid_time', '"to" is not a time of the form dd.MM.yyyy'),
  },
  {
    title: 'a zone that no map has is refused',
    input: { operation: 'now', timezone: 'Mars/Olympus' },
    outcome: refused('invalid_config', '"timezone"'),
  },
  {
    title: 'a field that no format has is refused',
    input: { operation: 'now', format: 'yyyy-QQ' },
    outcome: refused('invalid_config', 'unknown field: QQ'),
  },
  {
    title: 'a field that no pattern has is refused',
    input: { operation: 'parse', value: 'x', pattern: 'yyyy week' },
    outcome: refused('invalid_config', 'unknown field w'),
  },
  {
    title: 'a pattern reads each part once',
    input: { operation: 'parse', value: '1'.repeat(150), pattern: `yyyy${'dHdHdH'.repeat(10)}` },
    outcome: refused('invalid_config', 'twice'),
  },
  {
    title: 'times beyond the calendar are refused',
    input: { operation: 'add', value: '2030-01-01', amount: 9_000, unit: 'years' },
    outcome: refused('invalid_time', 'outside the years'),
  },
  {
    title: 'amounts beyond all calendars are refused',
    input: { operation: 'add', value: '2030-01-01', amount: 1e13, unit: 'years' },
    outcome: refused('invalid_time', 'outside the years'),
  },
];

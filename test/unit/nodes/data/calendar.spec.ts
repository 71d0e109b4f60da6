import fc from 'fast-check';
import { type Zone, zoneOf } from '../../../../dsl';
import { add, difference, endOf, isoWeek, startOf, UNITS, type Unit } from '../../../../nodes/data/datetime/calendar';
import { instantByPattern } from '../../../../nodes/data/datetime/pattern';
import { formatDate } from '../../../../dsl';

const zone = (name: string): Zone => {
  const found = zoneOf(name);
  if (found === null) throw new Error(`there is no zone ${name}`);
  return found;
};
const at = (text: string): number => Date.parse(text);
const iso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');

const ZONES = ['UTC', 'Europe/Berlin', 'America/Sao_Paulo', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia'];
const anyZone = fc.constantFrom(...ZONES).map(zone);
const anyInstant = fc.integer({ min: at('1950-01-01T00:00:00Z'), max: at('2099-12-31T00:00:00Z') });
const anyUnit = fc.constantFrom(...UNITS);

describe('adding', () => {
  test.each<[string, number, Unit, string, string]>([
    ['2030-01-31T10:00:00Z', 1, 'months', 'UTC', '2030-02-28T10:00:00Z'],
    ['2028-02-29T10:00:00Z', 1, 'years', 'UTC', '2029-02-28T10:00:00Z'],
    ['2030-05-31T10:00:00Z', -1, 'quarters', 'UTC', '2030-02-28T10:00:00Z'],
    ['2030-12-15T10:00:00Z', 1, 'months', 'UTC', '2031-01-15T10:00:00Z'],
    ['1960-01-31T10:00:00Z', 1, 'months', 'UTC', '1960-02-29T10:00:00Z'],
    // Clocks are put forward in Berlin on 2030-03-31 at 01:00Z, back on 2030-10-27 at 01:00Z.
    ['2030-03-30T11:00:00Z', 1, 'days', 'Europe/Berlin', '2030-03-31T10:00:00Z'],
    ['2030-03-30T11:00:00Z', 24, 'hours', 'Europe/Berlin', '2030-03-31T11:00:00Z'],
    ['2030-10-26T10:00:00Z', 1, 'days', 'Europe/Berlin', '2030-10-27T11:00:00Z'],
    ['2030-03-30T01:30:00Z', 1, 'days', 'Europe/Berlin', '2030-03-31T01:30:00Z'],
    ['2030-10-26T00:30:00Z', 1, 'days', 'Europe/Berlin', '2030-10-27T00:30:00Z'],
    ['2030-03-24T11:00:00Z', 1, 'weeks', 'Europe/Berlin', '2030-03-31T10:00:00Z'],
  ])('%s and %d %s in %s is %s', (from, amount, unit, name, to) => {
    expect(iso(add(at(from), amount, unit, zone(name)))).toBe(to);
  });

  test('zero months in a repeated hour change nothing', () => {
    const second = at('2030-10-27T01:30:00Z');
    expect(add(second, 0, 'months', zone('Europe/Berlin'))).toBe(second);
  });
});

describe('the unit around an instant', () => {
  test.each<[string, Unit, string, string, string]>([
    ['2030-05-15T10:11:12.345Z', 'minutes', 'UTC', '2030-05-15T10:11:00Z', '2030-05-15T10:11:59.999Z'],
    ['2030-05-15T10:11:12.345Z', 'hours', 'Asia/Kolkata', '2030-05-15T09:30:00Z', '2030-05-15T10:29:59.999Z'],
    ['2030-05-15T23:00:00Z', 'days', 'Europe/Berlin', '2030-05-15T22:00:00Z', '2030-05-16T21:59:59.999Z'],
    ['2030-03-31T12:00:00Z', 'days', 'Europe/Berlin', '2030-03-30T23:00:00Z', '2030-03-31T21:59:59.999Z'],
    // The second of the two hours from 02:00.
    ['2030-10-27T01:30:00Z', 'hours', 'Europe/Berlin', '2030-10-27T01:00:00Z', '2030-10-27T01:59:59.999Z'],
    // A day without midnight: clocks went from 00:00 to 01:00.
    ['2018-11-04T12:00:00Z', 'days', 'America/Sao_Paulo', '2018-11-04T03:00:00Z', '2018-11-05T01:59:59.999Z'],
    ['2030-05-19T12:00:00Z', 'weeks', 'UTC', '2030-05-13T00:00:00Z', '2030-05-19T23:59:59.999Z'],
    ['2030-05-15T12:00:00Z', 'months', 'UTC', '2030-05-01T00:00:00Z', '2030-05-31T23:59:59.999Z'],
    ['2030-05-15T12:00:00Z', 'quarters', 'UTC', '2030-04-01T00:00:00Z', '2030-06-30T23:59:59.999Z'],
    ['2030-05-15T12:00:00Z', 'years', 'Europe/Berlin', '2029-12-31T23:00:00Z', '2030-12-31T22:59:59.999Z'],
  ])('of %s, the one of %s in %s begins at %s and ends at %s', (instant, unit, name, start, end) => {
    expect(iso(startOf(at(instant), unit, zone(name)))).toBe(start);
    expect(iso(endOf(at(instant), unit, zone(name)))).toBe(end);
  });

  test('contains it, and the next one begins at its end', () => {
    fc.assert(
      fc.property(anyInstant, anyUnit, anyZone, (ms, unit, there) => {
        const [start, end] = [startOf(ms, unit, there), endOf(ms, unit, there)];
        expect(start).toBeLessThanOrEqual(ms);
        expect(end).toBeGreaterThanOrEqual(ms);
        expect(startOf(end, unit, there)).toBe(start);
        expect(startOf(end + 1, unit, there)).toBe(end + 1);
      }),
    );
  });
});

describe('differences', () => {
  test.each<[string, string, Unit, string, number]>([
    ['2030-01-01T00:00:00Z', '2030-01-01T01:30:00Z', 'hours', 'UTC', 1.5],
    ['2030-03-30T11:00:00Z', '2030-03-31T10:00:00Z', 'days', 'Europe/Berlin', 1],
    ['2030-03-30T11:00:00Z', '2030-03-31T10:00:00Z', 'hours', 'Europe/Berlin', 23],
    ['2030-01-31T00:00:00Z', '2030-02-28T00:00:00Z', 'months', 'UTC', 1],
    ['2030-01-31T00:00:00Z', '2030-02-27T00:00:00Z', 'months', 'UTC', 0],
    ['2030-05-31T00:00:00Z', '2030-02-28T00:00:00Z', 'months', 'UTC', -3],
    ['2000-02-29T00:00:00Z', '2030-02-28T00:00:00Z', 'years', 'UTC', 30],
    ['2000-03-01T00:00:00Z', '2030-02-28T00:00:00Z', 'years', 'UTC', 29],
    ['2030-01-01T00:00:00Z', '2030-06-30T00:00:00Z', 'quarters', 'UTC', 1],
  ])('from %s to %s, in %s in %s: %d', (from, to, unit, name, expected) => {
    expect(difference(at(from), at(to), unit, zone(name))).toBe(expected);
  });

  test('whole units added to the earlier time do not pass the later one', () => {
    fc.assert(
      fc.property(anyInstant, anyInstant, fc.constantFrom<Unit>('months', 'quarters', 'years'), (a, b, unit) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const whole = difference(from, to, unit, zone('UTC'));
        expect(add(from, whole, unit, zone('UTC'))).toBeLessThanOrEqual(to);
        expect(add(from, whole + 1, unit, zone('UTC'))).toBeGreaterThan(to);
      }),
    );
  });
});

test.each([
  ['2021-01-03', 53],
  ['2021-01-04', 1],
  ['2024-12-30', 1],
  ['2026-12-31', 53],
  ['2030-05-15', 20],
])('%s is in week %d', (day, week) => {
  expect(isoWeek(new Date(`${day}T12:00:00Z`))).toBe(week);
});

describe('patterns', () => {
  test.each([
    ['31.01.2030 09:05', 'dd.MM.yyyy HH:mm', '2030-01-31T09:05:00Z'],
    ['1/2/30', 'M/d/yy', '2030-01-02T00:00:00Z'],
    ['1/2/70', 'M/d/yy', '1970-01-02T00:00:00Z'],
    ['March 5, 2030 12:15 am', 'MMMM d, yyyy h:mm a', '2030-03-05T00:15:00Z'],
    ['Thu, 31 Jan 2030 13:00:01 +0200', 'EEE, dd MMM yyyy HH:mm:ss Z', '2030-01-31T11:00:01Z'],
    ["9 o'clock on 2030-01-31", "h 'o''clock on' yyyy-MM-dd", '2030-01-31T09:00:00Z'],
    ['20300131T093000.250Z', 'yyyyMMddTHHmmss.SSSZ', '2030-01-31T09:30:00.250Z'],
    ['2030', 'yyyy', '2030-01-01T00:00:00Z'],
  ])('%s by %s is %s', (text, pattern, expected) => {
    expect(iso(instantByPattern(text, pattern, zone('UTC')) ?? Number.NaN)).toBe(expected);
  });

  test.each([
    ['30.02.2030', 'dd.MM.yyyy'],
    ['13:00 PM 2030', 'HH:mm a yyyy'],
    ['24:00 2030', 'HH:mm yyyy'],
    ['x 2030', 'd yyyy'],
    ['2030 more', 'yyyy'],
    ['9'.repeat(300), 'yyyy'],
  ])('%s does not match %s', (text, pattern) => {
    expect(instantByPattern(text, pattern, zone('UTC'))).toBeNull();
  });

  test('a text without an offset is parsed in the zone', () => {
    expect(iso(instantByPattern('2030-07-01 12', 'yyyy-MM-dd HH', zone('Europe/Berlin')) as number)).toBe(
      '2030-07-01T10:00:00Z',
    );
  });

  test('a time formatted with an offset is parsed by the same pattern', () => {
    const pattern = "EEEE d MMMM yyyy 'at' h:mm:ss.SSS a Z";
    fc.assert(
      fc.property(anyInstant, fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kolkata').map(zone), (ms, there) => {
        const written = formatDate(ms, there.offsetAt(ms), pattern);
        expect('text' in written && instantByPattern(written.text, pattern, there)).toBe(ms);
      }),
    );
  });
});

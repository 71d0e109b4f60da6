import fc from 'fast-check';
import { type CronFields, readCron, type Zone, zoneOf } from '../../../dsl';
import { cronTimes } from '../../../services/scheduler/rules/cron';

const MINUTE = 60_000;
const zones = new Map<string, Zone>();

/** Remembers what it was asked: clocks change at full half hours, and a walk asks for every minute. */
function zone(name: string): Zone {
  const found = zones.get(name) ?? remembering(zoneOf(name) as Zone);
  zones.set(name, found);
  return found;
}

function remembering(real: Zone): Zone {
  const known = new Map<number, number>();
  return {
    fromLocal: real.fromLocal,
    offsetAt(ms) {
      const half = Math.floor(ms / (30 * MINUTE));
      const offset = known.get(half) ?? real.offsetAt(half * 30 * MINUTE);
      known.set(half, offset);
      return offset;
    },
  };
}

const at = (text: string): number => Date.parse(text);

/** The first times after a moment, as ISO texts in UTC. */
function times(cron: string, zoneName: string, after: string, count: number): string[] {
  const next = cronTimes(cron, zone(zoneName));
  const found: string[] = [];
  let from = at(after);
  while (found.length < count) {
    const time = next(from);
    if (time === null) break;
    found.push(new Date(time).toISOString().replace(':00.000Z', 'Z'));
    from = time;
  }
  return found;
}

describe('in a zone with daylight saving time from 2:00 to 3:00', () => {
  const berlin = 'Europe/Berlin';

  test('a skipped time fires once, at the change', () => {
    expect(times('30 2 * * *', berlin, '2026-03-28T00:00:00Z', 3)).toEqual([
      '2026-03-28T01:30Z',
      '2026-03-29T01:00Z',
      '2026-03-30T00:30Z',
    ]);
    expect(times('*/15 2 * * *', berlin, '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-30T00:00Z',
    ]);
  });

  test('a skipped time does not fire twice when the change itself is a matching time', () => {
    expect(times('0,30 2,3 * * *', berlin, '2026-03-28T12:00:00Z', 3)).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-29T01:30Z',
      '2026-03-30T00:00Z',
    ]);
  });

  test('a repeated time fires only the first time', () => {
    expect(times('*/30 2 * * *', berlin, '2026-10-24T12:00:00Z', 3)).toEqual([
      '2026-10-25T00:00Z',
      '2026-10-25T00:30Z',
      '2026-10-26T01:00Z',
    ]);
    expect(times('30 2 * * *', berlin, '2026-10-25T00:45:00Z', 1)).toEqual(['2026-10-26T01:30Z']);
  });

  test('an hourly schedule fires every hour', () => {
    expect(times('30 * * * *', berlin, '2026-10-24T23:00:00Z', 4)).toEqual([
      '2026-10-24T23:30Z',
      '2026-10-25T00:30Z',
      '2026-10-25T01:30Z',
      '2026-10-25T02:30Z',
    ]);
    expect(times('30 * * * *', berlin, '2026-03-28T23:45:00Z', 3)).toEqual([
      '2026-03-29T00:30Z',
      '2026-03-29T01:30Z',
      '2026-03-29T02:30Z',
    ]);
  });
});

test('an hourly schedule fires in the hour that is repeated at the end of its day', () => {
  // Clocks in Santiago go back from Sunday 00:00 to Saturday 23:00, which is six days before the next Saturday.
  expect(times('*/30 * * * sat', 'America/Santiago', '2026-04-05T02:30:00Z', 3)).toEqual([
    '2026-04-05T03:00Z',
    '2026-04-05T03:30Z',
    '2026-04-11T04:00Z',
  ]);
});

test('the day that Samoa skipped fires at its end', () => {
  expect(times('0 9 * * *', 'Pacific/Apia', '2011-12-29T12:00:00Z', 3)).toEqual([
    '2011-12-29T19:00Z',
    '2011-12-30T10:00Z',
    '2011-12-30T19:00Z',
  ]);
});

test('a day of the month or of the week is enough, also when all days of the week are listed', () => {
  expect(times('0 0 13 * fri', 'UTC', '2026-02-06T12:00:00Z', 3)).toEqual([
    '2026-02-13T00:00Z',
    '2026-02-20T00:00Z',
    '2026-02-27T00:00Z',
  ]);
  expect(times('0 0 30 2 0-7', 'UTC', '2026-02-01T12:00:00Z', 1)).toEqual(['2026-02-02T00:00Z']);
  expect(times('0 0 29 2 *', 'UTC', '2026-02-01T12:00:00Z', 2)).toEqual(['2028-02-29T00:00Z', '2032-02-29T00:00Z']);
});

test.each([
  ['@hourly', '2026-01-01T01:00Z'],
  ['@daily', '2026-01-02T00:00Z'],
  ['@midnight', '2026-01-02T00:00Z'],
  ['@weekly', '2026-01-04T00:00Z'],
  ['@monthly', '2026-02-01T00:00Z'],
  ['@yearly', '2027-01-01T00:00Z'],
  ['@ANNUALLY', '2027-01-01T00:00Z'],
])('%s fires at %s', (cron, first) => {
  expect(times(cron, 'UTC', '2026-01-01T00:00:00Z', 1)).toEqual([first]);
});

/** Whether the clocks' time is one that an expression names. */
function names({ minutes, hours, days, months, weekdays }: CronFields, local: number): boolean {
  const shown = new Date(local);
  const day = days?.has(shown.getUTCDate());
  const weekday = weekdays?.has(shown.getUTCDay());
  const either = day === undefined || weekday === undefined ? (day ?? weekday ?? true) : day || weekday;
  return (
    minutes.has(shown.getUTCMinutes()) &&
    hours.has(shown.getUTCHours()) &&
    months.has(shown.getUTCMonth() + 1) &&
    either
  );
}

/** All times in a span, by a walk from minute to minute. */
function walked(cron: string, { offsetAt }: Zone, from: number, to: number): number[] {
  const fields = readCron(cron) as CronFields;
  const found: number[] = [];
  // The latest that the clocks have shown so far; they may have been put back shortly before.
  let latest = Number.NEGATIVE_INFINITY;
  for (let time = from - 1_560 * MINUTE; time <= from; time += MINUTE) latest = Math.max(latest, time + offsetAt(time));
  for (let time = from + MINUTE; time <= to; time += MINUTE) {
    const local = time + offsetAt(time);
    let meant = fields.hours.size === 24 && names(fields, local);
    if (fields.hours.size < 24)
      for (let passed = latest + MINUTE; passed <= local; passed += MINUTE) meant ||= names(fields, passed);
    latest = Math.max(latest, local);
    if (meant) found.push(time);
  }
  return found;
}

const number = (min: number, max: number): fc.Arbitrary<string> => fc.integer({ min, max }).map(String);
const part = (min: number, max: number): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant('*') },
    number(min, max),
    fc.integer({ min: 1, max: Math.min(max, 20) }).map((step) => `*/${step}`),
    fc.tuple(fc.integer({ min, max }), fc.integer({ min, max })).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
    fc.tuple(number(min, max), number(min, max)).map((both) => both.join()),
    number(min, max).map((first) => `${first}/7`),
  );
const expressions = fc
  .tuple(
    part(0, 59),
    part(0, 23),
    part(1, 31),
    part(1, 12),
    part(0, 7).filter((text) => text !== '*/7'),
  )
  .map((parts) => parts.join(' '))
  .filter((text) => typeof readCron(text) !== 'string');

/** Zones and the moments at which their clocks change; Lord Howe's by half an hour, Troll's by two hours. */
const CHANGES: readonly [string, string][] = [
  ['Europe/Berlin', '2026-03-29T01:00:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00:00Z'],
  ['America/New_York', '2026-03-08T07:00:00Z'],
  ['America/New_York', '2026-11-01T06:00:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
  ['Antarctica/Troll', '2026-03-29T01:00:00Z'],
  ['Antarctica/Troll', '2026-10-25T01:00:00Z'],
  ['America/Sao_Paulo', '2018-11-04T03:00:00Z'],
  ['America/Santiago', '2026-04-05T03:00:00Z'],
  ['Pacific/Apia', '2011-12-30T10:00:00Z'],
  ['Asia/Kathmandu', '2026-06-01T00:00:00Z'],
  ['UTC', '2028-02-29T00:00:00Z'],
];

test('finds the same as a search minute by minute, in any zone', () => {
  fc.assert(
    fc.property(
      expressions,
      fc.constantFrom(...CHANGES),
      fc.integer({ min: -2_000, max: 300 }),
      fc.nat(MINUTE - 1),
      (cron, [name, change], minutes, ms) => {
        const full = at(change) + minutes * MINUTE;
        const to = full + 2_500 * MINUTE;
        const next = cronTimes(cron, zone(name));
        const found: number[] = [];
        for (let time = next(full + ms); time !== null && time <= to; time = next(time)) found.push(time);
        expect(found).toEqual(walked(cron, zone(name), full, to));
      },
    ),
    { numRuns: 100 },
  );
});

test('finds the rare times of a year', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('15 * 1 4 *', '*/30 * 25 10 sun', '30 2 29 3 *', '45 2 1 11 *', '0 * 31 12 *', '10 1-3 * 3,10 0'),
      fc.constantFrom('Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'),
      (cron, name) => {
        const [from, to] = [at('2026-01-01T00:00:00Z'), at('2027-01-01T00:00:00Z')];
        const next = cronTimes(cron, zone(name));
        const found: number[] = [];
        for (let time = next(from); time !== null && time <= to; time = next(time)) found.push(time);
        expect(found).toEqual(walked(cron, zone(name), from, to));
      },
    ),
    { numRuns: 5 },
  );
});

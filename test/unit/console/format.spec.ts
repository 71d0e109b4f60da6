import {
  formatInZone,
  formatBytes,
  formatClock,
  formatCompact,
  formatDate,
  formatDuration,
  formatPercent,
  formatRelative,
  formatUsd,
  relativeTextLasts,
} from '../../../console/src/model/format';

const NOW = Date.parse('2026-06-15T12:00:00.000Z');
const HOUR = 3_600_000;

test.each([
  [0, '0 ms'],
  [840, '840 ms'],
  [3_290, '3.2 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [250_000, '4 min 10 s'],
  [2 * HOUR + 300_000, '2 h 5 min'],
  [76 * HOUR, '3 d 4 h'],
])('a duration of %i ms is shown as %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

test.each([
  [-2_000, 'just now'],
  [-90_000, '1 min. ago'],
  [3 * HOUR + 1, 'in 3 hr.'],
  [-30 * HOUR, '1 day ago'],
])('%i ms from now is shown as %s', (distance, text) => expect(formatRelative(NOW + distance, NOW)).toBe(text));

test('a time more than a week away is a date, with its year where that is another one', () => {
  expect(formatRelative(NOW - 10 * 24 * HOUR, NOW)).toBe('5 Jun');
  expect(formatDate(Date.parse('2025-01-02T12:00:00Z'), NOW)).toBe('2 Jan 2025');
});

test('a relative time is rendered again at the latest when its text changes', () => {
  expect(relativeTextLasts(NOW - 3_000, NOW)).toBe(1_000);
  expect(relativeTextLasts(NOW - 300_000, NOW)).toBeLessThanOrEqual(60_000);
});

test('numbers are short, and small amounts keep their digits', () => {
  expect([formatCompact(999), formatCompact(1_234)]).toEqual(['999', '1.2K']);
  expect([formatPercent(0.004), formatPercent(0.5), formatPercent(0.999), formatPercent(1)]).toEqual([
    '<1%',
    '50%',
    '>99%',
    '100%',
  ]);
  expect([formatUsd(0), formatUsd(0.00123), formatUsd(12.5)]).toEqual(['$0.00', '$0.0012', '$12.50']);
  expect([formatBytes(1), formatBytes(1_536), formatBytes(200 * 1_024 ** 2)]).toEqual(['1 B', '1.5 KiB', '200 MiB']);
  expect(formatClock(NOW)).toMatch(/^\d\d:\d\d:\d\d$/);
});

describe('a time in the zone of its schedule', () => {
  it.each([
    ['2027-01-01T11:00:00Z', 'Europe/Berlin', /^Fri.? 1 Jan 2027,? (at )?12:00 CET$/],
    ['2027-07-01T10:00:00Z', 'Europe/Berlin', /^Thu.? 1 Jul 2027,? (at )?12:00 CEST$/],
    ['2027-07-01T10:00:00Z', 'No/Where', /10:00 UTC$/],
  ])('%s in %s', (at, zone, text) => expect(formatInZone(Date.parse(at), zone).replace(/^(\w+),/, '$1')).toMatch(text));
});

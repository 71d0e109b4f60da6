import { DAY_MS, dayLane, hourMarks, localInput, localInstant, timesOf } from '../../../console/src/model/schedules';

const NOW = Date.UTC(2026, 0, 1, 12, 30);
const HOUR = DAY_MS / 24;
const starts = (...hours: number[]): string[] => hours.map((hour) => new Date(NOW + hour * HOUR).toISOString());

describe('the lane of a schedule in a day', () => {
  it('has a mark for each start of the day, and none for later ones', () => {
    expect(dayLane(starts(6, 12, 30), NOW, 24)).toEqual({ ticks: [0.25, 0.5], moreFrom: null });
  });

  it('says from where on there are more starts than are known', () => {
    expect(dayLane(starts(3, 6), NOW, 2)).toEqual({ ticks: [0.125, 0.25], moreFrom: 0.25 });
    expect(dayLane(starts(6, 30), NOW, 2).moreFrom).toBeNull();
    expect(dayLane([], NOW, 2)).toEqual({ ticks: [], moreFrom: null });
  });
});

it('marks the full hours of the day after now', () => {
  const marks = hourMarks(NOW, 6);
  expect(marks.map(({ at }) => new Date(at).getHours() % 6)).toEqual([0, 0, 0, 0]);
  expect(marks.every(({ place }) => place > 0 && place < 1)).toBe(true);
});

it('names the times of a schedule', () => {
  expect([timesOf({ cron: '0 9 * * *' }), timesOf({ every: '5m' })]).toEqual(['0 9 * * *', 'every 5m']);
});

it('reads what it writes into an input of local time, to the minute', () => {
  expect(localInstant(localInput(NOW))).toBe(new Date(NOW).toISOString());
  expect(localInstant('')).toBeNull();
});

import { limitsText } from '../../../console/src/model/connections';

test.each([
  [{ rate: null, concurrency: null }, 'None'],
  [{ rate: null, concurrency: 1 }, '1 step at a time'],
  [{ rate: { limit: 1_000, period_seconds: 90 }, concurrency: 5 }, '5 steps at a time, 1,000 steps in 1 min 30 s'],
])('the limits %j are shown as %s', (limits, text) => {
  expect(limitsText(limits)).toBe(text);
});

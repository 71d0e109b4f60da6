import { backoffCeilingMs, backoffMs } from '../../../lib/backoff';

const policy = { firstMs: 100, maxMs: 1_000 };

test('the pause doubles with each failure, up to the maximum', () => {
  expect([1, 2, 3, 4, 5, 10_000].map((failures) => backoffCeilingMs(policy, failures))).toEqual([
    100, 200, 400, 800, 1_000, 1_000,
  ]);
  expect(backoffCeilingMs({ ...policy, factor: 3 }, 2)).toBe(300);
  expect(backoffCeilingMs({ firstMs: 0, maxMs: 1_000 }, 10_000)).toBe(0);
});

test('a pause is any value up to the maximum, and never 0', () => {
  expect([0, 0.5, 1].map((random) => backoffMs(policy, 3, random))).toEqual([1, 200, 400]);
});

import { TokenBuckets } from '../../../lib/token-bucket';

const rate = { perSecond: 10, capacity: 10 };

test('a bucket has its capacity, then only the refilled tokens', () => {
  const buckets = new TokenBuckets();
  const left = Array.from({ length: 11 }, () => buckets.takeLocal('a', rate, 0));
  expect(left).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, null]);
  expect(buckets.isEmpty('a', rate, 0)).toBe(true);
  expect(buckets.takeLocal('a', rate, 100)).toBe(0);
  expect(buckets.takeLocal('a', rate, 100)).toBeNull();
  expect(buckets.takeLocal('a', rate, 60_000)).toBe(9);
});

test('names have separate buckets, and a clock that goes back adds no tokens', () => {
  const buckets = new TokenBuckets();
  const one = { perSecond: 1, capacity: 1 };
  expect(buckets.takeLocal('a', one, 1_000)).toBe(0);
  expect(buckets.takeLocal('b', one, 1_000)).toBe(0);
  expect(buckets.takeLocal('a', one, 0)).toBeNull();
});

test('the debt of a bucket is at most its capacity', async () => {
  const buckets = new TokenBuckets();
  await buckets.charge('a', 1_000, rate, 0);
  expect(buckets.isEmpty('a', rate, 1_000)).toBe(true);
  expect(buckets.takeLocal('a', rate, 1_100)).toBe(0);
});

test('the least recently used bucket is evicted when there are too many', () => {
  const buckets = new TokenBuckets();
  const once = { perSecond: 0, capacity: 1 };
  expect([buckets.takeLocal('first', once, 0), buckets.takeLocal('first', once, 0)]).toEqual([0, null]);
  for (let n = 0; n < 50_000; n += 1) buckets.takeLocal(`k${n}`, once, 0);
  expect(buckets.takeLocal('first', once, 0)).toBe(0);
  expect(buckets.takeLocal('k49999', once, 0)).toBeNull();
});

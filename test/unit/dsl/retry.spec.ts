import fc from 'fast-check';
import { retryDelayMs, type RetryPolicy } from '../../../dsl';
import { resolveRetry } from '../../../dsl/retry';

const policy = (more: Partial<RetryPolicy> = {}): RetryPolicy => ({ ...resolveRetry(), jitter: 0, ...more });
const delays = (each: RetryPolicy): number[] => [1, 2, 3, 4].map((attempt) => retryDelayMs(each, attempt, 0.5));

describe('the policy of a step', () => {
  test('without a word a step is tried once', () => {
    expect(resolveRetry()).toEqual({
      maxAttempts: 1,
      backoff: 'exponential',
      initialMs: 1_000,
      maxMs: 300_000,
      factor: 2,
      jitter: 0.2,
    });
  });

  test('its own members win over those of the document', () => {
    const document = { max_attempts: 3, backoff: 'fixed' as const, initial_interval: '5s' };
    expect(resolveRetry(document, { max_attempts: 5, max_interval: 60, factor: 3, jitter: 0 })).toEqual({
      maxAttempts: 5,
      backoff: 'fixed',
      initialMs: 5_000,
      maxMs: 60_000,
      factor: 3,
      jitter: 0,
    });
  });

  test('a long initial interval raises the default maximum', () => {
    expect(resolveRetry({}, { initial_interval: '1h' }).maxMs).toBe(3_600_000);
  });
});

describe('the delay', () => {
  test('is the same each time when fixed', () => {
    expect(delays(policy({ backoff: 'fixed' }))).toEqual([1_000, 1_000, 1_000, 1_000]);
  });

  test('grows by the first delay when linear', () => {
    expect(delays(policy({ backoff: 'linear' }))).toEqual([1_000, 2_000, 3_000, 4_000]);
  });

  test('grows by the factor when exponential, up to the ceiling', () => {
    expect(delays(policy({ factor: 3, maxMs: 10_000 }))).toEqual([1_000, 3_000, 9_000, 10_000]);
  });

  test('stays finite after very many attempts', () => {
    expect(retryDelayMs(policy(), 100_000, 0.5)).toBe(300_000);
  });

  test('is spread by the jitter to both sides', () => {
    const jittery = policy({ jitter: 0.2 });
    expect(retryDelayMs(jittery, 1, 0)).toBe(800);
    expect(retryDelayMs(jittery, 1, 0.5)).toBe(1_000);
    expect(retryDelayMs(jittery, 1, 0.999)).toBe(1_200);
  });

  test('obeys the time that the other side asked for, above the ceiling too', () => {
    expect(retryDelayMs(policy(), 1, 0.5, 900_000)).toBe(900_000);
    expect(retryDelayMs(policy(), 3, 0.5, 10)).toBe(4_000);
  });

  test('is a whole number from 0 to the ceiling for any policy', () => {
    const any = fc.record<RetryPolicy>({
      maxAttempts: fc.nat(100),
      backoff: fc.constantFrom('fixed', 'linear', 'exponential'),
      initialMs: fc.nat(1e9),
      maxMs: fc.nat(1e9),
      factor: fc.double({ min: 1, max: 100, noNaN: true }),
      jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(
        any,
        fc.nat(1_000),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (each, n, random) => {
          const delay = retryDelayMs(each, n, random);
          expect(Number.isInteger(delay)).toBe(true);
          expect(delay).toBeGreaterThanOrEqual(0);
          expect(delay).toBeLessThanOrEqual(each.maxMs);
        },
      ),
    );
  });
});

import { RateLimiter } from '../../../services/api-gateway/rate-limit';

describe('the rate limit', () => {
  test('gives as many tokens as a second has, then none, then what has flowed in', () => {
    const limiter = new RateLimiter(10);
    const left = Array.from({ length: 11 }, () => limiter.take('a', 0)?.remaining ?? null);
    expect(left).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, null]);
    expect(limiter.take('a', 100)).toEqual({ limit: 10, remaining: 0, reset: 1 });
    expect(limiter.take('a', 100)).toBeNull();
    expect(limiter.take('a', 60_000)?.remaining).toBe(9);
  });

  test('counts clients apart, and does not go back in time with the clock', () => {
    const limiter = new RateLimiter(1);
    expect(limiter.take('a', 1_000)).not.toBeNull();
    expect(limiter.take('b', 1_000)).not.toBeNull();
    expect(limiter.take('a', 0)).toBeNull();
  });

  test('tells the client in header fields, also when it refuses', async () => {
    const limiter = new RateLimiter(1);
    const headers: Record<string, string> = {};
    const set = (name: string, value: string): void => {
      headers[name] = value;
    };
    await limiter.admit('a', 0, set);
    expect(headers).toEqual({ 'RateLimit-Limit': '1', 'RateLimit-Remaining': '0', 'RateLimit-Reset': '1' });
    await expect(limiter.admit('a', 0, set)).rejects.toThrow(
      expect.objectContaining({ type: 'rate_limited', data: { retry_after: 1 } }),
    );
  });
});

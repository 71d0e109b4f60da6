import { RateLimiter } from '../../../lib/rate-limit/rate-limiter';

describe('the rate limit', () => {
  test('admits a burst, then none, then the refilled tokens', async () => {
    const limiter = new RateLimiter(10);
    const remaining: string[] = [];
    const set = (name: string, value: string): void => {
      if (name === 'RateLimit-Remaining') remaining.push(value);
    };
    for (let n = 0; n < 10; n += 1) await limiter.admit('a', 0, set);
    await expect(limiter.admit('a', 0, set)).rejects.toThrow('slow down');
    await limiter.admit('a', 100, set);
    await expect(limiter.admit('a', 100, set)).rejects.toThrow('slow down');
    await limiter.admit('b', 100, set);
    expect(remaining.join()).toBe('9,8,7,6,5,4,3,2,1,0,0,0,0,9');
  });

  test('sets the header fields, also for a refusal', async () => {
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

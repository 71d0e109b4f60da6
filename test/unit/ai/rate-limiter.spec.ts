import { RateLimiter } from '../../../services/ai/rate-limiter';

const T0 = Date.UTC(2030, 0, 1);
const nothing = async (): Promise<void> => {};
const never = (): Promise<never> => new Promise(() => {});
const refused = (seconds: number) => ({ type: 'rate_limited', data: { retry_after: seconds } });

test('five requests of one tenant may run at a time, without a limit for other tenants', async () => {
  const limiter = new RateLimiter();
  for (let n = 0; n < 5; n++) void limiter.run('a', T0, never);
  await expect(limiter.run('a', T0, nothing)).rejects.toMatchObject(refused(1));
  await limiter.run('b', T0, nothing);
});

test('a finished request releases its permit, also after a failure', async () => {
  const limiter = new RateLimiter();
  for (let n = 0; n < 6; n++) {
    await expect(limiter.run('a', T0, () => Promise.reject(new Error('x')))).rejects.toThrow('x');
  }
});

test('sixty requests are admitted at once, then one per second', async () => {
  const limiter = new RateLimiter();
  for (let n = 0; n < 60; n++) await limiter.run('a', T0, nothing);
  await expect(limiter.run('a', T0 + 999, nothing)).rejects.toMatchObject(refused(1));
  await limiter.run('a', T0 + 1_000, nothing);
});

test('a running request counts in the next minute too', async () => {
  const limiter = new RateLimiter();
  for (let n = 0; n < 5; n++) void limiter.run('a', T0, never);
  await expect(limiter.run('a', T0 + 60_000, nothing)).rejects.toMatchObject(refused(1));
});

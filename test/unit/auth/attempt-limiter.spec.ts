import { AttemptLimiter } from '../../../services/auth/attempt-limiter';

const MINUTE = 60_000;
const REFUSED = expect.objectContaining({ type: 'rate_limited' });

async function fail(limiter: AttemptLimiter, times: number, account: string, address: string, now = 0): Promise<void> {
  for (let i = 0; i < times; i += 1) await limiter.admit(account, address, now);
}

/** The number of admitted attempts. */
async function admitted(
  limiter: AttemptLimiter,
  attempts: readonly [account: string, address: string][],
): Promise<number> {
  const results = await Promise.allSettled(attempts.map(([account, address]) => limiter.admit(account, address, 0)));
  return results.filter(({ status }) => status === 'fulfilled').length;
}

describe('the limiter of login attempts', () => {
  test('the eleventh failure of a pair within 15 minutes is refused, with the seconds to wait', async () => {
    const limiter = new AttemptLimiter();
    await fail(limiter, 10, 'ann', '1.1.1.1');
    await expect(limiter.admit('ann', '1.1.1.1', 5 * MINUTE)).rejects.toEqual(
      expect.objectContaining({ type: 'rate_limited', data: { retry_after: 600 } }),
    );
    await limiter.admit('ann', '1.1.1.1', 15 * MINUTE);
  });

  test('another address or another account is not limited', async () => {
    const limiter = new AttemptLimiter();
    await fail(limiter, 10, 'ann', '1.1.1.1');
    expect(await admitted(limiter, [['ann', '2.2.2.2']])).toBe(1);
    expect(await admitted(limiter, [['bob', '1.1.1.1']])).toBe(1);
  });

  test('attempts in progress count, so parallel guesses are limited too', async () => {
    const attempts = Array.from({ length: 50 }, (): [string, string] => ['ann', '1.1.1.1']);
    expect(await admitted(new AttemptLimiter(), attempts)).toBe(10);
  });

  test('a success resets the count of the pair', async () => {
    const limiter = new AttemptLimiter();
    await fail(limiter, 9, 'ann', '1.1.1.1');
    (await limiter.admit('ann', '1.1.1.1', 0))();
    const attempts = Array.from({ length: 12 }, (): [string, string] => ['ann', '1.1.1.1']);
    expect(await admitted(limiter, attempts)).toBe(10);
  });

  test('an address that fails on many accounts is refused from its hundredth failure on', async () => {
    const limiter = new AttemptLimiter();
    for (let i = 0; i < 100; i += 1) await limiter.admit(`user${i}`, '1.1.1.1', 0);
    await expect(limiter.admit('someone else', '1.1.1.1', 0)).rejects.toEqual(REFUSED);
    await limiter.admit('someone else', '2.2.2.2', 0);
  });

  test('addresses of one /64 of IPv6 count as one, and those of a /48 as four', async () => {
    const guesses = (address: (n: number) => string, account = (_: number): string => 'ann') =>
      Array.from({ length: 500 }, (__, n): [string, string] => [account(n), address(n)]);
    const inOneNetwork = guesses((n) => `2001:db8::${(n + 1).toString(16)}`);
    expect(await admitted(new AttemptLimiter(), inOneNetwork)).toBe(10);
    const inOneSite = guesses(
      (n) => `2001:db8:0:${n.toString(16)}::1`,
      (n) => `user ${n}`,
    );
    expect(await admitted(new AttemptLimiter(), inOneSite)).toBe(400);
  });

  test('guesses from many addresses at one account are limited, but not logins from the known network of its owner', async () => {
    const limiter = new AttemptLimiter();
    (await limiter.admit('ann', '9.9.9.9', 0))();
    const guesses = Array.from({ length: 400 }, (_, n): [string, string] => ['ann', `10.0.${n >> 8}.${n & 255}`]);
    expect(await admitted(limiter, guesses)).toBe(100);
    await limiter.admit('ann', '9.9.9.9', MINUTE);
    await expect(limiter.admit('ann', '8.8.8.8', MINUTE)).rejects.toEqual(REFUSED);
    await limiter.admit('ann', '8.8.8.8', 15 * MINUTE);
  });
});

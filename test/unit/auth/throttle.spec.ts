import { Throttle } from '../../../services/auth/throttle';

const MINUTE = 60_000;
const fail = (throttle: Throttle, times: number, account: string, address: string, now = 0): void => {
  for (let i = 0; i < times; i += 1) throttle.admit(account, address, now);
};

describe('the throttle of logins', () => {
  test('the eleventh failure of a pair within 15 minutes is refused, with the seconds to wait', () => {
    const throttle = new Throttle();
    fail(throttle, 10, 'ann', '1.1.1.1');
    expect(() => throttle.admit('ann', '1.1.1.1', 5 * MINUTE)).toThrow(
      expect.objectContaining({ type: 'rate_limited', data: { retry_after: 600 } }),
    );
    expect(() => throttle.admit('ann', '1.1.1.1', 15 * MINUTE)).not.toThrow();
  });

  test('another address or another account is not concerned', () => {
    const throttle = new Throttle();
    fail(throttle, 10, 'ann', '1.1.1.1');
    expect(() => throttle.admit('ann', '2.2.2.2', 0)).not.toThrow();
    expect(() => throttle.admit('bob', '1.1.1.1', 0)).not.toThrow();
  });

  test('attempts that are under way count, so parallel guesses do not slip through', () => {
    const throttle = new Throttle();
    const outcomes = Array.from({ length: 50 }, () => {
      try {
        throttle.admit('ann', '1.1.1.1', 0);
        return true;
      } catch {
        return false;
      }
    });
    expect(outcomes.filter(Boolean)).toHaveLength(10);
  });

  test('a success forgives the pair', () => {
    const throttle = new Throttle();
    fail(throttle, 9, 'ann', '1.1.1.1');
    throttle.admit('ann', '1.1.1.1', 0)();
    expect(() => fail(throttle, 10, 'ann', '1.1.1.1')).not.toThrow();
  });

  test('an address that fails on many accounts is refused from its hundredth failure on', () => {
    const throttle = new Throttle();
    for (let i = 0; i < 100; i += 1) throttle.admit(`user${i}`, '1.1.1.1', 0);
    expect(() => throttle.admit('someone else', '1.1.1.1', 0)).toThrow(
      expect.objectContaining({ type: 'rate_limited' }),
    );
    expect(() => throttle.admit('someone else', '2.2.2.2', 0)).not.toThrow();
  });
});

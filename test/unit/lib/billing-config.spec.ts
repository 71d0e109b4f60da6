import { readConfig } from '../../../lib/config';
import { monthOf } from '../../../lib/month';

describe('the configuration of billing', () => {
  it('is empty by default, with a grace period of a week', () => {
    expect(readConfig({}).billing).toEqual({
      apiKey: null,
      webhookSecret: null,
      url: null,
      prices: { pro: null, enterprise: null },
      graceMs: 7 * 24 * 3_600_000,
    });
  });

  it.each([
    [{ BILLING_PROVIDER_URL: 'ftp://x' }, /BILLING_PROVIDER_URL/],
    [{ BILLING_PROVIDER_URL: 'https://x/v1' }, /without a path/],
    [{ BILLING_PROVIDER_URL: 'https://user:pw@x' }, /without a path/],
    [{ BILLING_PROVIDER_PRICE_PRO: 'p', BILLING_PROVIDER_PRICE_ENTERPRISE: 'p' }, /same price/],
    [{ BILLING_GRACE_DAYS: '-1' }, /BILLING_GRACE_DAYS/],
    [{ BILLING_GRACE_DAYS: 'week' }, /BILLING_GRACE_DAYS/],
  ])('%j prevents the start', (env, words) => {
    expect(() => readConfig(env)).toThrow(words);
  });
});

test('a month goes from its first instant in UTC to that of the next one', () => {
  const december = { name: '2026-12', start: Date.UTC(2026, 11), end: Date.UTC(2027, 0) };
  expect(monthOf(Date.UTC(2026, 11, 31, 23, 59, 59, 999))).toEqual(december);
  expect(monthOf(december.start)).toEqual(december);
  expect(monthOf(december.end).name).toBe('2027-01');
});

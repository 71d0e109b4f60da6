import type { ProviderSubscription } from '../../../services/billing/provider';
import { graceAfter, planStateOf } from '../../../services/billing/rules';

const PRICES = new Map([
  ['p', 'pro'],
  ['e', 'enterprise'],
] as const);

const held = (given: Partial<ProviderSubscription>): ProviderSubscription => ({
  id: 'sub',
  customer: 'cus',
  tenantId: null,
  status: 'active',
  prices: ['p'],
  createdAt: 1,
  periodEnd: 1_000,
  cancelAtPeriodEnd: false,
  ...given,
});

describe('the plan of subscriptions', () => {
  it.each(['active', 'trialing', 'past_due'] as const)('%s gives its plan', (status) => {
    expect(planStateOf([held({ status })], PRICES)).toMatchObject({ plan: 'pro', status });
  });

  it.each(['unpaid', 'canceled', 'incomplete', 'incomplete_expired', 'paused'] as const)(
    '%s gives the lowest plan',
    (status) => {
      expect(planStateOf([held({ status })], PRICES)).toMatchObject({ plan: 'free', status });
    },
  );

  it('without subscriptions, it is the lowest plan', () => {
    expect(planStateOf([], PRICES)).toMatchObject({ plan: 'free', status: 'none', subscription_id: null });
  });

  it('the highest plan of the valid ones counts, in any order of the list', () => {
    const all = [
      held({ id: 'old', status: 'canceled', prices: ['e'], createdAt: 9 }),
      held({ id: 'low', createdAt: 5 }),
      held({ id: 'high', prices: ['e'], createdAt: 2 }),
    ];
    for (const list of [all, [...all].reverse()])
      expect(planStateOf(list, PRICES)).toMatchObject({ plan: 'enterprise', subscription_id: 'high' });
  });

  it('of ended subscriptions, the newest is shown', () => {
    const over = [held({ id: 'a', status: 'unpaid' }), held({ id: 'b', status: 'canceled', createdAt: 2 })];
    expect(planStateOf(over, PRICES)).toMatchObject({ plan: 'free', status: 'canceled', subscription_id: 'b' });
  });

  it('a valid one with an unknown price gives no result, unless another one is valid', () => {
    const strange = held({ id: 'strange', prices: ['?'] });
    expect(planStateOf([strange], PRICES)).toBeNull();
    expect(planStateOf([strange, held({})], PRICES)).toMatchObject({ plan: 'pro' });
    expect(planStateOf([held({ ...strange, status: 'canceled' })], PRICES)).toMatchObject({ plan: 'free' });
  });
});

describe('the grace period after a downgrade', () => {
  const until = new Date(5_000);
  const known = { from: 'enterprise', until: new Date(1_000), disabled: [] } as const;
  const running = { ...known, disabled: [] };

  it('starts with a lower plan', () => {
    expect(graceAfter(null, { from: 'pro', to: 'free' }, until)).toEqual({ from: 'pro', until, disabled: [] });
  });

  it('remembers the highest of the previous plans', () => {
    expect(graceAfter(running, { from: 'pro', to: 'free' }, until)).toMatchObject({ from: 'enterprise', until });
  });

  it('ends with a plan as high as the previous one, and continues below it', () => {
    expect(graceAfter(running, { from: 'free', to: 'enterprise' }, until)).toBeNull();
    expect(graceAfter(running, { from: 'free', to: 'pro' }, until)).toBe(running);
  });

  it('does not start with a higher plan', () => {
    expect(graceAfter(null, { from: 'free', to: 'pro' }, until)).toBeNull();
  });
});

import { subscriptionSync } from '../../../services/billing/sync';

test('a tenant gets the paid plan, even if the cached plan is equal', async () => {
  const called: unknown[] = [];
  const call = async (action: string, params: unknown) => {
    called.push([action, params]);
    return { plan: 'free' };
  };
  const record = { _id: 't', customers: ['c'], plan: 'pro', applied: true, grace: null, notices: [], rev: 1 };
  const sync = subscriptionSync({
    app: {
      clock: { now: () => 0 },
      audit: { audited: (_who: unknown, _change: unknown, act: () => Promise<unknown>) => act() },
      config: { billing: { graceMs: 0 } },
    },
    subscriptions: {
      of: async () => record,
      change: async (seen: object, change: object) => ({ ...seen, ...change }),
      noticed: () => [],
    },
    // It has ended.
    provider: { subscriptions: async () => [] },
    prices: new Map(),
    tell: () => {},
  } as never);
  expect(await sync({ call } as never, { _id: 'e', named: 't', customer: 'c' } as never)).toBe('The plan is free');
  expect(called).toContainEqual(['auth.set_plan', { plan: 'free' }]);
});

import { DEFAULT_PLANS } from '../../../lib/plans';
import { PRICES, WEBHOOK_SECRET } from '../../support/billing-provider';
import { until } from '../../support/until';
import { openShop, type Shop } from './shop';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.close());
beforeEach(() => {
  shop.provider.state = 'up';
  shop.provider.asked.length = 0;
});

const FLOW = { id: 'flow', trigger: { type: 'manual' }, steps: [{ id: 'a', type: 'log', config: { message: 'x' } }] };

describe('the plan of a tenant', () => {
  test('the plan tiers are returned with their limits', async () => {
    const { token } = await shop.tenant();
    const { status, body } = await shop.ask(token, 'GET /api/v1/billing/plans');
    expect(status).toBe(200);
    expect(body.data).toEqual([
      { name: 'free', title: 'Free', limits: DEFAULT_PLANS.free, available: false },
      { name: 'pro', title: 'Pro', limits: DEFAULT_PLANS.pro, available: true },
      { name: 'enterprise', title: 'Enterprise', limits: DEFAULT_PLANS.enterprise, available: true },
    ]);
  });

  test('without a subscription the plan is free, and the usage is returned', async () => {
    const { token } = await shop.tenant();
    const { body: workflow } = await shop.ask(token, 'POST /api/v1/workflows', { name: 'Flow', dsl: FLOW });
    await shop.ask(token, `POST /api/v1/workflows/${workflow.id}/trigger`, {});
    const { status, body } = await shop.ask(token, 'GET /api/v1/billing/subscription');
    const now = new Date();
    expect(status).toBe(200);
    expect(body).toEqual({
      plan: 'free',
      status: 'none',
      limits: DEFAULT_PLANS.free,
      overrides: [],
      usage: { active_workflows: 1, executions_per_month: 1, members: 1, knowledge_base_mb: 0, storage_mb: 0 },
      period: {
        start: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())).toISOString(),
        end: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString(),
      },
      renews_at: null,
      ends_at: null,
      grace_until: null,
      notices: [],
    });
  });

  test.each(['GET /api/v1/billing/plans', 'GET /api/v1/billing/subscription'])('%s wants a token', async (line) => {
    expect((await shop.ask(null, line)).status).toBe(401);
  });
});

describe('checkout and portal', () => {
  test('a checkout names the tenant, the price and where to come back to', async () => {
    const { token, tenant, user } = await shop.tenant();
    const { status, body } = await shop.ask(token, 'POST /api/v1/billing/checkout', { plan: 'pro' });
    expect({ status, body }).toEqual({
      status: 200,
      body: { url: expect.stringMatching(/^https:\/\/checkout\.test\//), session_id: expect.any(String) },
    });
    expect(Object.fromEntries(shop.provider.asked[0]?.form ?? [])).toEqual({
      mode: 'subscription',
      'line_items[0][price]': PRICES.pro,
      'line_items[0][quantity]': '1',
      client_reference_id: tenant.id,
      'metadata[tenant_id]': tenant.id,
      'subscription_data[metadata][tenant_id]': tenant.id,
      customer_email: user.email,
      success_url: 'https://app.example.com#billing=subscribed',
      cancel_url: 'https://app.example.com#billing=cancelled',
    });
  });

  test.each([{}, { plan: 'free' }, { plan: 'gold' }, { plan: 7 }, { plan: null }])(
    '%j is no plan to buy',
    async (body) => {
      const { token } = await shop.tenant();
      expect((await shop.ask(token, 'POST /api/v1/billing/checkout', body)).status).toBe(400);
      expect(shop.provider.asked).toEqual([]);
    },
  );

  test('they are for owners', async () => {
    const { tenant } = await shop.tenant();
    for (const role of ['member', 'admin'] as const) {
      const actor = { tenant_id: tenant.id, role };
      await expect(shop.t.call('billing.checkout', { plan: 'pro' }, actor)).rejects.toMatchObject({
        type: 'forbidden',
      });
      await expect(shop.t.call('billing.portal', {}, actor)).rejects.toMatchObject({ type: 'forbidden' });
    }
  });

  test('a second subscription is refused: the portal is where a plan is changed', async () => {
    const { who, held } = await shop.subscriber('pro');
    expect(await shop.ask(who.token, 'POST /api/v1/billing/checkout', { plan: 'enterprise' })).toMatchObject({
      status: 409,
      body: { code: 'conflict', error: expect.stringContaining('portal') },
    });
    const { status, body } = await shop.ask(who.token, 'POST /api/v1/billing/portal');
    expect({ status, body }).toEqual({ status: 200, body: { url: `https://billing.test/p/${held.customer}` } });
  });

  test('who never subscribed has no portal', async () => {
    const { token } = await shop.tenant();
    expect((await shop.ask(token, 'POST /api/v1/billing/portal')).status).toBe(409);
  });

  test('a failure of the provider is reported with a message, after one further try, and without its key', async () => {
    const { token } = await shop.tenant();
    shop.provider.state = 'failing';
    const failing = await shop.ask(token, 'POST /api/v1/billing/checkout', { plan: 'pro' });
    expect(failing).toMatchObject({ status: 502, body: { code: 'provider_failed' } });
    expect(shop.provider.asked).toHaveLength(2);
    expect(new Set(shop.provider.asked.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    shop.provider.state = 'refusing';
    const refused = await shop.ask(token, 'POST /api/v1/billing/checkout', { plan: 'pro' });
    expect(refused).toMatchObject({
      status: 502,
      body: { error: expect.stringContaining('BILLING_PROVIDER_API_KEY') },
    });
    expect(refused.body.error).not.toContain('sk_test');
  });
});

describe('events of the provider', () => {
  test('a paid checkout changes the plan, which counts at once', async () => {
    const { who } = await shop.subscriber('pro');
    expect(await shop.subscription(who)).toMatchObject({
      plan: 'pro',
      status: 'active',
      limits: DEFAULT_PLANS.pro,
      renews_at: expect.any(String),
      ends_at: null,
      grace_until: null,
      notices: [{ kind: 'plan_changed' }],
    });
    expect((await shop.ask(who.token, 'GET /api/v1/tenant')).body.plan).toBe('pro');
    expect(await shop.audited(who, 'plan.change')).toHaveLength(1);
  });

  test('the same event again changes nothing', async () => {
    const { who, held } = await shop.subscriber('pro');
    const event = shop.provider.subscriptionEvent('customer.subscription.updated', held);
    for (let n = 0; n < 3; n += 1) expect((await shop.deliver(event)).status).toBe(200);
    await shop.settled(event.id);
    const asked = shop.provider.asked.length;
    expect((await shop.deliver(event)).status).toBe(200);
    expect(shop.provider.asked).toHaveLength(asked);
    expect((await shop.subscription(who)).notices).toHaveLength(1);
  });

  test('the order in which they come does not matter', async () => {
    const { who, held: first } = await shop.subscriber('pro');
    const stale = shop.provider.subscriptionEvent('customer.subscription.updated', first);
    first.status = 'canceled';
    const ended = shop.provider.subscriptionEvent('customer.subscription.deleted', first);
    const second = shop.provider.subscribe({ ...first, tenantId: who.tenant.id, price: PRICES.enterprise });
    const begun = shop.provider.subscriptionEvent('customer.subscription.created', second);
    for (const event of [begun, ended, stale]) await shop.deliver(event);
    for (const event of [begun, ended, stale]) await shop.settled(event.id);
    expect(await shop.subscription(who)).toMatchObject({ plan: 'enterprise', status: 'active', grace_until: null });
  });

  test('a customer without a tenant id in its events is found by an earlier purchase', async () => {
    const { who, held } = await shop.subscriber('pro');
    held.cancelAtPeriodEnd = true;
    const invoice = { id: 'in_1', object: 'invoice', customer: held.customer, metadata: {} };
    const event = shop.provider.event('invoice.paid', invoice);
    await shop.deliver(event);
    await shop.settled(event.id);
    expect(await shop.subscription(who)).toMatchObject({ plan: 'pro', renews_at: null, ends_at: expect.any(String) });
  });

  test('a late payment keeps the plan until the provider gives up', async () => {
    const { who, held } = await shop.subscriber('pro');
    const status = async (word: string): Promise<void> => {
      held.status = word;
      const event = shop.provider.subscriptionEvent('customer.subscription.updated', held);
      await shop.deliver(event);
      await shop.settled(event.id);
    };
    await status('past_due');
    expect(await shop.subscription(who)).toMatchObject({ plan: 'pro', status: 'past_due' });
    await status('unpaid');
    expect(await shop.subscription(who)).toMatchObject({
      plan: 'free',
      status: 'unpaid',
      grace_until: expect.any(String),
    });
    await status('active');
    expect(await shop.subscription(who)).toMatchObject({ plan: 'pro', status: 'active', grace_until: null });
  });

  test.each([
    ['an unknown tenant', { client_reference_id: 'no-such-tenant', customer: 'cus_unknown' }],
    ['a hostile name', { metadata: { tenant_id: { $gt: '' } }, customer: { $ne: null } }],
    ['no tenant at all', {}],
  ])('an event that names %s is recorded and changes nothing', async (_, members) => {
    const event = shop.provider.event('checkout.session.completed', { object: 'checkout.session', ...members });
    expect((await shop.deliver(event)).status).toBe(200);
    expect(await shop.settled(event.id)).toContain('no tenant');
  });

  test('an event of another kind is recorded, and the provider is not asked', async () => {
    const event = shop.provider.event('charge.succeeded', { object: 'charge', customer: 'cus_any' });
    expect(await shop.deliver(event)).toEqual({ status: 200, body: { received: true } });
    const events = shop.t.app.db.collection<{ _id: string }>('billing_events');
    expect(await events.findOne({ _id: event.id })).toMatchObject({ state: 'ignored', customer: 'cus_any' });
    expect(shop.provider.asked).toEqual([]);
  });

  test('a plan that was given by hand stays until the subscription changes', async () => {
    const { who, held } = await shop.subscriber('pro');
    await shop.t.call('auth.set_plan', { plan: 'enterprise' }, { tenant_id: who.tenant.id, role: 'service' });
    const event = shop.provider.subscriptionEvent('customer.subscription.updated', held);
    await shop.deliver(event);
    await shop.settled(event.id);
    expect((await shop.subscription(who)).plan).toBe('enterprise');
  });

  test('a price that no plan has is not guessed at', async () => {
    const { who, held } = await shop.subscriber('pro');
    held.price = 'price_of_something_else';
    const event = shop.provider.subscriptionEvent('customer.subscription.updated', held);
    expect((await shop.deliver(event)).status).toBe(200);
    const events = shop.t.app.db.collection<{ _id: string; note: string | null }>('billing_events');
    const kept = await until('it was tried', async () => {
      const found = await events.findOne({ _id: event.id });
      return typeof found?.note === 'string' ? found : null;
    });
    expect(kept).toMatchObject({ state: 'waiting', note: expect.stringContaining('BILLING_PROVIDER_PRICE') });
    expect((await shop.subscription(who)).plan).toBe('pro');
  });
});

describe('signatures', () => {
  const body = (): string => shop.provider.event('customer.subscription.updated', { object: 'subscription' }).body;
  const seconds = (): number => Math.floor(Date.now() / 1_000);

  test('of the two that a header has while the secret is changed, one has to be right', async () => {
    const text = body();
    const [time, right] = shop.provider.sign(text).split(',') as [string, string];
    const wrong = shop.provider.sign(text, { secret: 'whsec_old' }).split(',')[1] as string;
    for (const signature of [`${time},${wrong},${right}`, `${time},${right},${wrong}`, `${time},v0=00,${right}`])
      expect((await shop.deliver({ body: text, signature })).status).toBe(200);
    expect((await shop.deliver({ body: text, signature: `${time},${wrong},${wrong}` })).status).toBe(401);
  });

  test('the bytes count, not what they mean', async () => {
    const event = shop.provider.event('charge.succeeded', { object: 'charge', description: 'Grüße 🎉' });
    expect((await shop.deliver(event)).status).toBe(200);
    expect((await shop.deliver({ ...event, body: `${event.body} ` })).status).toBe(401);
    expect((await shop.deliver({ ...event, body: JSON.stringify(JSON.parse(event.body), null, 1) })).status).toBe(401);
  });

  test('one that is older than five minutes is refused', async () => {
    const text = body();
    const at = (age: number): string => shop.provider.sign(text, { timestamp: seconds() - age });
    expect((await shop.deliver({ body: text, signature: at(290) })).status).toBe(200);
    expect((await shop.deliver({ body: text, signature: at(310) })).status).toBe(401);
  });

  test.each([
    '',
    'nonsense',
    't=,v1=',
    'v1=00',
    't=abc,v1=00',
    `t=1,${WEBHOOK_SECRET}`,
    't=99999999999999999999,v1=zz',
    ',=,=,',
  ])('%j is none', async (signature) => {
    const refused = await shop.deliver({ body: body(), signature });
    expect(refused).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
  });

  test.each([
    '',
    'null',
    '[]',
    '{',
    '7',
    '{}',
    '{"id":"evt_1"}',
    '{"id":7,"type":"a","created":1,"data":{"object":{}}}',
  ])('a signed %j is no event', async (text) => {
    const { status } = await shop.deliver({ body: text, signature: shop.provider.sign(text) });
    expect(status).toBe(400);
  });
});

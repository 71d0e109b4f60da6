import { once } from 'node:events';
import { SMTPServer } from 'smtp-server';
import type { AddressInfo } from 'node:net';
import { openTestDatabase, type TestDatabase } from '../../support/app';
import type { SignedEvent } from '../../support/billing-provider';
import { LeapingClock } from '../../support/leaping-clock';
import { until } from '../../support/until';
import { openShop, type Shop } from './shop';

describe('a provider that does not answer', () => {
  let database: TestDatabase;
  const clock = new LeapingClock();
  const open: Shop[] = [];
  const shopOf = async (env: Record<string, string> = {}): Promise<Shop> => {
    const shop = await openShop({ database, clock, env });
    open.push(shop);
    return shop;
  };
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((shop) => shop.close()));
  });
  afterAll(() => database.close());

  const kept = (shop: Shop, id: string) =>
    shop.t.app.db.collection<{ _id: string; state: string; attempts: number }>('billing_events').findOne({ _id: id });
  const tried = (shop: Shop, { id }: SignedEvent, attempts: number) =>
    until(`event ${id} was tried`, async () => ((await kept(shop, id))?.attempts ?? 0) >= attempts);

  test('is requested again later, and the event is kept until then, also by a process that restarts', async () => {
    const first = await shopOf();
    const { who, held } = await first.subscriber('pro');
    held.status = 'canceled';
    const event = first.provider.subscriptionEvent('customer.subscription.deleted', held);
    first.provider.state = 'failing';
    expect((await first.deliver(event)).status).toBe(200);
    await tried(first, event, 1);
    expect((await first.subscription(who)).plan).toBe('pro');
    await first.t.close();
    open.length = 0;

    first.provider.state = 'up';
    clock.leap(3_600_000);
    const second = await shopOf({ BILLING_PROVIDER_URL: first.provider.url });
    await second.settled(event.id);
    expect(await second.subscription(who)).toMatchObject({ plan: 'free', status: 'canceled' });
    await first.provider.close();
  });

  test('an installation without a key keeps events until it has one', async () => {
    const shop = await shopOf({ BILLING_PROVIDER_API_KEY: '' });
    const { tenant, token } = await shop.tenant();
    expect(await shop.ask(token, 'POST /api/v1/billing/checkout', { plan: 'pro' })).toMatchObject({
      status: 503,
      body: { code: 'provider_not_configured', error: expect.stringContaining('BILLING_PROVIDER_API_KEY') },
    });
    expect((await shop.ask(token, 'POST /api/v1/billing/portal')).status).toBe(503);
    const held = shop.provider.subscribe({ customer: 'cus_early', tenantId: tenant.id });
    const event = shop.provider.subscriptionEvent('customer.subscription.created', held);
    expect((await shop.deliver(event)).status).toBe(200);
    await tried(shop, event, 1);
    expect(await kept(shop, event.id)).toMatchObject({ state: 'waiting' });
  });

  test('without the secret of signatures no event is taken', async () => {
    const shop = await shopOf({ BILLING_PROVIDER_WEBHOOK_SECRET: '' });
    const event = shop.provider.event('customer.subscription.updated', { object: 'subscription' });
    expect(await shop.deliver(event)).toMatchObject({
      status: 503,
      body: { code: 'provider_not_configured', error: expect.stringContaining('BILLING_PROVIDER_WEBHOOK_SECRET') },
    });
    expect(await kept(shop, event.id)).toBeNull();
  });

  test('a plan without a price is not sold', async () => {
    const shop = await shopOf({ BILLING_PROVIDER_PRICE_ENTERPRISE: '' });
    const { token } = await shop.tenant();
    expect(await shop.ask(token, 'POST /api/v1/billing/checkout', { plan: 'enterprise' })).toMatchObject({
      status: 503,
      body: { error: expect.stringContaining('BILLING_PROVIDER_PRICE_ENTERPRISE') },
    });
    const { body } = await shop.ask(token, 'GET /api/v1/billing/plans');
    expect(body.data).toMatchObject([{ available: false }, { available: true }, { available: false }]);
  });

  test('two processes work on events of one tenant, one at a time, and agree', async () => {
    const first = await shopOf();
    const second = await shopOf({ BILLING_PROVIDER_URL: first.provider.url });
    const { who, held } = await first.subscriber('pro');
    const events: SignedEvent[] = [];
    for (const status of ['past_due', 'active', 'canceled', 'active', 'unpaid']) {
      held.status = status;
      const event = first.provider.subscriptionEvent('customer.subscription.updated', held);
      events.push(event);
      await Promise.all([first.deliver(event), second.deliver(event)]);
    }
    for (const { id } of events) await first.settled(id);
    expect(await second.subscription(who)).toMatchObject({ plan: 'free', status: 'unpaid' });
    expect((await first.ask(who.token, 'GET /api/v1/tenant')).body.plan).toBe('free');
  });
});

test('owners get a mail about what ends', async () => {
  const mails: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        mails.push(Buffer.concat(chunks).toString());
        done();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const shop = await openShop({
    env: { SMTP_URL: `smtp://127.0.0.1:${port}?security=none`, SMTP_FROM: 'billing@example.com' },
  });
  try {
    const { who, held } = await shop.subscriber('pro');
    held.status = 'canceled';
    await shop.deliver(shop.provider.subscriptionEvent('customer.subscription.deleted', held));
    const mail = await until('a mail has come', () =>
      mails.find((text) => text.includes('Subject: Your plan is now free')),
    );
    expect(mail).toContain(`To: ${who.user.email}`);
    expect(mail.replaceAll(/=?\r\n/g, ' ')).toMatch(/Nothing is\s+deleted/);
  } finally {
    await shop.close();
    await new Promise<void>((resolve) => server.close(resolve));
  }
});

import type { JsonObject } from '../../../lib/json';
import type { Session } from '../../../contracts/auth/accounts';
import type { ExecutionView } from '../../../contracts/executions/views';
import { LeapingClock } from '../../support/leaping-clock';
import { until } from '../../support/until';
import { openShop, type Shop } from './shop';

let shop: Shop;
const clock = new LeapingClock();
beforeAll(async () => {
  shop = await openShop({ clock });
});
afterAll(() => shop?.close());

/** A workflow that events of the provider start; its id. */
async function listener({ token }: Session, config: JsonObject = {}): Promise<string> {
  const dsl = {
    id: 'flow',
    trigger: { type: 'billing_event', config },
    steps: [{ id: 'a', type: 'set', config: { customer: '{{ trigger.data.object.customer }}' } }],
  };
  const { status, body } = await shop.ask(token, 'POST /api/v1/workflows', { name: 'On billing', dsl });
  expect(status).toBe(201);
  return body.id;
}

/** The result of the event, once workflows have been notified. */
const resultOf = (id: string): Promise<string> =>
  until(`workflows have been notified of ${id}`, async () => {
    const found = await shop.t.app.db
      .collection<{ _id: string; told?: string; telling?: object }>('billing_events')
      .findOne({ _id: id });
    return found?.telling === undefined ? found?.told : null;
  });

/** Time passes, and there is something to do. */
async function later(): Promise<void> {
  clock.leap(120_000);
  await shop.deliver(
    shop.provider.event('charge.succeeded', { object: 'charge', metadata: { tenant_id: 'no-such-tenant' } }),
  );
}

const runsOf = async ({ token }: Session, workflow: string): Promise<ExecutionView[]> => {
  const { body } = await shop.ask(token, `GET /api/v1/executions?workflow_id=${workflow}`);
  const rows = body.data as { id: string }[];
  return Promise.all(
    rows.map(
      async ({ id }) => (await shop.ask(token, `GET /api/v1/executions/${id}`)).body as unknown as ExecutionView,
    ),
  );
};

test('an event starts the workflows of the tenant that has bought, with the event as their trigger, once', async () => {
  const { who, held } = await shop.subscriber('pro');
  const workflow = await listener(who, { events: ['charge.succeeded'] });
  const event = shop.provider.event('charge.succeeded', { object: 'charge', customer: held.customer, amount: 7 });
  for (let n = 0; n < 3; n += 1) expect((await shop.deliver(event)).status).toBe(200);
  expect(await resultOf(event.id)).toBe('Started 1 workflows');
  const runs = await runsOf(who, workflow);
  expect(runs).toHaveLength(1);
  expect(runs[0]).toMatchObject({
    trigger_type: 'billing_event',
    trigger: { id: event.id, type: 'charge.succeeded', data: { object: { amount: 7 } }, body: { id: event.id } },
    output: { customer: held.customer },
  });
});

test('an event whose starts were not written down before a crash starts nothing twice', async () => {
  const { who, held } = await shop.subscriber('pro');
  const workflow = await listener(who, { events: ['charge.succeeded'] });
  const event = shop.provider.event('charge.succeeded', { object: 'charge', customer: held.customer });
  await shop.deliver(event);
  await resultOf(event.id);
  const telling = { next_at: new Date(0), attempts: 0, body: event.body };
  const events = shop.t.app.db.collection<{ _id: string }>('billing_events');
  await events.updateOne({ _id: event.id }, { $set: { telling }, $unset: { told: 1 } });
  await later();
  expect(await resultOf(event.id)).toBe('Started 1 workflows');
  expect(await runsOf(who, workflow)).toHaveLength(1);
});

test('an event starts no workflow of another tenant, and none that is subscribed to other events', async () => {
  const [{ who, held }, other] = [await shop.subscriber('pro'), await shop.tenant()];
  const [paid, failed, theirs] = [
    await listener(who, { events: ['invoice.paid', 'charge.refunded'] }),
    await listener(who, { events: ['invoice.payment_failed'] }),
    await listener(other, { events: ['invoice.paid'] }),
  ];
  const event = shop.provider.event('invoice.paid', { object: 'invoice', customer: held.customer });
  await shop.deliver(event);
  expect(await resultOf(event.id)).toBe('Started 1 workflows');
  expect(await runsOf(who, paid)).toHaveLength(1);
  expect(await runsOf(who, failed)).toEqual([]);
  expect(await runsOf(other, theirs)).toEqual([]);
});

test('an event that comes before its customer is known starts workflows once the customer is known', async () => {
  const who = await shop.tenant();
  const workflow = await listener(who, { events: ['charge.succeeded'] });
  const { body } = await shop.ask(who.token, 'POST /api/v1/billing/checkout', { plan: 'pro' });
  const { customer } = shop.provider.pay(body.session_id);
  const early = shop.provider.event('charge.succeeded', { object: 'charge', customer });
  await shop.deliver(early);
  const checkout = shop.provider.checkoutEvent(body.session_id);
  await shop.deliver(checkout);
  await shop.settled(checkout.id);
  await later();
  expect(await resultOf(early.id)).toBe('Started 1 workflows');
  expect(await runsOf(who, workflow)).toHaveLength(1);
});

test('an event of a customer who has never bought here is given up, and its content is not kept', async () => {
  const event = shop.provider.event('charge.succeeded', { object: 'charge', customer: 'cus_of_another_shop' });
  await shop.deliver(event);
  const given = until('it is given up', async () => {
    await later();
    const found = await shop.t.app.db
      .collection<{ _id: string; told?: string; telling?: object }>('billing_events')
      .findOne({ _id: event.id });
    return found?.telling === undefined ? found : null;
  });
  expect(await given).toMatchObject({ told: 'No tenant has this customer', state: 'ignored' });
  expect(await given).not.toHaveProperty('telling');
});

test('a workflow that cannot start now is reported, and keeps no other from starting', async () => {
  const { who, held } = await shop.subscriber('pro');
  const dsl = {
    id: 'flow',
    trigger: { type: 'billing_event', config: { events: ['charge.succeeded'] } },
    steps: [{ id: 'a', type: 'set', config: { a: '{{ secret.NOWHERE }}' } }],
  };
  await shop.ask(who.token, 'POST /api/v1/workflows', { name: 'Without its secret', dsl });
  const workflow = await listener(who, { events: ['charge.succeeded'] });
  const event = shop.provider.event('charge.succeeded', { object: 'charge', customer: held.customer });
  await shop.deliver(event);
  expect(await resultOf(event.id)).toMatch(
    /^Started 1 workflows; .* was not started: The workflow uses secrets that do not exist/,
  );
  expect(await runsOf(who, workflow)).toHaveLength(1);
});

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import { type Clock, systemClock } from '../../lib/clock';

export const API_KEY = 'sk_test_of_the_stand_in';
export const WEBHOOK_SECRET = 'whsec_of_the_stand_in';
export const PRICES = { pro: 'price_pro', enterprise: 'price_enterprise' } as const;

const MONTH_SECONDS = 30 * 24 * 3_600;
const newId = (prefix: string): string => `${prefix}_${randomBytes(9).toString('hex')}`;

/** The stand-in's state of a subscription; `shapeOf` converts it to the provider's form. */
export interface HeldSubscription {
  readonly id: string;
  readonly customer: string;
  readonly tenantId: string | null;
  readonly created: number;
  price: string;
  status: string;
  cancelAtPeriodEnd: boolean;
}

/** An event as it is delivered: the very bytes, and the header that signs them. */
export interface SignedEvent {
  readonly id: string;
  readonly body: string;
  readonly signature: string;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly form: URLSearchParams;
  readonly idempotencyKey: string | undefined;
}

/** A stand-in for the payment provider: its own state, the provider's formats, and signatures by its official client. */
export interface BillingStandIn {
  readonly url: string;
  readonly asked: Asked[];
  /** How it answers from now on. */
  state: 'up' | 'failing' | 'silent' | 'refusing';
  /** Completes a checkout, as a customer does on its page. */
  pay(sessionId: string): HeldSubscription;
  /** A subscription that was not started by a checkout here. */
  subscribe(of: { customer: string; tenantId?: string; price?: string }): HeldSubscription;
  /** An event about a subscription as it is now. */
  subscriptionEvent(type: string, subscription: HeldSubscription): SignedEvent;
  checkoutEvent(sessionId: string): SignedEvent;
  event(type: string, object: object, id?: string): SignedEvent;
  sign(body: string, options?: { secret?: string; timestamp?: number }): string;
  close(): Promise<void>;
}

interface Session {
  readonly id: string;
  readonly form: URLSearchParams;
  customer: string | null;
}

export async function startBillingProvider(clock: Clock = systemClock): Promise<BillingStandIn> {
  const seconds = (): number => Math.floor(clock.now() / 1_000);
  const sessions = new Map<string, Session>();
  const subscriptions: HeldSubscription[] = [];
  const asked: Asked[] = [];

  const answers: Record<string, (form: URLSearchParams, query: URLSearchParams) => object> = {
    'POST /v1/checkout/sessions': (form) => {
      const session: Session = { id: newId('cs_test'), form, customer: form.get('customer') };
      sessions.set(session.id, session);
      return sessionShape(session);
    },
    'POST /v1/billing_portal/sessions': (form) => ({
      id: newId('bps'),
      object: 'billing_portal.session',
      created: seconds(),
      customer: form.get('customer'),
      livemode: false,
      return_url: form.get('return_url'),
      url: `https://billing.test/p/${form.get('customer')}`,
    }),
    'GET /v1/subscriptions': (_, query) => ({
      object: 'list',
      url: '/v1/subscriptions',
      has_more: false,
      data: subscriptions.filter(({ customer }) => customer === query.get('customer')).map(shapeOf),
    }),
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stand-in');
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const idempotencyKey = request.headers['idempotency-key'] as string | undefined;
    asked.push({ method: request.method as string, path: pathname, form, idempotencyKey });
    const send = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json', 'request-id': newId('req') });
      response.end(JSON.stringify(body));
    };
    const answer = answers[`${request.method} ${pathname}`];
    if (standIn.state === 'silent') return;
    if (standIn.state === 'failing') send(500, fault('api_error', 'Something is wrong on our side'));
    else if (standIn.state === 'refusing' || request.headers.authorization !== `Bearer ${API_KEY}`)
      send(401, fault('invalid_request_error', `Invalid API Key provided: ${API_KEY.slice(0, 8)}****`));
    else if (answer === undefined) send(404, fault('invalid_request_error', `Unrecognized request URL ${pathname}`));
    else send(200, answer(form, searchParams));
  };

  const server = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const standIn: BillingStandIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    state: 'up',
    pay(sessionId) {
      const session = sessions.get(sessionId) as Session;
      session.customer ??= newId('cus');
      const { form, customer } = session;
      const tenantId = form.get('subscription_data[metadata][tenant_id]') ?? undefined;
      return standIn.subscribe({ customer, tenantId, price: form.get('line_items[0][price]') as string });
    },
    subscribe({
      customer,
      tenantId = null,
      price = PRICES.pro,
    }: {
      customer: string;
      tenantId?: string | null;
      price?: string;
    }) {
      const created = seconds() + subscriptions.length;
      const held = { id: newId('sub'), customer, tenantId, created, price, status: 'active', cancelAtPeriodEnd: false };
      subscriptions.push(held);
      return held;
    },
    subscriptionEvent: (type, subscription) => standIn.event(type, shapeOf(subscription)),
    checkoutEvent: (sessionId) =>
      standIn.event('checkout.session.completed', sessionShape(sessions.get(sessionId) as Session)),
    event(type, object, id = newId('evt')) {
      const body = JSON.stringify({
        id,
        object: 'event',
        api_version: '2026-06-24.dahlia',
        created: seconds(),
        data: { object },
        livemode: false,
        pending_webhooks: 1,
        request: { id: null, idempotency_key: null },
        type,
      });
      return { id, body, signature: standIn.sign(body) };
    },
    sign: (payload, { secret = WEBHOOK_SECRET, timestamp = seconds() } = {}) =>
      Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return standIn;
}

const fault = (type: string, message: string): object => ({ error: { type, message } });

const sessionShape = ({ id, form, customer }: Session): object => ({
  id,
  object: 'checkout.session',
  client_reference_id: form.get('client_reference_id'),
  customer,
  customer_email: form.get('customer_email'),
  livemode: false,
  metadata: { tenant_id: form.get('metadata[tenant_id]') },
  mode: form.get('mode'),
  payment_status: customer === null ? 'unpaid' : 'paid',
  status: customer === null ? 'open' : 'complete',
  success_url: form.get('success_url'),
  cancel_url: form.get('cancel_url'),
  url: `https://checkout.test/c/${id}`,
});

const shapeOf = (held: HeldSubscription): object => ({
  id: held.id,
  object: 'subscription',
  cancel_at: null,
  cancel_at_period_end: held.cancelAtPeriodEnd,
  collection_method: 'charge_automatically',
  created: held.created,
  currency: 'eur',
  customer: held.customer,
  livemode: false,
  metadata: held.tenantId === null ? {} : { tenant_id: held.tenantId },
  start_date: held.created,
  status: held.status,
  items: {
    object: 'list',
    has_more: false,
    url: `/v1/subscription_items?subscription=${held.id}`,
    data: [
      {
        id: `si_${held.id}`,
        object: 'subscription_item',
        created: held.created,
        current_period_start: held.created,
        current_period_end: held.created + MONTH_SECONDS,
        metadata: {},
        price: {
          id: held.price,
          object: 'price',
          active: true,
          currency: 'eur',
          type: 'recurring',
          unit_amount: 4_900,
        },
        quantity: 1,
        subscription: held.id,
      },
    ],
  },
});

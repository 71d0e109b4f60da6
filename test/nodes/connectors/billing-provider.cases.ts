import type { JsonObject } from '../../../lib/json';
import { CASE_KEY } from '../node-case';
import { casesOf } from './case-builders';

const { gives, pages, fails, page } = casesOf(
  { api_key: 'sk_test_0123456789', account: 'acct_1032D8' },
  { authorization: 'Bearer sk_test_0123456789', 'stripe-account': 'acct_1032D8' },
);

/** The provider does once what it is asked for with one key, however often. */
const ONCE = { 'idempotency-key': CASE_KEY };

const CUSTOMER = { id: 'cus_1', object: 'customer', email: 'ada@example.com', metadata: { order: '4711' } };
const SUBSCRIPTION = { id: 'sub_1', object: 'subscription', status: 'active', cancel_at_period_end: false };
const PAYMENT = { id: 'pi_1', object: 'payment_intent', amount: 1_999, currency: 'eur', status: 'succeeded' };

/** Two things that a refund may be of. */
const BOTH: JsonObject = { payment_intent: 'pi_1', charge: 'ch_1' };

const refused = (title: string, answer: Parameters<typeof fails>[3], failing: Parameters<typeof fails>[4]) =>
  fails(
    ['create_payment_intent', title],
    { amount: 1_999, currency: 'EUR' },
    [
      'POST /v1/payment_intents',
      { form: { amount: '1999', currency: 'eur', 'automatic_payment_methods[enabled]': 'true' } },
    ],
    answer,
    failing,
  );

const error = (status: number, words: Record<string, string>, headers: Record<string, string> = {}) => ({
  status,
  headers,
  json: { error: { type: 'invalid_request_error', message: 'why', ...words } },
});

export const cases = [
  gives(
    ['create_customer', 'nested members are written with brackets, and the step is known by its key'],
    { email: 'ada@example.com', metadata: { order: '4711', 'a[b]': '' } },
    [
      'POST /v1/customers',
      {
        form: { email: 'ada@example.com', 'metadata[order]': '4711', 'metadata[a[b]]': '' },
        headers: { ...ONCE, 'content-type': 'application/x-www-form-urlencoded' },
      },
    ],
    CUSTOMER,
  ),
  gives(['get_customer', 'one customer'], { customer_id: 'cus_1' }, 'GET /v1/customers/cus_1', CUSTOMER),
  fails(
    ['get_customer', 'one that is not there'],
    { customer_id: 'cus_2' },
    'GET /v1/customers/cus_2',
    error(404, { code: 'resource_missing', message: "No such customer: 'cus_2'" }),
    { code: 'resource_missing', message: "Stripe answered 404: No such customer: 'cus_2'" },
  ),
  gives(
    ['update_customer', 'what is given changes'],
    { customer_id: 'cus_1', name: 'Ada' },
    ['POST /v1/customers/cus_1', { form: { name: 'Ada' }, headers: ONCE }],
    CUSTOMER,
  ),
  pages(
    ['list_customers', 'pages follow the last one'],
    { email: 'ada@example.com' },
    [
      [
        ['GET /v1/customers?limit=100&email=ada@example.com', { headers: { 'idempotency-key': null } }],
        { json: { object: 'list', data: [CUSTOMER, { ...CUSTOMER, id: 'cus_2' }], has_more: true } },
      ],
      [
        'GET /v1/customers?limit=100&email=ada@example.com&starting_after=cus_2',
        { json: { object: 'list', data: [{ ...CUSTOMER, id: 'cus_3' }], has_more: false } },
      ],
    ],
    [CUSTOMER, { ...CUSTOMER, id: 'cus_2' }, { ...CUSTOMER, id: 'cus_3' }],
  ),
  pages(
    ['search_customers', 'pages of a search follow its mark'],
    { query: "metadata['order']:'4711'" },
    [
      [
        "GET /v1/customers/search?limit=100&query=metadata['order']:'4711'",
        { json: { object: 'search_result', data: [CUSTOMER], has_more: true, next_page: 'WzE=' } },
      ],
      [
        "GET /v1/customers/search?limit=100&query=metadata['order']:'4711'&page=WzE=",
        { json: { object: 'search_result', data: [], has_more: false, next_page: null } },
      ],
    ],
    [CUSTOMER],
  ),
  page(
    ['list_invoices', 'invoices of a customer'],
    { customer_id: 'cus_1', status: 'open' },
    'GET /v1/invoices?limit=100&customer=cus_1&status=open',
    { data: [{ id: 'in_1', status: 'open', total: 1_999 }], has_more: false },
    [{ id: 'in_1', status: 'open', total: 1_999 }],
  ),
  gives(
    ['create_payment_intent', 'a payment is asked for'],
    { amount: 1_999, currency: 'EUR', customer_id: 'cus_1', metadata: { order: '4711' } },
    [
      'POST /v1/payment_intents',
      {
        form: {
          amount: '1999',
          currency: 'eur',
          customer: 'cus_1',
          'metadata[order]': '4711',
          'automatic_payment_methods[enabled]': 'true',
        },
        headers: ONCE,
      },
    ],
    PAYMENT,
  ),
  refused('a declined card is reported', error(402, { code: 'card_declined', decline_code: 'insufficient_funds' }), {
    code: 'insufficient_funds',
    message: 'why',
  }),
  refused('too many at once may be tried again', error(429, { code: 'rate_limit' }), {
    code: 'rate_limit',
    message: 'why',
    retryable: true,
  }),
  refused(
    'an earlier attempt that is still under way is waited for',
    error(409, { type: 'idempotency_error', code: 'idempotency_key_in_use' }),
    { code: 'idempotency_key_in_use', message: 'why', retryable: true },
  ),
  refused(
    'what the provider says is hopeless is not tried again',
    error(500, { type: 'api_error' }, { 'stripe-should-retry': 'false' }),
    { code: 'api_error', message: 'why' },
  ),
  refused(
    'a payment whose receipt is lost may be asked for again, for the provider knows it by its key',
    { cut: true },
    { code: 'connector_connect', message: 'Stripe', retryable: true },
  ),
  gives(
    ['create_checkout_session', 'a link to pay'],
    {
      mode: 'payment',
      line_items: [{ price: 'price_1', quantity: 2 }, { price: 'price_2' }],
      success_url: 'https://shop.example/thanks?session={CHECKOUT_SESSION_ID}',
      client_reference_id: 'order-4711',
    },
    [
      'POST /v1/checkout/sessions',
      {
        form: {
          mode: 'payment',
          success_url: 'https://shop.example/thanks?session={CHECKOUT_SESSION_ID}',
          client_reference_id: 'order-4711',
          'line_items[0][quantity]': '2',
          'line_items[0][price]': 'price_1',
          'line_items[1][quantity]': '1',
          'line_items[1][price]': 'price_2',
        },
        headers: ONCE,
      },
    ],
    { id: 'cs_1', url: 'https://checkout.example/cs_1', status: 'open' },
  ),
  page(
    ['list_subscriptions', 'subscriptions of a customer'],
    { customer_id: 'cus_1', status: 'all' },
    'GET /v1/subscriptions?limit=100&customer=cus_1&status=all',
    { data: [SUBSCRIPTION], has_more: false },
    [SUBSCRIPTION],
  ),
  gives(
    ['cancel_subscription', 'a subscription ends now'],
    { subscription_id: 'sub_1' },
    'DELETE /v1/subscriptions/sub_1',
    { ...SUBSCRIPTION, status: 'canceled' },
  ),
  gives(
    ['cancel_subscription', 'or with its period'],
    { subscription_id: 'sub_1', at_period_end: true },
    ['POST /v1/subscriptions/sub_1', { form: { cancel_at_period_end: 'true' }, headers: ONCE }],
    { ...SUBSCRIPTION, cancel_at_period_end: true },
  ),
  gives(
    ['create_refund', 'a part is paid back'],
    { payment_intent: 'pi_1', amount: 500, reason: 'requested_by_customer' },
    [
      'POST /v1/refunds',
      { form: { payment_intent: 'pi_1', amount: '500', reason: 'requested_by_customer' }, headers: ONCE },
    ],
    { id: 're_1', amount: 500, currency: 'eur', status: 'succeeded' },
  ),
  ...[{}, BOTH].map((input) => ({
    ...fails(
      ['create_refund', 'the refunded payment must be given, once'],
      input,
      'POST /',
      {},
      { code: 'invalid_config', message: 'one of "payment_intent" and "charge"' },
    ),
    expects: [],
    answers: [],
  })),
  gives(['get_balance', 'the balance is looked at'], {}, 'GET /v1/balance', {
    object: 'balance',
    available: [{ amount: 5, currency: 'eur' }],
    pending: [],
  }),
  fails(
    ['get_balance', 'a wrong key is rejected, and not retried'],
    {},
    'GET /v1/balance',
    error(401, { message: 'Invalid API Key provided: sk_test_0123456789' }),
    { code: 'invalid_request_error', message: 'Invalid API Key provided: ***' },
  ),
];

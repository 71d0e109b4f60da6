import type { HttpAction } from '../contract';
import { urlPath } from '../http/path';
import { choice, flag, list, object, outputOf, text } from '../../schema';
import { InvalidInputError } from '../invalid-input-error';
import { listAt, objectAt, withoutUndefined, textAt } from '../values';
import {
  AMOUNT,
  CHARGE_ID,
  CURRENCY,
  CUSTOMER_ID,
  EMAIL,
  INVOICE,
  LINE_ITEMS,
  METADATA,
  PAYMENT,
  PAYMENT_ID,
  REFUND,
  SESSION,
  SUBSCRIPTION,
  SUBSCRIPTION_ID,
} from './fields';
import { afterLast, page, post } from './requests';
import { pick, queryFrom } from '../input';
import { idempotentWrite, readAction } from '../define';

const ADDRESS = (description: string) =>
  text(description, 'https://shop.example/thanks?session={CHECKOUT_SESSION_ID}', {
    pattern: '^https?://',
    maxLength: 5_000,
  });

export const payments: readonly HttpAction[] = [
  readAction('list_invoices', 'Lists invoices, newest first.', {
    optional: {
      customer_id: CUSTOMER_ID,
      subscription_id: SUBSCRIPTION_ID,
      status: choice(['draft', 'open', 'paid', 'uncollectible', 'void'], 'Filter by status.'),
    },
    item: INVOICE,
    request: (input) =>
      page('/v1/invoices', {
        customer: textAt(input, 'customer_id'),
        subscription: textAt(input, 'subscription_id'),
        ...queryFrom(input, 'status'),
      }),
    pages: afterLast,
  }),
  idempotentWrite('create_payment_intent', 'Creates a payment intent, once per step.', {
    required: { amount: AMOUNT, currency: CURRENCY },
    optional: {
      customer_id: CUSTOMER_ID,
      description: text('Description of the payment.', 'Order 4711', { maxLength: 1_000 }),
      receipt_email: EMAIL,
      metadata: METADATA,
    },
    output: PAYMENT,
    request: (input) =>
      post(
        '/v1/payment_intents',
        withoutUndefined({
          ...pick(input, 'amount', 'description', 'receipt_email', 'metadata'),
          currency: textAt(input, 'currency')?.toLowerCase(),
          customer: textAt(input, 'customer_id'),
          automatic_payment_methods: { enabled: true },
        }),
      ),
  }),
  idempotentWrite('create_checkout_session', 'Creates a hosted page on which a customer pays.', {
    required: {
      mode: choice(['payment', 'subscription'], 'One-time payment or subscription.'),
      line_items: LINE_ITEMS,
      success_url: ADDRESS('URL to which the customer returns after payment.'),
    },
    optional: {
      cancel_url: ADDRESS('URL to which the customer returns without payment.'),
      customer_id: CUSTOMER_ID,
      customer_email: EMAIL,
      client_reference_id: text('Your own reference, returned in events.', 'order-4711', { maxLength: 200 }),
      allow_promotion_codes: flag('Allows promotion codes.'),
      metadata: METADATA,
    },
    output: SESSION,
    request: (input) =>
      post(
        '/v1/checkout/sessions',
        withoutUndefined({
          ...pick(input, 'mode', 'success_url', 'cancel_url', 'customer_email', 'client_reference_id'),
          ...pick(input, 'allow_promotion_codes', 'metadata'),
          line_items: listAt(input, 'line_items').map((line) => ({ quantity: 1, ...objectAt(line) })),
          customer: textAt(input, 'customer_id'),
        }),
      ),
  }),
  readAction('list_subscriptions', 'Lists subscriptions, newest first.', {
    optional: {
      customer_id: CUSTOMER_ID,
      status: choice(
        [
          'active',
          'past_due',
          'unpaid',
          'canceled',
          'incomplete',
          'incomplete_expired',
          'trialing',
          'paused',
          'all',
          'ended',
        ],
        'Filter by status. Default: all that have not ended.',
      ),
    },
    item: SUBSCRIPTION,
    request: (input) =>
      page('/v1/subscriptions', { customer: textAt(input, 'customer_id'), ...queryFrom(input, 'status') }),
    pages: afterLast,
  }),
  idempotentWrite('cancel_subscription', 'Cancels a subscription, at once or at the end of the period.', {
    required: { subscription_id: SUBSCRIPTION_ID },
    optional: { at_period_end: flag('Cancels at the end of the paid period.', { default: false }) },
    output: SUBSCRIPTION,
    request: (input) => {
      const url = urlPath`/v1/subscriptions/${input.subscription_id}`;
      return input.at_period_end === true ? post(url, { cancel_at_period_end: true }) : { method: 'DELETE', url };
    },
  }),
  idempotentWrite('create_refund', 'Refunds a payment or charge fully or partly, once per step.', {
    optional: {
      payment_intent: PAYMENT_ID,
      charge: CHARGE_ID,
      amount: AMOUNT,
      reason: choice(['duplicate', 'fraudulent', 'requested_by_customer'], 'Reason for the refund.'),
      metadata: METADATA,
    },
    output: REFUND,
    request: (input) => {
      if ('payment_intent' in input === 'charge' in input) {
        throw new InvalidInputError('one of "payment_intent" and "charge" must say what is paid back');
      }
      return post('/v1/refunds', pick(input, 'payment_intent', 'charge', 'amount', 'reason', 'metadata'));
    },
  }),
  readAction('get_balance', 'Returns the available and pending balance.', {
    output: outputOf(
      {
        available: list(object({}, '`amount` and `currency`.', { open: true }), 'Available funds.'),
        pending: list(object({}, '`amount` and `currency`.', { open: true }), 'Pending funds.'),
      },
      ['available', 'pending'],
    ),
    call: 'GET /v1/balance',
  }),
];

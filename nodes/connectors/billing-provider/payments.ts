import type { HttpAction } from '../contract';
import { ask, asks, pick, settles } from '../define';
import { at } from '../http/path';
import { choice, flag, list, object, outputOf, text } from '../schemas';
import { Unusable } from '../unusable';
import { listAt, objectAt, present, textAt } from '../values';
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

const ADDRESS = (title: string, description: string) =>
  text(title, description, 'https://shop.example/thanks?session={CHECKOUT_SESSION_ID}', {
    pattern: '^https?://',
    maxLength: 5_000,
  });

export const payments: readonly HttpAction[] = [
  asks('list_invoices', 'List invoices', 'Invoices, the newest first.', {
    may: {
      customer_id: CUSTOMER_ID,
      subscription_id: SUBSCRIPTION_ID,
      status: choice(['draft', 'open', 'paid', 'uncollectible', 'void'], 'Status', 'Only those.'),
    },
    item: INVOICE,
    request: (input) =>
      page('/v1/invoices', {
        customer: textAt(input, 'customer_id'),
        subscription: textAt(input, 'subscription_id'),
        ...ask(input, 'status'),
      }),
    pages: afterLast,
  }),
  settles('create_payment_intent', 'Ask for a payment', 'A payment that a customer then makes, once for each step.', {
    needs: { amount: AMOUNT, currency: CURRENCY },
    may: {
      customer_id: CUSTOMER_ID,
      description: text('Description', 'What it is for.', 'Order 4711', { maxLength: 1_000 }),
      receipt_email: EMAIL,
      metadata: METADATA,
    },
    output: PAYMENT,
    request: (input) =>
      post(
        '/v1/payment_intents',
        present({
          ...pick(input, 'amount', 'description', 'receipt_email', 'metadata'),
          currency: textAt(input, 'currency')?.toLowerCase(),
          customer: textAt(input, 'customer_id'),
          automatic_payment_methods: { enabled: true },
        }),
      ),
  }),
  settles('create_checkout_session', 'Make a link to pay', 'A page of the provider on which a customer pays.', {
    needs: {
      mode: choice(['payment', 'subscription'], 'Kind', 'Once, or again and again.'),
      line_items: LINE_ITEMS,
      success_url: ADDRESS('Then', 'Where the customer goes having paid.'),
    },
    may: {
      cancel_url: ADDRESS('Back', 'Where the customer goes without having paid.'),
      customer_id: CUSTOMER_ID,
      customer_email: EMAIL,
      client_reference_id: text('Reference', 'Comes back in events.', 'order-4711', { maxLength: 200 }),
      allow_promotion_codes: flag('Codes', 'Whether customers may enter codes for less.'),
      metadata: METADATA,
    },
    output: SESSION,
    request: (input) =>
      post(
        '/v1/checkout/sessions',
        present({
          ...pick(input, 'mode', 'success_url', 'cancel_url', 'customer_email', 'client_reference_id'),
          ...pick(input, 'allow_promotion_codes', 'metadata'),
          line_items: listAt(input, 'line_items').map((line) => ({ quantity: 1, ...objectAt(line) })),
          customer: textAt(input, 'customer_id'),
        }),
      ),
  }),
  asks('list_subscriptions', 'List subscriptions', 'Subscriptions, the newest first.', {
    may: {
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
        'Status',
        'Only those; all that are not over unless it says so.',
      ),
    },
    item: SUBSCRIPTION,
    request: (input) => page('/v1/subscriptions', { customer: textAt(input, 'customer_id'), ...ask(input, 'status') }),
    pages: afterLast,
  }),
  settles('cancel_subscription', 'End a subscription', 'Now, or with the period that is paid.', {
    needs: { subscription_id: SUBSCRIPTION_ID },
    may: { at_period_end: flag('With the period', 'Lets it run until its end.', { default: false }) },
    output: SUBSCRIPTION,
    request: (input) => {
      const url = at`/v1/subscriptions/${input.subscription_id}`;
      return input.at_period_end === true ? post(url, { cancel_at_period_end: true }) : { method: 'DELETE', url };
    },
  }),
  settles('create_refund', 'Pay back', 'A payment or charge, whole or in part, once for each step.', {
    may: {
      payment_intent: PAYMENT_ID,
      charge: CHARGE_ID,
      amount: AMOUNT,
      reason: choice(['duplicate', 'fraudulent', 'requested_by_customer'], 'Reason', 'Why.'),
      metadata: METADATA,
    },
    output: REFUND,
    request: (input) => {
      if ('payment_intent' in input === 'charge' in input) {
        throw new Unusable('one of "payment_intent" and "charge" must say what is paid back');
      }
      return post('/v1/refunds', pick(input, 'payment_intent', 'charge', 'amount', 'reason', 'metadata'));
    },
  }),
  asks('get_balance', 'Look at the balance', 'What is there, and what is on its way.', {
    output: outputOf(
      {
        available: list(
          object({}, 'Amount', '`amount` and `currency`.', { open: true }),
          'Available',
          'What is there.',
        ),
        pending: list(
          object({}, 'Amount', '`amount` and `currency`.', { open: true }),
          'Pending',
          'What is on its way.',
        ),
      },
      ['available', 'pending'],
    ),
    call: 'GET /v1/balance',
  }),
];

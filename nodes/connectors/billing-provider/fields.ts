import { anyValue, choice, flag, integer, list, object, outputOf, record, text } from '../../schema';

const id = (description: string, sample: string) => text(description, sample, { pattern: '^[A-Za-z0-9_]{1,255}$' });

export const CUSTOMER_ID = id('Id of the customer.', 'cus_NffrFeUfNV2Hib');
export const SUBSCRIPTION_ID = id('Id of the subscription.', 'sub_1MowQVLkdIwHu7ixeRlqHVzs');
const PRICE_ID = id('Id of the price.', 'price_1MoBy5LkdIwHu7ixZhnattbh');
export const PAYMENT_ID = id('Id of the payment intent.', 'pi_3MtwBwLkdIwHu7ix28a3tqPa');
export const CHARGE_ID = id('Id of the charge.', 'ch_1NirD82eZvKYlo2CIvbtLWuY');

export const EMAIL = text('Where the provider writes to.', 'ada@example.com', { maxLength: 512 });

export const METADATA = record(
  'Texts of your own; an empty one removes it.',
  { order: '4711' },
  { type: 'string', maxLength: 500 },
);

export const AMOUNT = integer('In the smallest unit of the currency, such as cents.', 1_999, {
  minimum: 1,
  maximum: 99_999_999,
});

export const CURRENCY = text('Three letters.', 'eur', { pattern: '^[A-Za-z]{3}$' });

export const CUSTOMER_DETAILS = {
  email: EMAIL,
  name: text('Of the person or company.', 'Ada Lovelace', { maxLength: 256 }),
  phone: text('With its country code.', '+4915112345678', { maxLength: 20 }),
  description: text('For your eyes.', 'Met at the fair', { maxLength: 350 }),
  metadata: METADATA,
} as const;

export const LINE_ITEMS = list(
  object({ price: PRICE_ID, quantity: integer('How many.', 1, { minimum: 1, maximum: 999_999 }) }, 'What is sold.', {
    required: ['price'],
  }),
  'What is sold.',
  [{ price: 'price_1MoBy5LkdIwHu7ixZhnattbh', quantity: 1 }],
  { minItems: 1, maxItems: 100 },
);

const created = integer('When, in seconds since 1970.');

const thing = (properties: Parameters<typeof outputOf>[0]) =>
  outputOf({ id: text('Its id.'), created, metadata: record('Texts of your own.'), ...properties }, ['id']);

export const CUSTOMER = thing({
  email: text('Where the provider writes to.'),
  name: text('Of the person or company.'),
});

export const INVOICE = thing({
  customer: anyValue('Id of the customer.'),
  status: choice(['draft', 'open', 'paid', 'uncollectible', 'void'], 'How far it has come.'),
  total: integer('In the smallest unit.'),
  amount_due: integer('In the smallest unit.'),
  currency: text('Three letters.'),
  hosted_invoice_url: text('Where the customer looks at it.'),
});

export const SUBSCRIPTION = thing({
  customer: anyValue('Id of the customer.'),
  status: text('As `active`, `past_due` or `canceled`.'),
  cancel_at_period_end: flag('Whether it does.'),
});

export const PAYMENT = thing({
  amount: integer('In the smallest unit.'),
  currency: text('Three letters.'),
  status: text('As `requires_payment_method` or `succeeded`.'),
  client_secret: text('For the page on which the customer pays.'),
});

export const SESSION = thing({
  url: text('Where the customer pays.'),
  status: text('`open`, `complete` or `expired`.'),
  payment_status: text('`paid`, `unpaid` or `no_payment_required`.'),
});

export const REFUND = thing({
  amount: integer('In the smallest unit.'),
  currency: text('Three letters.'),
  status: text('As `pending` or `succeeded`.'),
});

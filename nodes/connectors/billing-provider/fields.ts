import { anyValue, choice, flag, integer, list, object, outputOf, record, text } from '../../schema';

const id = (description: string, sample: string) => text(description, sample, { pattern: '^[A-Za-z0-9_]{1,255}$' });

export const CUSTOMER_ID = id('ID of the customer.', 'cus_NffrFeUfNV2Hib');
export const SUBSCRIPTION_ID = id('ID of the subscription.', 'sub_1MowQVLkdIwHu7ixeRlqHVzs');
const PRICE_ID = id('ID of the price.', 'price_1MoBy5LkdIwHu7ixZhnattbh');
export const PAYMENT_ID = id('ID of the payment intent.', 'pi_3MtwBwLkdIwHu7ix28a3tqPa');
export const CHARGE_ID = id('ID of the charge.', 'ch_1NirD82eZvKYlo2CIvbtLWuY');

export const EMAIL = text('Email address.', 'ada@example.com', { maxLength: 512 });

export const METADATA = record(
  'Your own key-value pairs; an empty value removes the key.',
  { order: '4711' },
  { type: 'string', maxLength: 500 },
);

export const AMOUNT = integer('Amount in the smallest unit of the currency, such as cents.', 1_999, {
  minimum: 1,
  maximum: 99_999_999,
});

export const CURRENCY = text('Three-letter ISO currency code.', 'eur', { pattern: '^[A-Za-z]{3}$' });

export const CUSTOMER_DETAILS = {
  email: EMAIL,
  name: text('Name of the person or company.', 'Ada Lovelace', { maxLength: 256 }),
  phone: text('Phone number with country code.', '+4915112345678', { maxLength: 20 }),
  description: text('Internal description.', 'Met at the fair', { maxLength: 350 }),
  metadata: METADATA,
} as const;

export const LINE_ITEMS = list(
  object(
    { price: PRICE_ID, quantity: integer('Number of units.', 1, { minimum: 1, maximum: 999_999 }) },
    'Line items.',
    { required: ['price'] },
  ),
  'Line items.',
  [{ price: 'price_1MoBy5LkdIwHu7ixZhnattbh', quantity: 1 }],
  { minItems: 1, maxItems: 100 },
);

const created = integer('Creation time in seconds since 1970.');

const thing = (properties: Parameters<typeof outputOf>[0]) =>
  outputOf({ id: text('ID of the object.'), created, metadata: record('Your own key-value pairs.'), ...properties }, [
    'id',
  ]);

export const CUSTOMER = thing({ email: text('Email address.'), name: text('Name of the person or company.') });

export const INVOICE = thing({
  customer: anyValue('ID of the customer.'),
  status: choice(['draft', 'open', 'paid', 'uncollectible', 'void'], 'Status of the object.'),
  total: integer('Amount in the smallest unit of the currency.'),
  amount_due: integer('Amount in the smallest unit of the currency.'),
  currency: text('Three-letter ISO currency code.'),
  hosted_invoice_url: text('URL of the hosted invoice page.'),
});

export const SUBSCRIPTION = thing({
  customer: anyValue('ID of the customer.'),
  status: text('Such as `active`, `past_due` or `canceled`.'),
  cancel_at_period_end: flag('Whether it is canceled at the end of the period.'),
});

export const PAYMENT = thing({
  amount: integer('Amount in the smallest unit of the currency.'),
  currency: text('Three-letter ISO currency code.'),
  status: text('Such as `requires_payment_method` or `succeeded`.'),
  client_secret: text('Client secret for the payment page.'),
});

export const SESSION = thing({
  url: text('URL of the payment page.'),
  status: text('`open`, `complete` or `expired`.'),
  payment_status: text('`paid`, `unpaid` or `no_payment_required`.'),
});

export const REFUND = thing({
  amount: integer('Amount in the smallest unit of the currency.'),
  currency: text('Three-letter ISO currency code.'),
  status: text('Such as `pending` or `succeeded`.'),
});

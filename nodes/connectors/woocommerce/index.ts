import { basic } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { byLink } from '../http/pages';
import { siteOf } from '../http/site';
import { codeAt, faultFrom } from '../http/error-text';
import { choice, filledText, flag, integer, list, outputOf, record, text } from '../../schema';
import { secretField, urlField } from '../credentials';
import { commaSeparated, queryFrom } from '../input';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const ORDER_ID = { order: integer('Its id.', 727, { minimum: 1 }) };
const PRODUCT_ID = { product: integer('Its id.', 794, { minimum: 1 }) };
const STATUSES = ['pending', 'processing', 'on-hold', 'completed', 'cancelled', 'refunded', 'failed', 'trash'];
const AFTER = text('An instant.', '2026-01-01T00:00:00');
const SEARCH = text('Words.', 'lamp');
const META = list(record('Its `key` and `value`.', { key: 'source', value: 'web' }), 'Entries.', [
  { key: 'source', value: 'web' },
]);
const ORDER = outputOf({
  id: integer('Of the order.', 727),
  status: text('How it stands.', 'processing'),
  total: text('With taxes.', '29.35'),
  currency: text('By ISO 4217.', 'EUR'),
});
const PRODUCT_WRITTEN = {
  name: filledText('Of the product.', 'Desk lamp'),
  type: choice(['simple', 'grouped', 'external', 'variable'], 'What it is.'),
  regular_price: text('A number as text.', '21.99'),
  sale_price: text('A number as text; empty for none.', '18.99'),
  description: text('In HTML.', '<p>Bright.</p>'),
  short_description: text('In HTML.', '<p>Bright.</p>'),
  sku: text('What your systems call it.', 'LAMP-1'),
  status: choice(['draft', 'pending', 'private', 'publish'], 'Whether it is for sale.'),
  manage_stock: flag('Whether the stock is counted.'),
  stock_quantity: integer('How many there are.', 12),
};
const PRODUCT = outputOf({ id: integer('Of the product.', 794), name: PRODUCT_WRITTEN.name });

const actions: readonly HttpAction[] = [
  readAction('list_orders', 'Orders, newest first.', {
    optional: {
      status: list(choice([...STATUSES, 'any'], 'How they stand.'), 'One of them.', ['processing']),
      after: AFTER,
      modified_after: { ...AFTER, title: 'Changed after' },
      customer: integer('The id of a customer.', 26),
      search: SEARCH,
    },
    item: ORDER,
    request: (input) => ({
      method: 'GET',
      url: '/orders',
      query: {
        per_page: 100,
        ...queryFrom(input, 'after', 'modified_after', 'customer', 'search'),
        status: commaSeparated(input.status),
      },
    }),
    pages: byLink(),
  }),
  readAction('get_order', 'One order with its lines.', {
    required: ORDER_ID,
    output: ORDER,
    call: 'GET /orders/{order}',
  }),
  idempotentWrite('update_order', 'Sets what is given of an order.', {
    required: ORDER_ID,
    optional: {
      status: choice(STATUSES, 'How it stands.'),
      customer_note: text('The note of the customer.', 'Ring twice.'),
      transaction_id: text('What the payment is called.', 'pi_123'),
      meta_data: META,
    },
    output: ORDER,
    call: 'PUT /orders/{order}',
  }),
  writeAction('create_order_note', 'Writes a note on an order.', {
    required: { ...ORDER_ID, note: filledText('Of the note.', 'Packed.') },
    optional: { customer_note: flag('The customer is notified by mail.', { default: false }) },
    output: outputOf({ id: integer('Of the note.', 281) }),
    call: 'POST /orders/{order}/notes',
  }),
  readAction('list_products', 'Products, newest first.', {
    optional: { search: SEARCH, sku: PRODUCT_WRITTEN.sku, status: PRODUCT_WRITTEN.status },
    item: PRODUCT,
    call: 'GET /products',
    query: { per_page: 100 },
    pages: byLink(),
  }),
  writeAction('create_product', 'Makes a product.', {
    required: { name: PRODUCT_WRITTEN.name },
    optional: PRODUCT_WRITTEN,
    output: PRODUCT,
    call: 'POST /products',
  }),
  idempotentWrite('update_product', 'Sets what is given of a product, such as price or stock.', {
    required: PRODUCT_ID,
    optional: PRODUCT_WRITTEN,
    output: PRODUCT,
    call: 'PUT /products/{product}',
  }),
  readAction('list_customers', 'Customers.', {
    optional: { email: text('Only who has it.', 'ada@example.com'), search: SEARCH },
    item: outputOf({
      id: integer('Of the customer.', 26),
      email: text('Of the customer.', 'ada@example.com'),
    }),
    call: 'GET /customers',
    query: { per_page: 100 },
    pages: byLink(),
  }),
];

export const woocommerce = defineConnector({
  name: 'woocommerce',
  title: 'WooCommerce',
  description: 'Orders, products and customers of a shop.',
  category: 'Commerce',
  docs: 'https://woocommerce.github.io/woocommerce-rest-api-docs/',

  fields: [
    urlField(
      'url',
      'Address',
      'Of the WordPress that the shop runs on. Only with https do keys go in a header.',
      'https://shop.example.com',
    ),
    secretField('consumer_key', 'Consumer key', 'WooCommerce, Settings, Advanced, REST API.', 'ck_0123456789abcdef'),
    secretField('consumer_secret', 'Consumer secret', 'What is shown beside the key.', 'cs_0123456789abcdef'),
  ],
  base: (account) => `${siteOf(account, 'url')}/wp-json/wc/v3`,
  sign: basic('consumer_key', 'consumer_secret'),
  fault: faultFrom({ code: codeAt('code') }),
  probe: { action: 'list_orders', input: { limit: 1 } },
  actions,
});

import { basic } from '../auth';
import type { HttpAction } from '../contract';
import { byLink } from '../http/pages';
import { baseUrlFrom } from '../http/base-url';
import { codeAt, faultFrom } from '../http/error-text';
import { choice, filledText, flag, integer, list, outputOf, record, text } from '../../schema';
import { secretField, urlField } from '../credentials';
import { commaSeparated, queryFrom } from '../input';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const ORDER_ID = { order: integer('ID of the order.', 727, { minimum: 1 }) };
const PRODUCT_ID = { product: integer('ID of the product.', 794, { minimum: 1 }) };
const STATUSES = ['pending', 'processing', 'on-hold', 'completed', 'cancelled', 'refunded', 'failed', 'trash'];
const AFTER = text('Time in ISO 8601 format.', '2026-01-01T00:00:00');
const SEARCH = text('Scopes or tags.', 'lamp');
const META = list(record('`key` and `value`.', { key: 'source', value: 'web' }), 'Metadata.', [
  { key: 'source', value: 'web' },
]);
const ORDER = outputOf({
  id: integer('ID of the order.', 727),
  status: text('Status of the incident.', 'processing'),
  total: text('Total including taxes.', '29.35'),
  currency: text('ISO 4217 currency code.', 'EUR'),
});
const PRODUCT_WRITTEN = {
  name: filledText('Name of the product.', 'Desk lamp'),
  type: choice(['simple', 'grouped', 'external', 'variable'], 'Type.'),
  regular_price: text('Price as text.', '21.99'),
  sale_price: text('Sale price as text; empty: none.', '18.99'),
  description: text('Content in HTML.', '<p>Bright.</p>'),
  short_description: text('Content in HTML.', '<p>Bright.</p>'),
  sku: text('Stock keeping unit.', 'LAMP-1'),
  status: choice(['draft', 'pending', 'private', 'publish'], 'Status of the product.'),
  manage_stock: flag('Whether stock is managed.'),
  stock_quantity: integer('Number of items.', 12),
};
const PRODUCT = outputOf({ id: integer('ID of the product.', 794), name: PRODUCT_WRITTEN.name });

const actions: readonly HttpAction[] = [
  readAction('list_orders', 'Lists orders, newest first.', {
    optional: {
      status: list(choice([...STATUSES, 'any'], 'Status.'), 'One status.', ['processing']),
      after: AFTER,
      modified_after: { ...AFTER, title: 'Changed after' },
      customer: integer('ID of a customer.', 26),
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
  readAction('get_order', 'Returns an order with its line items.', {
    required: ORDER_ID,
    output: ORDER,
    call: 'GET /orders/{order}',
  }),
  idempotentWrite('update_order', 'Updates the given fields of an order.', {
    required: ORDER_ID,
    optional: {
      status: choice(STATUSES, 'Status of the incident.'),
      customer_note: text('Note of the customer.', 'Ring twice.'),
      transaction_id: text('ID of the payment transaction.', 'pi_123'),
      meta_data: META,
    },
    output: ORDER,
    call: 'PUT /orders/{order}',
  }),
  writeAction('create_order_note', 'Adds a note to an order.', {
    required: { ...ORDER_ID, note: filledText('Note of the note.', 'Packed.') },
    optional: { customer_note: flag('Notifies the customer by email.', { default: false }) },
    output: outputOf({ id: integer('ID of the note.', 281) }),
    call: 'POST /orders/{order}/notes',
  }),
  readAction('list_products', 'Lists products, newest first.', {
    optional: { search: SEARCH, sku: PRODUCT_WRITTEN.sku, status: PRODUCT_WRITTEN.status },
    item: PRODUCT,
    call: 'GET /products',
    query: { per_page: 100 },
    pages: byLink(),
  }),
  writeAction('create_product', 'Creates a product.', {
    required: { name: PRODUCT_WRITTEN.name },
    optional: PRODUCT_WRITTEN,
    output: PRODUCT,
    call: 'POST /products',
  }),
  idempotentWrite('update_product', 'Updates the given fields of a product, such as price or stock.', {
    required: PRODUCT_ID,
    optional: PRODUCT_WRITTEN,
    output: PRODUCT,
    call: 'PUT /products/{product}',
  }),
  readAction('list_customers', 'Lists customers.', {
    optional: { email: text('Only the customer with this address.', 'ada@example.com'), search: SEARCH },
    item: outputOf({
      id: integer('ID of the customer.', 26),
      email: text('Email of the customer.', 'ada@example.com'),
    }),
    call: 'GET /customers',
    query: { per_page: 100 },
    pages: byLink(),
  }),
];

export const woocommerce = defineConnector({
  name: 'woocommerce',
  title: 'WooCommerce',
  description: 'Manage orders, products and customers of a shop.',
  category: 'Commerce',
  docs: 'https://woocommerce.github.io/woocommerce-rest-api-docs/',

  fields: [
    urlField(
      'url',
      'Address',
      'Address of the WordPress site of the shop. Keys are sent in a header only over https.',
      'https://shop.example.com',
    ),
    secretField('consumer_key', 'Consumer key', 'WooCommerce > Settings > Advanced > REST API.', 'ck_0123456789abcdef'),
    secretField('consumer_secret', 'Consumer secret', 'Shown next to the consumer key.', 'cs_0123456789abcdef'),
  ],
  base: (account) => `${baseUrlFrom(account, 'url')}/wp-json/wc/v3`,
  sign: basic('consumer_key', 'consumer_secret'),
  fault: faultFrom({ code: codeAt('code') }),
  connectionTest: { action: 'list_orders', input: { limit: 1 } },
  actions,
});

import { basic } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { ask, asks, commas, does, hidden, settles, site } from '../define';
import { byLink } from '../http/pages';
import { siteOf } from '../http/site';
import { codeAt, worded } from '../http/error-text';
import { choice, flag, integer, list, outputOf, record, text } from '../schemas';

const ORDER_ID = { order: integer('Order', 'Its id.', 727, { minimum: 1 }) };
const PRODUCT_ID = { product: integer('Product', 'Its id.', 794, { minimum: 1 }) };
const STATUSES = ['pending', 'processing', 'on-hold', 'completed', 'cancelled', 'refunded', 'failed', 'trash'];
const AFTER = text('After', 'An instant.', '2026-01-01T00:00:00');
const SEARCH = text('Search', 'Words.', 'lamp');
const META = list(record('Entry', 'Its `key` and `value`.', { key: 'source', value: 'web' }), 'Meta data', 'Entries.', [
  { key: 'source', value: 'web' },
]);
const ORDER = outputOf({
  id: integer('Id', 'Of the order.', 727),
  status: text('Status', 'How it stands.', 'processing'),
  total: text('Total', 'With taxes.', '29.35'),
  currency: text('Currency', 'By ISO 4217.', 'EUR'),
});
const PRODUCT_WRITTEN = {
  name: text('Name', 'Of the product.', 'Desk lamp', { minLength: 1 }),
  type: choice(['simple', 'grouped', 'external', 'variable'], 'Type', 'What it is.'),
  regular_price: text('Price', 'A number as text.', '21.99'),
  sale_price: text('Special price', 'A number as text; empty for none.', '18.99'),
  description: text('Description', 'In HTML.', '<p>Bright.</p>'),
  short_description: text('Short description', 'In HTML.', '<p>Bright.</p>'),
  sku: text('SKU', 'What your systems call it.', 'LAMP-1'),
  status: choice(['draft', 'pending', 'private', 'publish'], 'Status', 'Whether it is for sale.'),
  manage_stock: flag('Count the stock', 'Whether the stock is counted.'),
  stock_quantity: integer('In stock', 'How many there are.', 12),
};
const PRODUCT = outputOf({ id: integer('Id', 'Of the product.', 794), name: PRODUCT_WRITTEN.name });

const actions: readonly HttpAction[] = [
  asks('list_orders', 'List orders', 'Orders, newest first.', {
    may: {
      status: list(choice([...STATUSES, 'any'], 'Status', 'How they stand.'), 'Statuses', 'One of them.', [
        'processing',
      ]),
      after: AFTER,
      modified_after: { ...AFTER, title: 'Changed after' },
      customer: integer('Customer', 'The id of a customer.', 26),
      search: SEARCH,
    },
    item: ORDER,
    request: (input) => ({
      method: 'GET',
      url: '/orders',
      query: {
        per_page: 100,
        ...ask(input, 'after', 'modified_after', 'customer', 'search'),
        status: commas(input.status),
      },
    }),
    pages: byLink(),
  }),
  asks('get_order', 'Get an order', 'One order with its lines.', {
    needs: ORDER_ID,
    output: ORDER,
    call: 'GET /orders/{order}',
  }),
  settles('update_order', 'Change an order', 'Sets what is given of an order.', {
    needs: ORDER_ID,
    may: {
      status: choice(STATUSES, 'Status', 'How it stands.'),
      customer_note: text('Note', 'The note of the customer.', 'Ring twice.'),
      transaction_id: text('Transaction', 'What the payment is called.', 'pi_123'),
      meta_data: META,
    },
    output: ORDER,
    call: 'PUT /orders/{order}',
  }),
  does('create_order_note', 'Write a note', 'Writes a note on an order.', {
    needs: { ...ORDER_ID, note: text('Text', 'Of the note.', 'Packed.', { minLength: 1 }) },
    may: { customer_note: flag('For the customer', 'The customer is notified by mail.', { default: false }) },
    output: outputOf({ id: integer('Id', 'Of the note.', 281) }),
    call: 'POST /orders/{order}/notes',
  }),
  asks('list_products', 'List products', 'Products, newest first.', {
    may: { search: SEARCH, sku: PRODUCT_WRITTEN.sku, status: PRODUCT_WRITTEN.status },
    item: PRODUCT,
    call: 'GET /products',
    query: { per_page: 100 },
    pages: byLink(),
  }),
  does('create_product', 'Create a product', 'Makes a product.', {
    needs: { name: PRODUCT_WRITTEN.name },
    may: PRODUCT_WRITTEN,
    output: PRODUCT,
    call: 'POST /products',
  }),
  settles('update_product', 'Change a product', 'Sets what is given of a product, such as price or stock.', {
    needs: PRODUCT_ID,
    may: PRODUCT_WRITTEN,
    output: PRODUCT,
    call: 'PUT /products/{product}',
  }),
  asks('list_customers', 'List customers', 'Customers.', {
    may: { email: text('E-mail address', 'Only who has it.', 'ada@example.com'), search: SEARCH },
    item: outputOf({
      id: integer('Id', 'Of the customer.', 26),
      email: text('E-mail address', 'Of the customer.', 'ada@example.com'),
    }),
    call: 'GET /customers',
    query: { per_page: 100 },
    pages: byLink(),
  }),
];

export const woocommerce: Connector = {
  name: 'woocommerce',
  title: 'WooCommerce',
  description: 'Orders, products and customers of a shop.',
  category: 'Commerce',
  docs: 'https://woocommerce.github.io/woocommerce-rest-api-docs/',
  auth: {
    required: true,
    fields: [
      site(
        'url',
        'Address',
        'Of the WordPress that the shop runs on. Only with https do keys go in a header.',
        'https://shop.example.com',
      ),
      hidden('consumer_key', 'Consumer key', 'WooCommerce, Settings, Advanced, REST API.', 'ck_0123456789abcdef'),
      hidden('consumer_secret', 'Consumer secret', 'What is shown beside the key.', 'cs_0123456789abcdef'),
    ],
  },
  base: (account) => `${siteOf(account, 'url')}/wp-json/wc/v3`,
  sign: basic('consumer_key', 'consumer_secret'),
  fault: worded({ code: codeAt('code') }),
  probe: { action: 'list_orders', input: { limit: 1 } },
  actions,
};

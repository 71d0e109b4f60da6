import { casesOf } from './case-builders';

const { gives, pages, fails, page } = casesOf(
  { url: 'https://shop.example.com/store/', consumer_key: 'ck_0123', consumer_secret: 'cs_4567' },
  { authorization: `Basic ${Buffer.from('ck_0123:cs_4567').toString('base64')}` },
);

const ORDER = { id: 727, status: 'processing', total: '29.35', currency: 'EUR' };
const LAMP = { id: 794, name: 'Desk lamp' };

export const cases = [
  pages(
    ['list_orders', 'pages follow the link'],
    { status: ['processing', 'on-hold'], after: '2026-01-01T00:00:00' },
    [
      [
        'GET /orders?per_page=100&after=2026-01-01T00:00:00&status=processing,on-hold',
        {
          headers: {
            link: '<https://shop.example.com/store/wp-json/wc/v3/orders?per_page=100&after=2026-01-01T00%3A00%3A00&status=processing%2Con-hold&page=2>; rel="next"',
          },
          json: [ORDER],
        },
      ],
      [
        'GET /orders?per_page=100&after=2026-01-01T00:00:00&status=processing,on-hold&page=2',
        { json: [{ ...ORDER, id: 728 }] },
      ],
    ],
    [ORDER, { ...ORDER, id: 728 }],
  ),
  fails(
    ['list_orders', 'a wrong key is rejected'],
    {},
    'GET /orders?per_page=100',
    {
      status: 401,
      json: {
        code: 'woocommerce_rest_cannot_view',
        message: 'Sorry, you cannot list resources.',
        data: { status: 401 },
      },
    },
    { code: 'woocommerce_rest_cannot_view', message: 'WooCommerce answered 401: Sorry, you cannot list resources.' },
  ),
  gives(['get_order', 'one order'], { order: 727 }, 'GET /orders/727', ORDER),
  gives(
    ['update_order', 'an order is completed'],
    { order: 727, status: 'completed' },
    ['PUT /orders/727', { body: { status: 'completed' } }],
    { ...ORDER, status: 'completed' },
  ),
  gives(
    ['create_order_note', 'a note is written'],
    { order: 727, note: 'Packed.', customer_note: true },
    ['POST /orders/727/notes', { body: { note: 'Packed.', customer_note: true } }],
    { id: 281 },
  ),
  page(
    ['list_products', 'products by their number'],
    { sku: 'LAMP-1' },
    'GET /products?per_page=100&sku=LAMP-1',
    [LAMP],
    [LAMP],
  ),
  gives(
    ['create_product', 'a product is made'],
    { name: 'Desk lamp', regular_price: '21.99', manage_stock: true, stock_quantity: 12 },
    ['POST /products', { body: { name: 'Desk lamp', regular_price: '21.99', manage_stock: true, stock_quantity: 12 } }],
    LAMP,
  ),
  gives(
    ['update_product', 'the stock changes'],
    { product: 794, stock_quantity: 11 },
    ['PUT /products/794', { body: { stock_quantity: 11 } }],
    LAMP,
  ),
  page(
    ['list_customers', 'who has that address'],
    { email: 'ada@example.com' },
    'GET /customers?per_page=100&email=ada@example.com',
    [{ id: 26, email: 'ada@example.com' }],
    [{ id: 26, email: 'ada@example.com' }],
  ),
  fails(
    ['get_order', 'a failing server is retryable'],
    { order: 727 },
    'GET /orders/727',
    { status: 503, headers: { 'retry-after': '120' }, text: 'Briefly unavailable for scheduled maintenance.' },
    { code: 'provider_failed', message: 'scheduled maintenance', retryable: true, retryAfterMs: 120_000 },
  ),
];

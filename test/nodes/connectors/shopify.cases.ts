import type { JsonObject } from '../../../lib/json';
import type { Line } from './case-builders';
import { casesOf } from './case-builders';
import { shopify } from '../../../nodes/connectors/shopify';

const { gives, pages, fails, page } = casesOf(
  { url: 'https://acme.myshopify.com', token: 'shpat_0123456789' },
  { 'x-shopify-access-token': 'shpat_0123456789', authorization: null },
);

/** The document of an action: what is looked at here is what goes with it. */
function asked(action: string, variables: JsonObject, input: JsonObject = variables): Line {
  const found = shopify.actions.find(({ name }) => name === action);
  const made =
    found?.kind === 'http' ? found.request(input, { credentials: {} }, { idempotencyKey: '', now: 0 }) : null;
  const { query } = (made?.body ?? {}) as { query: string };
  return ['POST /graphql.json', { body: { query, variables } }];
}

const ORDERS =
  'query ($query: String, $after: String) { orders(first: 50, query: $query, sortKey: CREATED_AT, reverse: true, after: $after) { nodes { id name createdAt email tags displayFinancialStatus displayFulfillmentStatus totalPriceSet { shopMoney { amount currencyCode } } customer { id displayName } } pageInfo { hasNextPage endCursor } } }';
const SHOP = 'query { shop { id name email myshopifyDomain currencyCode } }';
const ORDER = { id: 'gid://shopify/Order/1', name: '#1001', displayFinancialStatus: 'PAID' };
const LAMP = { id: 'gid://shopify/Product/1', title: 'Desk lamp' };
const ADA = { id: 'gid://shopify/Customer/1', displayName: 'Ada' };
const END = { hasNextPage: false, endCursor: null };

export const cases = [
  gives(
    ['get_shop', 'returns the shop'],
    {},
    ['POST /graphql.json', { body: { query: SHOP, variables: {} } }],
    { data: { shop: { id: 'gid://shopify/Shop/1', name: 'Acme' } } },
    { id: 'gid://shopify/Shop/1', name: 'Acme' },
  ),
  fails(
    ['get_shop', 'a wrong token is rejected'],
    {},
    ['POST /graphql.json', { body: { query: SHOP, variables: {} } }],
    { status: 401, json: { errors: '[API] Invalid API key or access token' } },
    { code: 'unauthorized', message: 'Shopify answered 401: [API] Invalid API key or access token' },
  ),
  pages(
    ['list_orders', 'pages follow the cursor'],
    { query: 'status:open' },
    [
      [
        ['POST /graphql.json', { body: { query: ORDERS, variables: { query: 'status:open' } } }],
        { json: { data: { orders: { nodes: [ORDER], pageInfo: { hasNextPage: true, endCursor: 'eyJs' } } } } },
      ],
      [
        ['POST /graphql.json', { body: { query: ORDERS, variables: { query: 'status:open', after: 'eyJs' } } }],
        { json: { data: { orders: { nodes: [{ ...ORDER, name: '#1002' }], pageInfo: END } } } },
      ],
    ],
    [ORDER, { ...ORDER, name: '#1002' }],
  ),
  gives(
    ['get_order', 'one order'],
    { id: ORDER.id },
    asked('get_order', { id: ORDER.id }),
    { data: { order: ORDER } },
    ORDER,
  ),
  page(
    ['list_products', 'products'],
    {},
    asked('list_products', {}),
    { data: { products: { nodes: [LAMP], pageInfo: END } } },
    [LAMP],
  ),
  gives(
    ['create_product', 'a product is made'],
    { title: 'Desk lamp', status: 'DRAFT' },
    asked('create_product', { product: { title: 'Desk lamp', status: 'DRAFT' } }, {}),
    { data: { productCreate: { product: LAMP, userErrors: [] } } },
    LAMP,
  ),
  fails(
    ['create_product', 'what a mutation finds wrong is a fault, whatever the status'],
    { title: 'Desk lamp' },
    asked('create_product', { product: { title: 'Desk lamp' } }, {}),
    { json: { data: { productCreate: { product: null, userErrors: [{ field: ['title'], message: 'is taken' }] } } } },
    { code: 'user_error', message: 'title: is taken' },
  ),
  gives(
    ['update_product', 'a product changes'],
    { id: LAMP.id, status: 'ACTIVE' },
    asked('update_product', { product: { id: LAMP.id, status: 'ACTIVE' } }, {}),
    { data: { productUpdate: { product: LAMP, userErrors: [] } } },
    LAMP,
  ),
  page(
    ['list_customers', 'customers'],
    { query: 'country:DE' },
    asked('list_customers', { query: 'country:DE' }),
    { data: { customers: { nodes: [ADA], pageInfo: END } } },
    [ADA],
  ),
  gives(
    ['add_tags', 'tags are added'],
    { id: ORDER.id, tags: ['checked'] },
    asked('add_tags', { id: ORDER.id, tags: ['checked'] }),
    { data: { tagsAdd: { node: { id: ORDER.id }, userErrors: [] } } },
    { id: ORDER.id },
  ),
  fails(
    ['get_shop', 'a bucket that is empty is waited for as long as it takes to fill'],
    {},
    ['POST /graphql.json', { body: { query: SHOP, variables: {} } }],
    {
      json: {
        errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }],
        extensions: {
          cost: {
            requestedQueryCost: 166,
            actualQueryCost: null,
            throttleStatus: { maximumAvailable: 1000, currentlyAvailable: 66, restoreRate: 50 },
          },
        },
      },
    },
    { code: 'THROTTLED', message: 'Throttled', retryable: true, retryAfterMs: 2_000 },
  ),
  fails(
    ['get_order', 'a missing order is reported, though the answer is null'],
    { id: ORDER.id },
    asked('get_order', { id: ORDER.id }),
    { json: { data: { order: null } } },
    { code: 'not_found', message: 'nothing has this id' },
  ),
];

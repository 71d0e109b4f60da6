import { isObject, type JsonObject } from '../../../lib/json';
import { headerKey } from '../auth';
import type { ConnectorResponse, ConnectorFault, HttpAction } from '../contract';
import { byConnection, dataAt, graphqlRequest, graphqlFault, notFoundWhenEmpty } from '../http/graphql';
import { bodyAt } from '../http/pages';
import { baseUrlFrom } from '../http/base-url';
import { choice, filledText, list, outputOf, text } from '../../schema';
import { secretField, urlField } from '../credentials';
import { pick } from '../input';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const ask = (query: string, variables: JsonObject = {}) => graphqlRequest('/graphql.json', query, variables);

const gid = (kind: string) => text('GraphQL ID of the object.', `gid://shopify/${kind}/1072481062`, { minLength: 1 });
const QUERY = { query: text("Query in Shopify's search syntax.", 'status:open') };
const TAGS = list({ type: 'string' }, 'Scopes or tags.', ['wholesale'], { minItems: 1 });
const MONEY = '{ shopMoney { amount currencyCode } }';
// The cost of a query is limited by its number of objects: line items are requested only for a single order.
const ORDER_FIELDS = `id name createdAt email tags displayFinancialStatus displayFulfillmentStatus totalPriceSet ${MONEY} customer { id displayName }`;
const LINE_FIELDS = `title sku quantity originalUnitPriceSet ${MONEY}`;
const PRODUCT_FIELDS = 'id title handle status vendor productType tags totalInventory onlineStoreUrl';
const CUSTOMER_FIELDS =
  'id displayName firstName lastName tags numberOfOrders defaultEmailAddress { emailAddress } defaultPhoneNumber { phoneNumber }';

const PRODUCT = {
  title: filledText('Title of the product.', 'Desk lamp'),
  descriptionHtml: text('Content in HTML.', '<p>Bright.</p>'),
  vendor: text('Vendor of the product.', 'Acme'),
  productType: text('Type.', 'Lamps'),
  status: choice(['ACTIVE', 'ARCHIVED', 'DRAFT'], 'Status of the product.'),
  tags: TAGS,
};
const ORDER_OUTPUT = outputOf({
  id: gid('Order'),
  name: text('Key of the issue.', '#1001'),
  displayFinancialStatus: text('Such as PAID or PENDING.', 'PAID'),
});
const PRODUCT_OUTPUT = outputOf({ id: gid('Product'), title: PRODUCT.title });
const CUSTOMER_OUTPUT = outputOf({ id: gid('Customer'), displayName: text('Display name.', 'Ada Lovelace') });

const paged = (field: string, fields: string, order: string): string =>
  `query ($query: String, $after: String) { ${field}(first: 50, query: $query, sortKey: ${order}, reverse: true, after: $after) { nodes { ${fields} } pageInfo { hasNextPage endCursor } } }`;

const actions: readonly HttpAction[] = [
  readAction('get_shop', 'Returns the shop of the connection.', {
    output: outputOf({
      id: gid('Shop'),
      name: text('Display name.', 'Acme'),
      myshopifyDomain: text('The myshopify.com domain.', 'acme.myshopify.com'),
    }),
    request: () => ask('query { shop { id name email myshopifyDomain currencyCode } }'),
    read: dataAt('shop'),
  }),
  readAction('list_orders', 'Lists orders, newest first.', {
    optional: QUERY,
    item: ORDER_OUTPUT,
    request: (input) => ask(paged('orders', ORDER_FIELDS, 'CREATED_AT'), pick(input, 'query')),
    pages: byConnection('orders'),
  }),
  readAction('get_order', 'Returns an order with its line items.', {
    required: { id: gid('Order') },
    output: ORDER_OUTPUT,
    request: (input) =>
      ask(
        `query ($id: ID!) { order(id: $id) { ${ORDER_FIELDS} lineItems(first: 100) { nodes { ${LINE_FIELDS} } } } }`,
        pick(input, 'id'),
      ),
    read: dataAt('order'),
  }),
  readAction('list_products', 'Lists products, most recently updated first.', {
    optional: QUERY,
    item: PRODUCT_OUTPUT,
    request: (input) => ask(paged('products', PRODUCT_FIELDS, 'UPDATED_AT'), pick(input, 'query')),
    pages: byConnection('products'),
  }),
  writeAction('create_product', 'Creates a product.', {
    required: { title: PRODUCT.title },
    optional: PRODUCT,
    output: PRODUCT_OUTPUT,
    request: (input) =>
      ask(
        `mutation ($product: ProductCreateInput!) { productCreate(product: $product) { product { ${PRODUCT_FIELDS} } userErrors { field message } } }`,
        { product: pick(input, ...Object.keys(PRODUCT)) },
      ),
    read: dataAt('productCreate.product'),
  }),
  idempotentWrite('update_product', 'Updates the given fields of a product; tags are replaced.', {
    required: { id: gid('Product') },
    optional: PRODUCT,
    output: PRODUCT_OUTPUT,
    request: (input) =>
      ask(
        `mutation ($product: ProductUpdateInput!) { productUpdate(product: $product) { product { ${PRODUCT_FIELDS} } userErrors { field message } } }`,
        { product: pick(input, 'id', ...Object.keys(PRODUCT)) },
      ),
    read: dataAt('productUpdate.product'),
  }),
  readAction('list_customers', 'Lists customers, most recently updated first.', {
    optional: QUERY,
    item: CUSTOMER_OUTPUT,
    request: (input) => ask(paged('customers', CUSTOMER_FIELDS, 'UPDATED_AT'), pick(input, 'query')),
    pages: byConnection('customers'),
  }),
  idempotentWrite('add_tags', 'Adds tags to an order, product or customer; existing tags are kept.', {
    required: { id: gid('Order'), tags: TAGS },
    output: outputOf({ id: gid('Order') }),
    request: (input) =>
      ask(
        'mutation ($id: ID!, $tags: [String!]!) { tagsAdd(id: $id, tags: $tags) { node { id } userErrors { field message } } }',
        pick(input, 'id', 'tags'),
      ),
    read: dataAt('tagsAdd.node'),
  }),
];

/** Time until the bucket covers the cost of the query. */
function restored(response: ConnectorResponse): number | null {
  const at = (name: string): number => Number(bodyAt(response, `extensions.cost.${name}`) ?? Number.NaN);
  const missing = at('requestedQueryCost') - at('throttleStatus.currentlyAvailable');
  const ms = Math.ceil((missing / at('throttleStatus.restoreRate')) * 1_000);
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

const ofNothing = notFoundWhenEmpty();

const ofProtocol = graphqlFault({
  retryable: ['THROTTLED', 'INTERNAL_SERVER_ERROR'],
  refused: [],
  retryAfterMs: restored,
});

/** The user errors of a mutation, which are in its own result. */
function userError(response: ConnectorResponse): ConnectorFault | null {
  const data = bodyAt(response, 'data');
  for (const result of isObject(data) ? Object.values(data) : []) {
    const errors = isObject(result) && Array.isArray(result.userErrors) ? result.userErrors : [];
    const first: unknown = errors[0];
    if (isObject(first)) {
      const field = Array.isArray(first.field) ? `${first.field.join('.')}: ` : '';
      return { code: 'user_error', message: `${field}${String(first.message)}`, retryable: false };
    }
  }
  return null;
}

export const shopify = defineConnector({
  name: 'shopify',
  title: 'Shopify',
  description: 'Manage orders, products and customers of a shop.',
  category: 'Commerce',
  docs: 'https://shopify.dev/docs/api/admin-graphql',

  fields: [
    urlField('url', 'Address', 'The myshopify.com address of the shop.', 'https://acme.myshopify.com'),
    secretField('token', 'Access token', 'Admin API access token of a custom app.', 'shpat_0123456789abcdef'),
  ],
  base: (account) => `${baseUrlFrom(account, 'url')}/admin/api/2026-07`,
  sign: headerKey('x-shopify-access-token', 'token'),
  fault: (response) => ofProtocol(response) ?? userError(response) ?? ofNothing(response),
  connectionTest: 'get_shop',
  actions,
});

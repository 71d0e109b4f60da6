import { headerKey } from '../auth';
import type { Connector, ConnectorAnswer, ConnectorFault } from '../contract';
import { hidden, site } from '../define';
import { graphqlFault, missing } from '../http/graphql';
import { bodyAt } from '../http/pages';
import { siteOf } from '../http/site';
import { isObject } from '../../../lib/json';
import { actions } from './actions';

/** Until the bucket holds again what the query costs. */
function restored(answer: ConnectorAnswer): number | null {
  const at = (name: string): number => Number(bodyAt(answer, `extensions.cost.${name}`) ?? Number.NaN);
  const missing = at('requestedQueryCost') - at('throttleStatus.currentlyAvailable');
  const ms = Math.ceil((missing / at('throttleStatus.restoreRate')) * 1_000);
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

const ofNothing = missing();

const ofProtocol = graphqlFault({ passing: ['THROTTLED', 'INTERNAL_SERVER_ERROR'], refused: [], wait: restored });

/** What a mutation found wrong with its input, which stands in its own answer. */
function userError(answer: ConnectorAnswer): ConnectorFault | null {
  const data = bodyAt(answer, 'data');
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

export const shopify: Connector = {
  name: 'shopify',
  title: 'Shopify',
  description: 'Orders, products and customers of a shop.',
  category: 'commerce',
  docs: 'https://shopify.dev/docs/api/admin-graphql',
  auth: {
    required: true,
    fields: [
      site('url', 'Address', 'Of the shop, as Shopify names it.', 'https://acme.myshopify.com'),
      hidden('token', 'Access token', 'Of a custom app, for the Admin API.', 'shpat_0123456789abcdef'),
    ],
  },
  base: (account) => `${siteOf(account, 'url')}/admin/api/2026-07`,
  sign: headerKey('x-shopify-access-token', 'token'),
  fault: (answer) => ofProtocol(answer) ?? userError(answer) ?? ofNothing(answer),
  probe: { action: 'get_shop', input: {} },
  actions,
};

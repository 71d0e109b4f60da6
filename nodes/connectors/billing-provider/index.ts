import { bearer, fieldOr, withHeaders } from '../auth';
import type { ConnectorResponse, ConnectorFault } from '../contract';
import { isRetryableStatus } from '../http/fault';
import { textAt } from '../values';
import { customers } from './customers';
import { payments } from './payments';
import { plainField, secretField } from '../credentials';
import { defineConnector } from '../define';

const PASSING = new Set(['lock_timeout', 'rate_limit', 'idempotency_key_in_use']);

const key = bearer('api_key');

/** The most specific error code. A header of the provider decides whether the error is retryable. */
function fault({ status, headers, body }: ConnectorResponse): ConnectorFault | null {
  const message = textAt(body, 'error', 'message') ?? textAt(body, 'error', 'type');
  if (status < 400 || message === undefined) return null;
  const code =
    textAt(body, 'error', 'decline_code') ??
    textAt(body, 'error', 'code') ??
    textAt(body, 'error', 'type') ??
    `status_${status}`;
  const advice = headers['stripe-should-retry'];
  return {
    code,
    message,
    retryable: advice === 'true' || (advice !== 'false' && (isRetryableStatus(status) || PASSING.has(code))),
  };
}

/** The API of Stripe, in the version of the account. */
export const billingProvider = defineConnector({
  name: 'billing-provider',
  aliases: ['stripe'],
  title: 'Stripe',
  description: 'Manage customers, payments, invoices and subscriptions of a Stripe account.',
  category: 'Finance',
  docs: 'https://docs.stripe.com/api',

  fields: [
    secretField('api_key', 'Secret key', 'Secret or restricted API key of the account.', 'sk_live_...'),
    plainField('account', 'Account', 'ID of a connected account to act for.', 'acct_1032D82eZvKYlo2C', {
      required: false,
    }),
  ],
  base: 'https://api.stripe.com',
  sign(request, account) {
    const acted = fieldOr(account, 'account');
    return key(acted === '' ? request : withHeaders(request, { 'stripe-account': acted }), account);
  },
  fault,
  connectionTest: 'get_balance',
  actions: [...customers, ...payments],
});

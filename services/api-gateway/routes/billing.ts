import { json, type Route } from './route';

/** What tenants pay for. */
export const billingRoutes: readonly Route[] = [
  json('GET /api/v1/billing/plans', 'billing.plans', { summary: 'The ladder of plans, with their limits' }),
  json('GET /api/v1/billing/subscription', 'billing.subscription', {
    summary: "The tenant's plan, its limits, and what of them is used",
  }),
  json('GET /api/v1/metrics', 'billing.metrics', {
    summary: 'What the tenant has used, against its limits and day by day',
  }),
  json('POST /api/v1/billing/checkout', 'billing.checkout', {
    access: 'owner',
    idempotency: 'replay',
    summary: 'A page on which to subscribe to a plan',
  }),
  json('POST /api/v1/billing/portal', 'billing.portal', {
    access: 'owner',
    summary: 'A page with bills, and on which to change or cancel the subscription',
  }),
  {
    kind: 'provider webhook',
    method: 'POST',
    path: '/webhooks/billing-provider',
    action: 'billing.receive',
    access: 'public',
    summary: 'Events of the billing provider, signed by it',
  },
];

import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import Stripe from 'stripe';
import type { BillingConfig } from '../../lib/billing-config';
import { AppError, errorMessage } from '../../lib/errors';
import { SUBSCRIPTION_STATUSES, type SubscriptionStatus } from '../../contracts/billing';

/** A subscription of the provider. Times are epoch milliseconds. */
export interface ProviderSubscription {
  readonly id: string;
  readonly customer: string;
  /** The tenant in its metadata. */
  readonly tenantId: string | null;
  readonly status: SubscriptionStatus;
  readonly prices: readonly string[];
  readonly createdAt: number;
  readonly periodEnd: number | null;
  readonly cancelAtPeriodEnd: boolean;
}

interface Checkout {
  readonly tenantId: string;
  readonly price: string;
  /** The customer of an earlier subscription; null: the provider creates one for the e-mail address. */
  readonly customer: string | null;
  readonly email: string | null;
  readonly successUrl: string;
  readonly cancelUrl: string;
}

const TIMEOUT_MS = 10_000;
/** Retries of a request by the client, which repeats only idempotent requests. */
const RETRIES = 1;
const MAX_SUBSCRIPTIONS = 100;

/** The provider's API (Stripe), with its own client. Every method @throws AppError provider_failed */
export class Provider {
  readonly #stripe: Stripe;
  readonly #agent: HttpAgent;

  constructor(apiKey: string, url: string | null) {
    const address = url === null ? null : new URL(url);
    this.#agent =
      address?.protocol === 'http:' ? new HttpAgent({ keepAlive: true }) : new HttpsAgent({ keepAlive: true });
    this.#stripe = new Stripe(apiKey, {
      timeout: TIMEOUT_MS,
      maxNetworkRetries: RETRIES,
      telemetry: false,
      httpAgent: this.#agent,
      ...(address === null ? {} : addressOf(address)),
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Creates a checkout page. The tenant is stored in the metadata of subscription and session, so that their events contain it. */
  checkout(checkout: Checkout): Promise<{ url: string; id: string }> {
    const { tenantId, price, customer, email, successUrl, cancelUrl } = checkout;
    return withProviderErrors(async () => {
      const metadata = { tenant_id: tenantId };
      const { id, url } = await this.#stripe.checkout.sessions.create({
        mode: 'subscription',
        line_items: [{ price, quantity: 1 }],
        client_reference_id: tenantId,
        metadata,
        subscription_data: { metadata },
        success_url: successUrl,
        cancel_url: cancelUrl,
        ...(customer !== null ? { customer } : email === null ? {} : { customer_email: email }),
      });
      if (url === null) throw new AppError('provider_failed', 'The billing provider returned a session without a URL');
      return { url, id };
    });
  }

  /** Creates a page on which a customer manages its subscription. */
  portal(customer: string, returnUrl: string): Promise<string> {
    return withProviderErrors(
      async () => (await this.#stripe.billingPortal.sessions.create({ customer, return_url: returnUrl })).url,
    );
  }

  /** The current state of all subscriptions of a customer, including ended ones; empty for an unknown customer. */
  subscriptions(customer: string): Promise<ProviderSubscription[]> {
    return withProviderErrors(async () => {
      try {
        const list = this.#stripe.subscriptions.list({ customer, status: 'all', limit: MAX_SUBSCRIPTIONS });
        return (await list).data.map(subscriptionOf);
      } catch (fault) {
        if (codeOf(fault) === 'resource_missing') return [];
        throw fault;
      }
    });
  }
}

/** The client of the configured account; null without one. */
export const openProvider = ({ apiKey, url }: BillingConfig): Provider | null =>
  apiKey === null ? null : new Provider(apiKey, url);

const addressOf = ({ hostname, port, protocol }: URL) => ({
  host: hostname,
  port: port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port),
  protocol: protocol === 'http:' ? ('http' as const) : ('https' as const),
});

function subscriptionOf(given: Stripe.Subscription): ProviderSubscription {
  const ends = given.items.data.map((item) => item.current_period_end * 1_000);
  return {
    id: given.id,
    customer: typeof given.customer === 'string' ? given.customer : given.customer.id,
    tenantId: given.metadata.tenant_id ?? null,
    // An unknown status grants no plan.
    status: SUBSCRIPTION_STATUSES.find((known) => known === given.status) ?? 'incomplete',
    prices: given.items.data.map((item) => item.price.id),
    createdAt: given.created * 1_000,
    periodEnd: ends.length === 0 ? null : Math.max(...ends),
    cancelAtPeriodEnd: given.cancel_at_period_end || given.cancel_at !== null,
  };
}

/** The error for missing settings of the installation. */
export const notConfigured = (...variables: string[]): AppError =>
  new AppError(
    'provider_not_configured',
    `Billing is not configured: the operator must set ${variables.join(' and ')}`,
  );

/** Translates errors of the provider, whose messages may contain a part of the key. */
async function withProviderErrors<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError('provider_failed', messageOf(cause), {}, { cause });
  }
}

function messageOf(fault: unknown): string {
  if (fault instanceof Stripe.errors.StripeAuthenticationError || fault instanceof Stripe.errors.StripePermissionError)
    return 'The billing provider rejects the API key: the operator must check BILLING_PROVIDER_API_KEY';
  if (fault instanceof Stripe.errors.StripeInvalidRequestError)
    return `The billing provider rejects the request: ${errorMessage(fault)}`;
  return 'The billing provider failed; try again';
}

const codeOf = (fault: unknown): string | undefined =>
  fault instanceof Stripe.errors.StripeError ? fault.code : undefined;

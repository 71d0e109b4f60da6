import type { Config } from '../../lib/config';
import { AppError } from '../../lib/errors';
import type { PlanName } from '../../lib/plans';
import type { SubscriptionRecord } from './models';
import { notConfigured, type Provider } from './provider';
import { isEntitled, type PriceList } from './rules';
import type { Subscriptions } from './subscriptions';

type Sold = Exclude<PlanName, 'free'>;

const PRICE_VARIABLES = {
  pro: 'BILLING_PROVIDER_PRICE_PRO',
  enterprise: 'BILLING_PROVIDER_PRICE_ENTERPRISE',
} as const satisfies Record<Sold, string>;

/** Plans for sale, and the checkout and portal pages of the provider. */
export function sales(
  config: Pick<Config, 'billing' | 'signIn' | 'baseUrl' | 'port'>,
  provider: Provider | null,
  subscriptions: Subscriptions,
) {
  const sold = Object.entries(config.billing.prices) as [Sold, string | null][];
  const prices: PriceList = new Map(sold.flatMap(([plan, price]) => (price === null ? [] : [[price, plan]])));
  const console = config.signIn.frontendUrl ?? `${config.baseUrl ?? `http://localhost:${config.port}`}/console`;

  const page = (outcome: string): string => `${console}#billing=${outcome}`;

  return {
    prices,

    /** True when a plan can be bought. */
    sells: (plan: PlanName): boolean => provider !== null && plan !== 'free' && config.billing.prices[plan] !== null,

    /** True when a further payment is due. */
    renews: (record: SubscriptionRecord): boolean => isEntitled(record) && !record.cancel_at_period_end,

    /** @throws AppError provider_not_configured, conflict, provider_failed */
    async checkout(tenantId: string, plan: Sold, email: string | null): Promise<{ url: string; session_id: string }> {
      const price = config.billing.prices[plan];
      if (provider === null || price === null) {
        const missing = [
          ...(provider === null ? ['BILLING_PROVIDER_API_KEY'] : []),
          ...(price === null ? [PRICE_VARIABLES[plan]] : []),
        ];
        throw notConfigured(...missing);
      }
      const record = await subscriptions.of(tenantId);
      // A second subscription would be charged in addition to the first.
      if (isEntitled(record))
        throw new AppError(
          'conflict',
          `The tenant has a subscription to ${record.plan}; change it in the billing portal`,
        );
      const { url, id } = await provider.checkout({
        tenantId,
        price,
        customer: record.customers.at(-1) ?? null,
        email,
        successUrl: page('subscribed'),
        cancelUrl: page('cancelled'),
      });
      return { url, session_id: id };
    },

    /** @throws AppError provider_not_configured, conflict, provider_failed */
    async portal(tenantId: string): Promise<{ url: string }> {
      if (provider === null) throw notConfigured('BILLING_PROVIDER_API_KEY');
      const customer = (await subscriptions.of(tenantId)).customers.at(-1);
      if (customer === undefined)
        throw new AppError('conflict', 'The tenant has never had a subscription; start one with checkout');
      return { url: await provider.portal(customer, page('portal')) };
    },
  };
}

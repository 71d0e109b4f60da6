import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { auditService } from '../../../services/audit/audit.service';
import type { AuditEventView } from '../../../contracts/audit';
import { authService } from '../../../services/auth/auth.service';
import { billingService } from '../../../services/billing/billing.service';
import { channelsService } from '../../../services/channels/channels.service';
import { executorServices } from '../../support/run-services';
import { filesService } from '../../../services/files/files.service';
import { knowledgeService } from '../../../services/knowledge/knowledge.service';
import { secretsService } from '../../../services/secrets/secrets.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import type { Session } from '../../../contracts/auth/accounts';
import type { SubscriptionView } from '../../../contracts/billing';
import { registerTenant } from '../../support/accounts';
import { startApp, type StartOptions, type TestApp } from '../../support/app';
import {
  API_KEY,
  type BillingStandIn,
  PRICES,
  type SignedEvent,
  startBillingProvider,
  WEBHOOK_SECRET,
} from '../../support/billing-provider';
import { until } from '../../support/until';

export interface Answer {
  readonly status: number;
  /** What tests look at in answers, each of which has some of it. */
  readonly body: Readonly<Record<'error' | 'code' | 'id' | 'session_id' | 'plan', string>> & { readonly data: unknown };
}

/** The product over HTTP, with the payment provider's stand-in beside it. */
export interface Shop {
  readonly t: TestApp;
  readonly provider: BillingStandIn;
  tenant(): Promise<Session>;
  ask(token: string | null, line: string, body?: unknown): Promise<Answer>;
  /** As the provider delivers it. */
  deliver(event: Pick<SignedEvent, 'body' | 'signature'>): Promise<Answer>;
  subscription(who: Session): Promise<SubscriptionView>;
  /** Waits until an event has been worked on; answers what has become of it. */
  settled(id: string): Promise<string>;
  /** The tenant's audit log of one action, newest first. */
  audited(who: Session, action: string): Promise<AuditEventView[]>;
  /** A tenant that has paid for a plan. */
  subscriber(plan: 'pro' | 'enterprise'): Promise<{ who: Session; held: ReturnType<BillingStandIn['pay']> }>;
  close(): Promise<void>;
}

const CONFIGURED = {
  BILLING_PROVIDER_API_KEY: API_KEY,
  BILLING_PROVIDER_WEBHOOK_SECRET: WEBHOOK_SECRET,
  BILLING_PROVIDER_PRICE_PRO: PRICES.pro,
  BILLING_PROVIDER_PRICE_ENTERPRISE: PRICES.enterprise,
  FRONTEND_URL: 'https://app.example.com',
};

export async function openShop(options: Omit<StartOptions, 'services'> = {}): Promise<Shop> {
  const provider = await startBillingProvider(options.clock);
  const t = await startApp({
    ...options,
    env: { ...CONFIGURED, BILLING_PROVIDER_URL: provider.url, ...options.env },
    services: [
      apiGatewayService,
      authService,
      secretsService,
      workflowsService,
      executorServices,
      filesService,
      knowledgeService,
      channelsService,
      billingService,
      auditService,
    ],
  });

  const ask: Shop['ask'] = async (token, line, body) => {
    const [method, path] = line.split(' ');
    const response = await fetch(`${t.url}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  };

  const shop: Shop = {
    t,
    provider,
    ask,
    tenant: () => registerTenant(t),
    async deliver({ body, signature }) {
      const response = await fetch(`${t.url}/webhooks/billing-provider`, {
        method: 'POST',
        headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature },
        body,
      });
      return { status: response.status, body: (await response.json()) as Answer['body'] };
    },
    subscription: ({ tenant, user }) => t.call('billing.subscription', {}, { tenant_id: tenant.id, user_id: user.id }),
    settled: (id) =>
      until(`event ${id} is done`, async () => {
        const found = await t.app.db
          .collection<{ _id: string; state: string; note: string }>('billing_events')
          .findOne({ _id: id });
        return found?.state === 'done' ? found.note : null;
      }),
    audited: async ({ tenant, user }, action) =>
      (await t.call('audit.list', { action }, { tenant_id: tenant.id, user_id: user.id })).data,
    async subscriber(plan) {
      const who = await shop.tenant();
      const { body } = await ask(who.token, 'POST /api/v1/billing/checkout', { plan });
      const held = provider.pay(body.session_id);
      const event = provider.checkoutEvent(body.session_id);
      await shop.deliver(event);
      await shop.settled(event.id);
      return { who, held };
    },
    async close() {
      await t.close();
      await provider.close();
    },
  };
  return shop;
}

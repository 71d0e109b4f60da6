import type { ServiceSchema } from 'moleculer';
import { errorMessage } from '../../lib/errors';
import { limitsOf, loadPlans, PLAN_NAMES } from '../../lib/plans';
import { defineService, type ServiceContext } from '../../mixins/service';
import type { App } from '../app';
import { Chores } from './chores';
import { Events } from './events';
import { notConfigured } from './faults';
import { endGrace } from './grace';
import { Lease } from './lease';
import { billingModels, createBillingIndexes } from './models';
import { openProvider } from './provider';
import { sales } from './sales';
import { verifiedEvent } from './signature';
import { Subscriptions } from './subscriptions';
import { telling } from './telling';
import { syncing } from './sync';
import { sumsOf, usageOf } from './usage';

const METRIC_DAYS = 30;
const TITLES = { free: 'Free', pro: 'Pro', enterprise: 'Enterprise' } as const;

/** What tenants pay for: plans, where to buy them, and what the payment provider tells. */
export const billingService = (app: App): ServiceSchema => {
  const { clock, config } = app;
  const plans = loadPlans(config.plansFile);
  const models = billingModels(app.db);
  const subscriptions = new Subscriptions(models.subscriptions, clock);
  const events = new Events(models.events, clock);
  const provider = openProvider(config.billing);
  const shop = sales(config, provider, subscriptions);
  const { sync } = syncing({ app, subscriptions, provider, prices: shop.prices, tell });
  const chores = new Chores({
    clock,
    lease: new Lease(models.leases, app.nodeId, clock),
    events,
    subscriptions,
    sync,
    tell: telling(subscriptions),
    endGrace: (context, overdue) => endGrace({ subscriptions, tell }, context, overdue),
  });
  let service: ServiceContext;

  return defineService(app, 'billing', {
    actions: {
      plans: {
        access: 'member',
        summary: 'The ladder of plans, with their limits',
        params: {},
        handle: () => ({
          data: PLAN_NAMES.map((name) => ({
            name,
            title: TITLES[name],
            limits: limitsOf(plans, name),
            available: shop.sells(name),
          })),
        }),
      },
      subscription: {
        access: 'member',
        summary: "The tenant's plan, its limits, and what of them is used",
        params: {},
        async handle({ tenantId, call }) {
          const [record, standing] = await Promise.all([
            subscriptions.of(tenantId),
            usageOf(call, tenantId, clock.now()),
          ]);
          const { period_end: until, cancel_at_period_end: ends } = record;
          return {
            ...standing,
            status: record.status,
            renews_at: shop.renews(record) ? (until?.toISOString() ?? null) : null,
            ends_at: ends ? (until?.toISOString() ?? null) : null,
            grace_until: record.grace?.until.toISOString() ?? null,
            notices: record.notices,
          };
        },
      },
      metrics: {
        access: 'member',
        summary: 'What the tenant has used, against its limits and day by day',
        params: {},
        async handle({ tenantId, call }) {
          const [standing, { data }] = await Promise.all([
            usageOf(call, tenantId, clock.now()),
            call('executions.figures', { days: METRIC_DAYS }, { asServiceOf: tenantId }),
          ]);
          return { ...standing, ...sumsOf(data), days: data };
        },
      },
      checkout: {
        access: 'owner',
        summary: 'A page of the provider on which to subscribe to a plan',
        params: { plan: { type: 'enum', values: ['pro', 'enterprise'] } },
        handle: ({ params, tenantId, principal }) => shop.checkout(tenantId, params.plan, principal?.email ?? null),
      },
      portal: {
        access: 'owner',
        summary: 'A page of the provider with bills, and on which to change or cancel the subscription',
        params: {},
        handle: ({ tenantId }) => shop.portal(tenantId),
      },
      receive: {
        access: 'internal',
        summary: 'Keeps an event of the provider; what it changes, and starts, follows',
        params: { headers: { type: 'record', key: 'string', value: 'string' }, raw: 'string' },
        async handle({ params: { headers, raw } }) {
          const { webhookSecret } = config.billing;
          if (webhookSecret === null) throw notConfigured('BILLING_PROVIDER_WEBHOOK_SECRET');
          const body = Buffer.from(raw, 'base64');
          if (await events.keep(verifiedEvent(body, headers['stripe-signature'], webhookSecret, clock.now())))
            chores.kick();
          return { received: true as const };
        },
      },
      allowance: {
        access: 'internal',
        summary: 'Executions a month, and days of history, that a grace still allows',
        params: {},
        async handle({ tenantId }) {
          const { grace } = await subscriptions.of(tenantId);
          if (grace === null || grace.until.getTime() <= clock.now())
            return { executions_per_month: 0, history_days: 0 };
          const { executions_per_month, history_days } = limitsOf(plans, grace.from);
          // A plan that says 0 keeps them for ever.
          return { executions_per_month, history_days: history_days === 0 ? null : history_days };
        },
      },
    },
    async started(context) {
      service = context;
      await createBillingIndexes(models);
      chores.start(context);
    },
    async stopped() {
      await chores.stop();
      provider?.close();
    },
  });

  /** Mails to the owners. What they tell of has happened, whether they arrive or not. */
  function tell(tenantId: string, subject: string, text: string): void {
    const { mailer } = app;
    if (mailer === null) return;
    const send = async (): Promise<void> => {
      const { data } = await service.call('auth.owners', {}, { asServiceOf: tenantId });
      await Promise.all(data.map(({ email }) => mailer.send({ to: email, subject, text })));
    };
    void send().catch((fault: unknown) =>
      service.log.warn(`The owners of tenant ${tenantId} were not told by mail: ${errorMessage(fault)}`),
    );
  }
};

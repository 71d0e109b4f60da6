import { billingContract } from '../../contracts/billing';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import type { Db } from 'mongodb';
import { errorMessage } from '../../lib/errors';
import { LeaderLock } from '../../lib/leader-lock';
import { limitsOf, loadPlans, PLAN_NAMES } from '../../lib/plans';
import { defineService, type ServiceContext } from '../../mixins/service';
import { type App, appOf } from '../app';
import { BackgroundJobs } from './background-jobs';
import { Events } from './events';
import { endGrace } from './grace-period';
import { billingModels, createBillingIndexes } from './models';
import { notConfigured, openProvider } from './provider';
import { isEntitled } from './rules';
import { sales } from './sales';
import { verifiedEvent } from './signature';
import { Subscriptions } from './subscriptions';
import { notifyWorkflows } from './notify-workflows';
import { subscriptionSync } from './sync';
import { sumsOf, usageOf } from './usage';
import { catalogueOf } from '../../lib/page';

const METRIC_DAYS = 30;
const TITLES = { free: 'Free', pro: 'Pro', enterprise: 'Enterprise' } as const;

/** Plans, subscriptions and usage of tenants, kept in sync with the payment provider. */
export const billingService = (app: App): ServiceSchema => {
  const { clock, config } = app;
  const plans = loadPlans(config.plansFile);
  const models = billingModels(app.db);
  const subscriptions = new Subscriptions(models.subscriptions, clock);
  const events = new Events(models.events, clock);
  const provider = openProvider(config.billing);
  const shop = sales(config, provider, subscriptions);
  const sync = subscriptionSync({ app, subscriptions, provider, prices: shop.prices, notify });
  const jobs = new BackgroundJobs({
    clock,
    lock: new LeaderLock(app.db.db as unknown as Db, 'billing', app.nodeId, clock),
    events,
    subscriptions,
    sync,
    notify: notifyWorkflows(subscriptions),
    endGrace: (context, overdue) => endGrace({ subscriptions, notify }, context, overdue),
  });
  let service: ServiceContext;

  return defineService(app, billingContract, {
    handlers: {
      plans: ({ params }) =>
        catalogueOf(
          PLAN_NAMES.map((name) => ({
            name,
            title: TITLES[name],
            limits: limitsOf(plans, name),
            available: shop.sells(name),
          })),
          params,
        ),
      async subscription({ tenantId, call }) {
        const [record, usage] = await Promise.all([subscriptions.of(tenantId), usageOf(call, tenantId, clock.now())]);
        const periodEnd = record.period_end?.toISOString() ?? null;
        return {
          ...usage,
          status: record.status,
          renews_at: shop.renews(record) ? periodEnd : null,
          ends_at: record.cancel_at_period_end ? periodEnd : null,
          grace_until: record.grace?.until.toISOString() ?? null,
          notices: record.notices,
        };
      },
      async metrics({ tenantId, call }) {
        const [usage, { data }] = await Promise.all([
          usageOf(call, tenantId, clock.now()),
          call('executions.figures', { days: METRIC_DAYS }, { asServiceOf: tenantId }),
        ]);
        return { ...usage, ...sumsOf(data), days: data };
      },
      checkout: ({ params, tenantId, principal }) => shop.checkout(tenantId, params.plan, principal?.email ?? null),
      portal: ({ tenantId }) => shop.portal(tenantId),
      async receive({ params: { headers, raw } }) {
        const { webhookSecret } = config.billing;
        if (webhookSecret === null) throw notConfigured('BILLING_PROVIDER_WEBHOOK_SECRET');
        const body = Buffer.from(raw, 'base64');
        if (await events.store(verifiedEvent(body, headers['stripe-signature'], webhookSecret, clock.now())))
          jobs.trigger();
        return { received: true as const };
      },
      async tenant_usage({ tenantId, call }) {
        const [record, { limits, usage }] = await Promise.all([
          subscriptions.of(tenantId),
          usageOf(call, tenantId, clock.now()),
        ]);
        return { limits, usage, status: record.status, sold: isEntitled(record) };
      },
      async allowance({ tenantId }) {
        const { grace } = await subscriptions.of(tenantId);
        if (grace === null || grace.until.getTime() <= clock.now()) return { executions_per_month: 0, history_days: 0 };
        const { executions_per_month, history_days } = limitsOf(plans, grace.from);
        // 0 in a plan means no limit.
        return { executions_per_month, history_days: history_days === 0 ? null : history_days };
      },
    },
    async started(context) {
      service = context;
      await createBillingIndexes(models);
      jobs.start(context);
    },
    async stopped() {
      await jobs.stop();
      provider?.close();
    },
  });

  /** Sends mail to the owners in the background. The change that it reports is already stored. */
  function notify(tenantId: string, subject: string, text: string): void {
    const { mailer } = app;
    if (mailer === null) return;
    const send = async (): Promise<void> => {
      const { data } = await service.call('auth.owners', {}, { asServiceOf: tenantId });
      await Promise.all(data.map(({ email }) => mailer.send({ to: email, subject, text })));
    };
    void send().catch((fault: unknown) =>
      service.log.warn(`Mail to the owners of tenant ${tenantId} was not sent: ${errorMessage(fault)}`),
    );
  }
};

export default (broker: ServiceBroker): ServiceSchema => billingService(appOf(broker));

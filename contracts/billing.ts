import { providerParams } from './channels/params';
import { contract } from './contract';
import { DayFigures } from './executions/views';
import { pageParams } from '../lib/page';
import { LIMIT_NAMES, PLAN_NAMES } from '../lib/plans';
import * as s from '../lib/schema';

/** The states of a subscription at the provider; `none`: there never was one. */
export const SUBSCRIPTION_STATUSES = [
  'none',
  'active',
  'trialing',
  'past_due',
  'unpaid',
  'canceled',
  'incomplete',
  'incomplete_expired',
  'paused',
] as const;

export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/** Null: no limit. */
const PLAN_LIMITS = s.object({
  active_workflows: s.number.nullable(),
  concurrent_executions: s.number.nullable(),
  datasets: s.number.nullable(),
  executions_per_month: s.number.nullable(),
  history_days: s.number.nullable(),
  knowledge_base_mb: s.number.nullable(),
  members: s.number.nullable(),
  storage_mb: s.number.nullable(),
});

const PlanView = s.named(
  'PlanView',
  s.object({
    name: s.words(...PLAN_NAMES),
    title: s.text,
    limits: PLAN_LIMITS,
    available: s.boolean,
  }),
  'A plan. `available`: it can be bought here.',
);

export const Notice = s.named(
  'Notice',
  s.object({
    id: s.text,
    at: s.text,
    kind: s.words('grace_began', 'plan_changed', 'workflows_disabled'),
    message: s.text,
    workflows: s
      .array(
        s.object({
          id: s.text,
          name: s.text,
        }),
      )
      .optional()
      .about('Only of `workflows_disabled`: which.'),
  }),
  'A notice to the tenant about its plan. Times are RFC 3339.',
);
export type Notice = s.Infer<typeof Notice>;

export const SubscriptionView = s.named(
  'SubscriptionView',
  s.object({
    plan: s.text,
    status: s.words(...SUBSCRIPTION_STATUSES),
    limits: PLAN_LIMITS.about('Those that apply: of the plan, or agreed for this tenant instead.'),
    overrides: s
      .array(
        s.object({
          limit: s.words(...LIMIT_NAMES),
          plan_value: s.number.nullable().about('What the plan allows; null for any number.'),
          expires_at: s.text.nullable(),
        }),
      )
      .about('The limits that are agreed for this tenant beside its plan.'),
    usage: s
      .object({
        active_workflows: s.number,
        executions_per_month: s.number,
        members: s.number,
        knowledge_base_mb: s.number,
        storage_mb: s.number,
      })
      .about('What of the limits is used, by their names.'),
    period: s
      .object({
        start: s.text,
        end: s.text,
      })
      .about('The month by which executions are counted.'),
    renews_at: s.text.nullable().about('When the next payment is due; null without one.'),
    ends_at: s.text.nullable().about('When the subscription ends, where it has been cancelled; null otherwise.'),
    grace_until: s.text
      .nullable()
      .about(
        'The end of the grace period after a downgrade, during which the former limits apply; null: there is none.',
      ),
    notices: s.array(Notice),
  }),
);
export type SubscriptionView = s.Infer<typeof SubscriptionView>;

export const MetricsView = s.named(
  'MetricsView',
  SubscriptionView.pick('plan', 'limits', 'overrides', 'usage', 'period').extend({
    executions: DayFigures.pick('total', 'running', 'completed', 'failed', 'cancelled').about('Sums over the days.'),
    steps: s.number,
    tokens: s.number,
    cost_usd: s.number,
    days: s.array(DayFigures).about('The last thirty, in UTC, today last.'),
  }),
  'What a tenant has used: in the month by which limits count, and day by day.',
);
export type MetricsView = s.Infer<typeof MetricsView>;

export const billingContract = contract('billing', {
  plans: {
    rest: 'GET /api/v1/billing/plans',
    access: 'viewer',
    paged: 'catalogue',
    repeatable: true,
    integrators: true,
    summary: 'The plans, with their limits',
    params: pageParams,
    result: s.listed(PlanView),
  },
  subscription: {
    rest: 'GET /api/v1/billing/subscription',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: "The tenant's plan, its limits and its usage",
    params: {},
    result: SubscriptionView,
  },
  metrics: {
    rest: 'GET /api/v1/metrics',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: "The tenant's usage, against its limits and day by day",
    params: {},
    result: MetricsView,
  },
  checkout: {
    rest: 'POST /api/v1/billing/checkout',
    access: 'owner',
    whileSuspended: true,
    idempotency: 'replay',
    integrators: true,
    summary: 'Creates a checkout page for a plan',
    description: 'Where to pay for a plan.',
    params: { plan: { type: 'enum', values: ['pro', 'enterprise'] } },
    result: s.object({
      url: s.text,
      session_id: s.text,
    }),
    errors: ['conflict', 'provider_failed', 'provider_not_configured'],
  },
  portal: {
    rest: 'POST /api/v1/billing/portal',
    access: 'owner',
    whileSuspended: true,
    integrators: true,
    summary: 'Creates a page for invoices, plan changes and cancellation',
    description: 'Where to see bills, change the plan, cancel.',
    params: {},
    result: s.object({
      url: s.text,
    }),
    errors: ['conflict', 'provider_failed', 'provider_not_configured'],
  },
  receive: {
    access: 'gateway',
    repeatable: true,
    summary: 'Keeps an event of the provider; what it changes, and starts, follows',
    description: 'An event of the provider, kept when this answers.',
    params: providerParams,
    result: s.object({
      received: s.constant(true),
    }),
    errors: ['invalid_json', 'unauthenticated', 'provider_not_configured'],
  },
  /** What the tenant uses of its limits, and whether its plan is that of a valid subscription. */
  tenant_usage: {
    access: 'internal',
    repeatable: true,
    summary: 'What the tenant uses of its limits, and the status of its subscription',
    params: {},
    result: s.typed<Pick<MetricsView, 'limits' | 'usage'> & { status: string; sold: boolean }>(),
  },
  /** What a higher plan still allows while its grace lasts: executions a month, and days of history. 0 where there is no grace, null for any number. */
  allowance: {
    access: 'internal',
    repeatable: true,
    summary: 'Executions a month, and days of history, that a grace still allows',
    params: {},
    result: s.typed<{
      executions_per_month: number | null;
      history_days: number | null;
    }>(),
  },
});

import { actions } from '../contract';
import { id } from '../rules';
import { TenantView } from './accounts';
import { maybe } from './params';
import { MAX_PAGE_ROWS } from '../../lib/page';
import { LIMIT_NAMES, PLAN_NAMES } from '../../lib/plans';
import * as s from '../../lib/schema';

const OperatorTenantRow = s.named(
  'OperatorTenantRow',
  TenantView.pick('id', 'slug', 'name', 'plan', 'organization_id', 'suspended', 'created_at').extend({
    members: s.number.about('Active ones.'),
    active_workflows: s.number,
    executions_this_month: s.number.about('Those that count for the plan.'),
  }),
  'A tenant, as operators see it in a list.',
);
export type OperatorTenantRow = s.Infer<typeof OperatorTenantRow>;

const OperatorTenantView = s.named(
  'OperatorTenantView',
  TenantView.extend({
    owners: s.array(s.text).about('Their e-mail addresses.'),
    limits: s.record(s.number.nullable()).about('Those that apply. Null: unlimited.'),
    plan_limits: s.record(s.number.nullable()).about('Those of its plan.'),
    overrides: s
      .array(
        s.object({
          limit: s.words(...LIMIT_NAMES),
          value: s.number.nullable(),
          expires_at: s.text.nullable(),
          note: s.text,
          set_at: s.text,
        }),
      )
      .about('The limits that replace those of the plan, also expired ones.'),
    usage: s.record(s.number),
    subscription: s.text.about('Its status at the payment provider; `none` without one.'),
    plan_is_sold: s.boolean.about('The subscription decides the plan, so operators cannot change it.'),
  }),
  'A tenant with its limits and what it uses of them.',
);

const reason = { type: 'string', trim: true, min: 1, max: 500 } as const;
const limit = { type: 'enum', values: [...LIMIT_NAMES] } as const;
const plan = { type: 'enum', values: [...PLAN_NAMES] } as const;

export const operatorActions = actions({
  operator_tenants: {
    rest: 'GET /api/v1/operator/tenants',
    access: 'operator',
    repeatable: true,
    summary: 'The tenants by slug; `q`: a part of the slug or the name, or an id',
    params: {
      q: { type: 'string', max: 200, optional: true },
      plan: { ...plan, optional: true },
      limit: { type: 'number', integer: true, min: 1, max: MAX_PAGE_ROWS, convert: true, optional: true },
      cursor: { type: 'string', min: 1, max: 256, optional: true },
    },
    result: s.object({ data: s.array(OperatorTenantRow), next_cursor: s.text.nullable() }),
  },
  operator_tenant: {
    rest: 'GET /api/v1/operator/tenants/:id',
    access: 'operator',
    repeatable: true,
    summary: 'A tenant with its limits and its usage',
    params: { id },
    result: OperatorTenantView,
    errors: ['not_found'],
  },
  operator_set_plan: {
    rest: 'PUT /api/v1/operator/tenants/:id/plan',
    access: 'operator',
    repeatable: true,
    summary: 'Changes the plan of a tenant; the audit log of the tenant has the reason, too',
    description:
      'Not where a subscription decides the plan. What exceeds the limits of a smaller plan stays, and no more is admitted.',
    params: { id, plan, reason },
    result: OperatorTenantView,
    errors: ['conflict', 'not_found'],
  },
  operator_set_limit: {
    rest: 'PUT /api/v1/operator/tenants/:id/limits/:limit',
    access: 'operator',
    repeatable: true,
    summary: 'Sets one limit of a tenant instead of that of its plan; the audit log of the tenant has the note, too',
    description:
      '`value`: null for no limit. `expires_at`: from then on the limit of the plan applies; without it, until the limit is removed. What exceeds a smaller limit stays, and no more is admitted.',
    params: {
      id,
      limit,
      value: { type: 'number', integer: true, min: 0, max: Number.MAX_SAFE_INTEGER, nullable: true },
      expires_at: { type: 'string', min: 1, max: 40, ...maybe },
      note: reason,
    },
    result: OperatorTenantView,
    errors: ['not_found'],
  },
  operator_remove_limit: {
    rest: 'DELETE /api/v1/operator/tenants/:id/limits/:limit',
    access: 'operator',
    repeatable: true,
    summary: 'Gives a tenant the limit of its plan again',
    params: { id, limit },
    result: OperatorTenantView,
    errors: ['not_found'],
  },
  operator_suspend: {
    rest: 'POST /api/v1/operator/tenants/:id/suspend',
    access: 'operator',
    repeatable: true,
    summary: 'Suspends a tenant: no run starts or goes on, and its members only read; they see the reason',
    description:
      'Starts and changes answer 423 `tenant_suspended`. Steps in flight finish, then their runs wait until the tenant is reopened. Deadlines of runs and timers count on.',
    params: { id, reason },
    result: OperatorTenantView,
    errors: ['conflict', 'not_found'],
  },
  operator_reopen: {
    rest: 'POST /api/v1/operator/tenants/:id/reopen',
    access: 'operator',
    repeatable: true,
    summary: 'Ends the suspension of a tenant: its runs go on, and new ones start',
    params: { id, reason },
    result: OperatorTenantView,
    errors: ['conflict', 'not_found'],
  },
});

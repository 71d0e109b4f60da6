import { literalPattern } from '../../../lib/text-patterns';
import { AppError } from '../../../lib/errors';
import { isUuid } from '../../../lib/ids';
import { DEFAULT_PAGE_ROWS } from '../../../lib/page';
import { type LimitName, limitsOf, overridesIn } from '../../../lib/plans';
import { auditedByOperator } from '../../../mixins/audit/operators';
import type { ActionContext, Handlers } from '../../../mixins/service';
import type { Call, ParamsOf, ResultOf } from '../../../contracts/catalogue';
import type { OperatorTenantRow } from '../../../contracts/auth/operator';
import type { AuthDeps } from '../deps';
import { expiryOf } from '../expiry';
import type { TenantDoc, TenantLimit } from '../models';
import { tenantView } from '../views';

type Actions = Pick<
  Handlers<'auth'>,
  | 'operator_tenants'
  | 'operator_tenant'
  | 'operator_set_plan'
  | 'operator_set_limit'
  | 'operator_remove_limit'
  | 'operator_suspend'
  | 'operator_reopen'
>;

const MAX_QUERY_MS = 10_000;

/** What operators of the installation see and change of tenants. */
export function operatorActions(parts: AuthDeps): Actions {
  const { app, models } = parts;

  const tenantOf = async (id: string): Promise<TenantDoc> => {
    const tenant = await models.tenants.findById(id).lean();
    if (tenant === null) throw new AppError('not_found', `There is no tenant ${id}`);
    return tenant;
  };

  const viewOf = async (call: Call, id: string): Promise<ResultOf<'auth.operator_tenant'>> => {
    const tenant = await tenantOf(id);
    const asService = { asServiceOf: id };
    const [owners, { limits, usage, status, sold }] = await Promise.all([
      call('auth.owners', {}, asService),
      call('billing.tenant_usage', {}, asService),
    ]);
    return {
      ...tenantView(tenant),
      owners: owners.data.map(({ email }) => email),
      limits: { ...limits },
      plan_limits: { ...limitsOf(parts.plans, tenant.plan) },
      overrides: overridesIn(tenant.limits ?? {}).map(({ limit, override: { value, note, expires_at, set_at } }) => ({
        limit,
        value,
        expires_at: expires_at?.toISOString() ?? null,
        note,
        set_at: set_at.toISOString(),
      })),
      usage: { ...usage },
      subscription: status,
      plan_is_sold: sold,
    };
  };

  /** Suspends or reopens a tenant, once; resolves when every process knows. @throws AppError conflict when it is so already */
  const setSuspended = async (
    ctx: ActionContext<'auth.operator_suspend' | 'auth.operator_reopen'>,
    suspended: TenantDoc['suspended'],
  ): Promise<ResultOf<'auth.operator_tenant'>> => {
    const { id, reason } = ctx.params;
    const tenant = await tenantOf(id);
    const isSuspended = suspended !== undefined;
    const now = { suspended: tenant.suspended !== undefined };
    if (now.suspended === isSuspended)
      throw new AppError('conflict', `The tenant is ${isSuspended ? 'suspended already' : 'not suspended'}`);
    const change = {
      action: isSuspended ? 'tenant.suspend' : 'tenant.reopen',
      target: { type: 'tenant', id, name: tenant.slug },
      before: now,
      after: { suspended: isSuspended, reason },
    };
    await auditedByOperator(app.audit, ctx, id, change, () =>
      models.tenants.updateOne({ _id: id }, isSuspended ? { $set: { suspended } } : { $unset: { suspended: 1 } }),
    );
    await parts.changed(`auth:tenant:${id}`);
    return viewOf(ctx.call, id);
  };

  /** Sets a limit of a tenant instead of that of its plan, or removes it; resolves when every process knows. */
  const setLimit = async (
    ctx: ActionContext<'auth.operator_set_limit' | 'auth.operator_remove_limit'>,
    set: TenantLimit | null,
  ): Promise<ResultOf<'auth.operator_tenant'>> => {
    const { id, limit } = ctx.params;
    const tenant = await tenantOf(id);
    const change = {
      action: set === null ? 'tenant.remove_limit' : 'tenant.set_limit',
      target: { type: 'tenant', id, name: tenant.slug },
      before: stateOf(limit, tenant.limits?.[limit]),
      after: stateOf(limit, set),
    };
    const update = set === null ? { $unset: { [`limits.${limit}`]: 1 } } : { $set: { [`limits.${limit}`]: set } };
    await auditedByOperator(app.audit, ctx, id, change, () => models.tenants.updateOne({ _id: id }, update));
    await parts.changed(`auth:tenant:${id}`);
    return viewOf(ctx.call, id);
  };

  return {
    async operator_tenants({ params, call }) {
      const { limit = DEFAULT_PAGE_ROWS } = params;
      const found = await models.tenants
        .find(filterOf(params))
        .sort({ slug: 1 })
        .limit(limit + 1)
        .maxTimeMS(MAX_QUERY_MS)
        .lean();
      const page = found.slice(0, limit);
      return {
        data: await Promise.all(page.map((tenant) => rowOf(parts, call, tenant))),
        next_cursor: found.length > limit ? (page.at(-1)?.slug ?? null) : null,
      };
    },
    operator_tenant: ({ params, call }) => viewOf(call, params.id),
    async operator_set_plan(ctx) {
      const { id, plan, reason } = ctx.params;
      const tenant = await tenantOf(id);
      const { sold } = await ctx.call('billing.tenant_usage', {}, { asServiceOf: id });
      if (sold)
        throw new AppError(
          'conflict',
          'The subscription of this tenant decides its plan: change the subscription at the payment provider',
        );
      if (tenant.plan === plan) return viewOf(ctx.call, id);
      const change = {
        action: 'tenant.set_plan',
        target: { type: 'tenant', id, name: tenant.slug },
        before: { plan: tenant.plan },
        after: { plan, reason },
      };
      await auditedByOperator(app.audit, ctx, id, change, () =>
        ctx.call('auth.set_plan', { plan }, { asServiceOf: id }),
      );
      return viewOf(ctx.call, id);
    },
    operator_set_limit(ctx) {
      const { value, note, expires_at } = ctx.params;
      const now = app.clock.now();
      return setLimit(ctx, { value, note, expires_at: expiryOf(expires_at, now), set_at: new Date(now) });
    },
    async operator_remove_limit(ctx) {
      const { id, limit } = ctx.params;
      if ((await tenantOf(id)).limits?.[limit] !== undefined) return setLimit(ctx, null);
      throw new AppError('not_found', `The tenant has no limit of its own for ${limit}`);
    },
    operator_suspend: (ctx) => setSuspended(ctx, { since: new Date(app.clock.now()), reason: ctx.params.reason }),
    operator_reopen: (ctx) => setSuspended(ctx, undefined),
  };
}

/** A limit of a tenant as the audit log has it; null: that of the plan. */
const stateOf = (limit: LimitName, own: TenantLimit | null | undefined) =>
  own === null || own === undefined
    ? null
    : { [limit]: own.value, expires_at: own.expires_at?.toISOString() ?? null, note: own.note };

function filterOf({ q, plan, cursor }: ParamsOf<'auth.operator_tenants'>) {
  const text = q?.trim() ?? '';
  const part = { $regex: literalPattern(text), $options: 'i' };
  const named = isUuid(text) ? { _id: text } : { $or: [{ slug: part }, { name: part }] };
  return {
    ...(text === '' ? {} : named),
    ...(plan === undefined ? {} : { plan }),
    ...(cursor === undefined ? {} : { slug: { $gt: cursor } }),
  };
}

async function rowOf(parts: AuthDeps, call: Call, tenant: TenantDoc): Promise<OperatorTenantRow> {
  const asService = { asServiceOf: tenant._id };
  const [members, { active }, { executions }] = await Promise.all([
    parts.memberQuota.taken(tenant._id),
    call('workflows.beyond', { keep: Number.MAX_SAFE_INTEGER }, asService),
    call('executions.usage', {}, asService),
  ]);
  const { id, slug, name, plan, organization_id, suspended, created_at } = tenantView(tenant);
  return {
    id,
    slug,
    name,
    plan,
    organization_id,
    suspended,
    created_at,
    members,
    active_workflows: active,
    executions_this_month: executions,
  };
}

import type { Model } from 'mongoose';
import { auditedBy, recordedBy } from '../../mixins/audit';
import type { Handlers } from '../../mixins/service';
import { ofTenant } from '../../lib/tenant';
import type { App } from '../app';
import type { WorkflowRecord } from './models';
import type { WorkflowStore } from './store';

/** Workflows in one response. The caller disables them and calls again. */
const MAX_LISTED = 50;
const ACTIVE = { enabled: true, status: 'active', deleted_at: null } as const;

type Actions = Pick<Handlers<'workflows'>, 'beyond' | 'suspend'>;

/** Enforces a plan downgrade on a tenant's workflows. */
export const planLimitActions = (app: App, workflows: Model<WorkflowRecord>, store: WorkflowStore): Actions => ({
  async beyond({ params: { keep }, tenantId }) {
    const own = ofTenant(workflows, tenantId);
    const active = await own.count(ACTIVE);
    const limit = Math.min(MAX_LISTED, active - keep);
    if (limit <= 0) return { active, data: [] };
    const newest = await own.find(ACTIVE, { sort: { created_at: -1, _id: 1 }, limit, fields: ['name'] });
    return { active, data: newest.map(({ _id, name }) => ({ id: _id, name })) };
  },
  async suspend(ctx) {
    const { tenantId } = ctx;
    const record = await ofTenant(workflows, tenantId).findOne({ _id: ctx.params.id, deleted_at: null });
    if (record === null || !record.enabled) return;
    await store.change(
      tenantId,
      record._id,
      ({ enabled }) => (enabled ? { enabled: false } : {}),
      // A disabled workflow does not count against the limit.
      () => Promise.resolve(null),
      {
        action: 'workflow.disable',
        recorded: recordedBy(app.audit, auditedBy(ctx)),
        more: { reason: 'plan' },
      },
    );
  },
});

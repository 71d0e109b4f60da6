import type { Model } from 'mongoose';
import { auditedBy, recordedBy } from '../../mixins/audit';
import type { ServiceDefinition } from '../../mixins/service';
import { ofTenant } from '../../mixins/tenant';
import type { App } from '../app';
import type { WorkflowRecord } from './models';
import * as params from './params';
import type { WorkflowStore } from './store';

/** Shown at a time: who disables them asks again. */
const MOST = 50;
const ACTIVE = { enabled: true, status: 'active', deleted_at: null } as const;

type Menu = Pick<ServiceDefinition<'workflows'>['actions'], 'beyond' | 'suspend'>;

/** What is done to a tenant's workflows when his plan allows fewer. */
export const beyondPlan = (app: App, workflows: Model<WorkflowRecord>, store: WorkflowStore): Menu => ({
  beyond: {
    access: 'internal',
    summary: 'How many workflows are active, and the newest of those beyond a number',
    params: { keep: { type: 'number', integer: true, min: 0 } },
    async handle({ params: { keep }, tenantId }) {
      const own = ofTenant(workflows, tenantId);
      const active = await own.count(ACTIVE);
      const limit = Math.min(MOST, active - keep);
      if (limit <= 0) return { active, data: [] };
      const newest = await own.find(ACTIVE, { sort: { created_at: -1, _id: 1 }, limit, fields: ['name'] });
      return { active, data: newest.map(({ _id, name }) => ({ id: _id, name })) };
    },
  },
  suspend: {
    access: 'internal',
    summary: 'Disables a workflow that is beyond the plan; one that is not there or not enabled is left alone',
    params: { id: params.id },
    async handle(ctx) {
      const { tenantId } = ctx;
      const record = await ofTenant(workflows, tenantId).findOne({ _id: ctx.params.id, deleted_at: null });
      if (record === null || !record.enabled) return;
      await store.change(
        tenantId,
        record._id,
        ({ enabled }) => (enabled ? { enabled: false } : {}),
        // A workflow that is disabled needs no place.
        () => Promise.resolve(null),
        {
          action: 'workflow.disable',
          recorded: recordedBy(app.audit, auditedBy(ctx)),
          more: { reason: 'plan' },
        },
      );
    },
  },
});

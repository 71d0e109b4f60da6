import type { JsonObject } from '../../../lib/json';
import { auditedBy } from '../../../mixins/audit';
import type { ActionContext, ActionDefinition } from '../../../mixins/service';
import type { App } from '../../app';
import type { ActionName } from '../../catalogue';
import type { WorkflowView } from '../contract';
import { id, listParams } from '../params';
import type { WorkflowStore } from '../store';
import type { VersionRow, VersionView } from './contract';
import { compareDsl } from './diff';
import { type VersionRecord, versionModel } from './model';
import { VersionStore } from './store';

const DEFAULT_PAGE = 50;
const CURRENT = 'current';

type VersionMenu = 'save_version' | 'versions' | 'version' | 'restore_version' | 'compare_versions';

/** A part of the service's menu. */
type Menu = { readonly [N in VersionMenu]: ActionDefinition<Extract<ActionName, `workflows.${N}`>> };

/** What the rest of the service gives to this part. */
interface Surroundings {
  readonly workflows: WorkflowStore;
  readonly update: (ctx: ActionContext<'workflows.update'>) => Promise<WorkflowView>;
}

const number = { type: 'number', integer: true, min: 1, max: 1_000_000_000, convert: true } as const;
const which = { type: 'string', pattern: /^(?:current|[1-9]\d{0,8})$/ } as const;

/** The part of the service that is about versions: what people save on purpose, to compare and to go back to. */
export function versions(app: App, { workflows, update }: Surroundings) {
  const model = versionModel(app.db);
  const store = new VersionStore(model);

  async function dslOf(tenantId: string, workflowId: string, version: string): Promise<JsonObject> {
    const { dsl } =
      version === CURRENT
        ? await workflows.get(tenantId, workflowId)
        : await store.get(tenantId, workflowId, Number(version));
    // Stored as text by whoever checked it.
    return JSON.parse(dsl) as JsonObject;
  }

  const menu: Menu = {
    save_version: {
      access: 'member',
      summary: 'Saves the DSL as it is now as the next version',
      params: { id, message: { type: 'string', trim: true, max: 1_000, optional: true } },
      async handle(ctx) {
        const { params, tenantId, principal } = ctx;
        const workflow = await workflows.get(tenantId, params.id);
        const message = params.message === undefined || params.message === '' ? null : params.message;
        const target = { type: 'workflow', id: workflow._id, name: workflow.name };
        const change = { action: 'workflow.save_version', target, after: { dsl_hash: workflow.dsl_hash, message } };
        const saved = {
          message,
          created_by: principal?.user_id ?? 'service',
          created_at: new Date(app.clock.now()),
        };
        return toView(await app.audit.audited(auditedBy(ctx), change, () => store.save(workflow, saved)));
      },
    },
    versions: {
      access: 'member',
      summary: 'Versions of a workflow, newest first',
      params: { ...listParams, id },
      async handle({ params: { id: workflowId, limit = DEFAULT_PAGE, offset = 0 }, tenantId }) {
        await workflows.get(tenantId, workflowId);
        const records = await store.list(tenantId, workflowId, { limit, skip: offset });
        return { data: records.map(toRow), limit, offset };
      },
    },
    version: {
      access: 'member',
      summary: 'A version with its DSL',
      params: { id, version: number },
      async handle({ params, tenantId }) {
        await workflows.get(tenantId, params.id);
        return toView(await store.get(tenantId, params.id, params.version));
      },
    },
    restore_version: {
      access: 'member',
      summary: 'Puts the DSL of a version in the place of the one that there is',
      params: { id, version: number },
      async handle(ctx) {
        const { params, tenantId } = ctx;
        await workflows.get(tenantId, params.id);
        const dsl = await dslOf(tenantId, params.id, String(params.version));
        return update({ ...ctx, tenantId, params: { id: params.id, dsl } });
      },
    },
    compare_versions: {
      access: 'member',
      summary: 'What leads from one version to another',
      params: { id, from: which, to: which },
      async handle({ params, tenantId }) {
        const { id: workflowId, from, to } = params;
        await workflows.get(tenantId, workflowId);
        const before = await dslOf(tenantId, workflowId, from);
        return { from, to, ...compareDsl(before, await dslOf(tenantId, workflowId, to)) };
      },
    },
  };

  return {
    menu,
    createIndexes: () => model.createIndexes(),
    removeAll: (tenantId: string, workflowId: string) => store.removeAll(tenantId, workflowId),
  };
}

const toRow = ({ version, message, dsl_hash, created_by, created_at }: VersionRecord): VersionRow => ({
  version,
  message: message ?? null,
  dsl_hash,
  created_by,
  created_at: created_at.toISOString(),
});

const toView = (record: VersionRecord): VersionView => ({
  ...toRow(record),
  dsl: JSON.parse(record.dsl) as JsonObject,
});

import type { JsonObject } from '../../../lib/json';
import { auditedBy } from '../../../mixins/audit';
import type { ActionContext, Handlers } from '../../../mixins/service';
import type { App } from '../../app';
import type { WorkflowView } from '../../../contracts/workflows/views';
import type { WorkflowRecord } from '../models';
import type { WorkflowStore } from '../store';
import type { VersionRow, VersionView } from '../../../contracts/workflows/versions';
import { documentOf } from '../view';
import { compareDsl } from './diff';
import { type VersionRecord, versionModel } from './model';
import { VersionStore } from './store';
import { pageOf } from '../../../lib/page';
import { createIndexes } from '../../../lib/indexes';

const CURRENT = 'current';

type VersionActionName = 'save_version' | 'versions' | 'version' | 'restore_version' | 'compare_versions';

/** Handlers of this part of the service's actions. */
type Actions = Pick<Handlers<'workflows'>, VersionActionName>;

type SaveContext = Pick<ActionContext<'workflows.save_version'>, 'principal' | 'tenantId' | 'origin' | 'requestId'>;

/** Dependencies that the service provides. */
interface Deps {
  readonly workflows: WorkflowStore;
  readonly update: (ctx: ActionContext<'workflows.update'>) => Promise<WorkflowView>;
}

/** Actions on versions: documents that people save to compare and restore. */
export function versions(app: App, { workflows, update }: Deps) {
  const model = versionModel(app.db);
  const store = new VersionStore(model);

  async function dslOf(tenantId: string, workflowId: string, version: string): Promise<JsonObject> {
    return documentOf(
      version === CURRENT
        ? await workflows.get(tenantId, workflowId)
        : await store.get(tenantId, workflowId, Number(version)),
    );
  }

  async function save(ctx: SaveContext, workflow: WorkflowRecord, message: string | null): Promise<VersionRecord> {
    const target = { type: 'workflow', id: workflow._id, name: workflow.name };
    const change = { action: 'workflow.save_version', target, after: { dsl_hash: workflow.dsl_hash, message } };
    const saved = {
      message,
      created_by: ctx.principal?.user_id ?? 'service',
      author: ctx.principal?.email ?? null,
      created_at: new Date(app.clock.now()),
    };
    return app.audit.audited(auditedBy(ctx), change, () => store.save(workflow, saved));
  }

  const actions: Actions = {
    async save_version(ctx) {
      const { params, tenantId } = ctx;
      return toView(await save(ctx, await workflows.get(tenantId, params.id), messageOf(params.message)));
    },
    async versions({ params: { id: workflowId, ...asked }, tenantId }) {
      await workflows.get(tenantId, workflowId);
      const page = pageOf(asked);
      const records = await store.list(tenantId, workflowId, page);
      return { data: records.map(toRow), ...page };
    },
    async version({ params, tenantId }) {
      await workflows.get(tenantId, params.id);
      return toView(await store.get(tenantId, params.id, params.version));
    },
    async restore_version(ctx) {
      const { params, tenantId } = ctx;
      await workflows.get(tenantId, params.id);
      const dsl = await dslOf(tenantId, params.id, String(params.version));
      return update({ ...ctx, tenantId, params: { id: params.id, dsl } });
    },
    async compare_versions({ params, tenantId }) {
      const { id: workflowId, from, to } = params;
      await workflows.get(tenantId, workflowId);
      const before = await dslOf(tenantId, workflowId, from);
      return { from, to, ...compareDsl(before, await dslOf(tenantId, workflowId, to)) };
    },
  };

  return {
    actions,
    /** Saves a document as the next version, unless the newest version is the same with the same message. */
    async saveVersion(ctx: SaveContext, workflow: WorkflowRecord, given: string | undefined): Promise<VersionRow> {
      const message = messageOf(given);
      const [newest] = await store.list(workflow.tenant_id, workflow._id, { limit: 1, offset: 0 });
      const isSame = newest?.dsl_hash === workflow.dsl_hash && (newest.message ?? null) === message;
      return toRow(newest !== undefined && isSame ? newest : await save(ctx, workflow, message));
    },
    /** The document of a version, as text. @throws AppError not_found */
    textOf: async (tenantId: string, workflowId: string, version: number) =>
      (await store.get(tenantId, workflowId, version)).dsl,
    createIndexes: () => createIndexes(model),
    removeAll: (tenantId: string, workflowId: string) => store.removeAll(tenantId, workflowId),
  };
}

const messageOf = (given: string | undefined): string | null => (given === undefined || given === '' ? null : given);

const toRow = ({ version, message, dsl_hash, created_by, author, created_at }: VersionRecord): VersionRow => ({
  version,
  message: message ?? null,
  dsl_hash,
  created_by,
  author: author ?? null,
  created_at: created_at.toISOString(),
});

const toView = async (record: VersionRecord): Promise<VersionView> => ({
  ...toRow(record),
  dsl: await documentOf(record),
});

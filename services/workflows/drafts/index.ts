import { DOCUMENT_TOO_LARGE, documentSizeFault } from '../../../dsl';
import { assertMatch, changedSince } from '../../../lib/entity-tags';
import { AppError, errorCode, type ErrorDetail } from '../../../lib/errors';
import { randomId } from '../../../lib/ids';
import { createIndexes } from '../../../lib/indexes';
import { isObject, type JsonObject } from '../../../lib/json';
import { hashJsonSliced } from '../../../lib/json/hash-sliced';
import { stringifyJsonSliced } from '../../../lib/json/stringify-sliced';
import type { ActionContext, Handlers } from '../../../mixins/service';
import type { App } from '../../app';
import type { DraftView } from '../../../contracts/workflows/drafts';
import type { VersionRow } from '../../../contracts/workflows/versions';
import type { WorkflowView } from '../../../contracts/workflows/views';
import type { Definition } from '../definition';
import { assertNames } from '../named-workflows';
import type { WorkflowModels, WorkflowRecord } from '../models';
import type { WorkflowStore } from '../store';
import { compareDsl } from '../versions/diff';
import { documentOf, toView } from '../view';
import { type DraftRecord, draftModel } from './model';
import { PendingDrafts } from './pending';
import { DraftStore, type NewDraft } from './store';

type Actions = Pick<Handlers<'workflows'>, 'draft' | 'put_draft' | 'remove_draft' | 'diff_draft' | 'publish'>;

type CreateContext = ActionContext<'workflows.create'>;
type CreateAction = 'workflow.create' | 'workflow.import';

/** Dependencies that the service provides. */
interface Deps {
  readonly workflows: WorkflowStore;
  readonly models: Pick<WorkflowModels, 'workflows'>;
  /** The definition of a workflow that was never published. */
  readonly unpublished: (ctx: CreateContext) => Promise<Definition>;
  readonly createUnpublished: (
    ctx: CreateContext,
    definition: Definition,
    given: { readonly id: string; readonly action: CreateAction },
  ) => Promise<WorkflowView>;
  readonly warn: (message: string) => void;
  /** Makes a document the live one; `assertLive` refuses the live document before by throwing. */
  readonly publish: (
    ctx: ActionContext<'workflows.publish'>,
    id: string,
    dsl: unknown,
    assertLive: (liveHash: string) => void,
  ) => Promise<{ record: WorkflowRecord; warnings: readonly ErrorDetail[] }>;
  /** Saves the document of a workflow as its next version, unless the newest is the same with the same message. */
  readonly saveVersion: (
    ctx: ActionContext<'workflows.publish'>,
    workflow: WorkflowRecord,
    message: string | undefined,
  ) => Promise<VersionRow>;
}

/** Actions on drafts: the unpublished document of each workflow. */
export function drafts(app: App, { workflows, models, publish, saveVersion, ...deps }: Deps) {
  const model = draftModel(app.db);
  const store = new DraftStore(model);
  const pending = new PendingDrafts(model, models.workflows, app.clock, deps.warn);

  /** @throws AppError not_found */
  async function getDraft(tenantId: string, workflowId: string): Promise<DraftRecord> {
    const found = await store.find(tenantId, workflowId);
    if (found === null) throw new AppError('not_found', 'The workflow has no draft; the live document is the only one');
    return found;
  }

  /** @throws AppError payload_too_large, invalid_request */
  async function newDraft(dsl: JsonObject, base: string, principal: CreateContext['principal']): Promise<NewDraft> {
    assertSize(dsl);
    const [text, dsl_hash] = [(await stringifyJsonSliced(dsl)) ?? '{}', await hashJsonSliced(dsl)];
    const author = principal?.user_id ?? 'service';
    const now = new Date(app.clock.now());
    return {
      dsl: text,
      dsl_hash,
      base_hash: base,
      created_by: author,
      updated_by: author,
      created_at: now,
      updated_at: now,
    };
  }

  const actions: Actions = {
    async draft({ params: { id }, tenantId }) {
      const live = await workflows.get(tenantId, id);
      const found = await store.find(tenantId, id);
      return found === null ? null : viewOf(found, live);
    },
    async put_draft(ctx) {
      const { params, tenantId, principal } = ctx;
      const { id, dsl, base_hash, if_match, if_none_match } = params;
      const live = await workflows.get(tenantId, id);
      const before = await store.find(tenantId, id);
      await assertNames(ctx, workflows, dsl, [live.dsl, ...(before === null ? [] : [before.dsl])]);
      const fresh = await newDraft(dsl, live.dsl_hash, principal);
      const saved = await store.put(tenantId, id, (found) => {
        assertMatch(if_match, found?.dsl_hash ?? null, 'draft');
        if (if_none_match !== undefined && found !== null) throw changedSince(null, found.dsl_hash, 'draft');
        const { created_by, created_at } = found ?? fresh;
        return { ...fresh, base_hash: base_hash ?? found?.base_hash ?? live.dsl_hash, created_by, created_at };
      });
      return viewOf(saved, live);
    },
    async remove_draft({ params: { id, if_match }, tenantId }) {
      await workflows.get(tenantId, id);
      const found = await getDraft(tenantId, id);
      assertMatch(if_match, found.dsl_hash, 'draft');
      if (await store.remove(tenantId, found)) return;
      throw changedSince(found.dsl_hash, (await store.find(tenantId, id))?.dsl_hash ?? null, 'draft');
    },
    async diff_draft({ params: { id }, tenantId }) {
      const live = await workflows.get(tenantId, id);
      const draft = await getDraft(tenantId, id);
      const [before, after] = [await documentOf(live), await documentOf(draft)];
      const { base_hash, dsl_hash } = draft;
      return { ...compareDsl(before, after), base_hash, live_hash: live.dsl_hash, draft_hash: dsl_hash };
    },
    /**
     * One write makes the document live; the version and the removal of the draft follow. A process that dies in between
     * leaves the new document and the draft, which can be published again.
     */
    async publish(ctx) {
      const { params, tenantId } = ctx;
      const { id, draft_hash, if_match, message } = params;
      await workflows.get(tenantId, id);
      const draft = await store.find(tenantId, id);
      if (draft_hash !== undefined && draft_hash !== draft?.dsl_hash)
        throw changedSince(draft_hash, draft?.dsl_hash ?? null, 'draft');
      const dsl = params.dsl ?? (await documentOf(draft ?? (await getDraft(tenantId, id))));
      const { record, warnings } = await publish(ctx, id, dsl, (live) => {
        if (if_match !== undefined) assertMatch(if_match, live, 'workflow');
        else if (draft !== null && live !== draft.base_hash && live !== draft.dsl_hash)
          throw changedSince(draft.base_hash, live, 'workflow');
      });
      const version = await saveVersion(ctx, record, message);
      // One that was changed meanwhile stays: it is newer than what was published.
      if (draft !== null) await store.remove(tenantId, draft);
      return { workflow: await toView(record, { warnings }), version };
    },
  };

  return {
    actions,
    /** The document of the draft, as text. @throws AppError not_found */
    textOf: async (tenantId: string, workflowId: string) => (await getDraft(tenantId, workflowId)).dsl,
    /**
     * Creates a workflow with a draft alone. The draft comes first: a process that dies in between leaves no workflow
     * without its document. @throws AppError invalid_request, payload_too_large, quota_exceeded
     */
    async create(ctx: CreateContext, action: CreateAction): Promise<WorkflowView> {
      const { params, tenantId, principal } = ctx;
      if (!isObject(params.dsl)) throw new AppError('invalid_request', "The 'dsl' of a draft must be an object.");
      const [id, definition] = [randomId(), await deps.unpublished(ctx)];
      pending.expect();
      await store.putPending(tenantId, id, await newDraft(params.dsl, definition.dslHash, principal));
      const created = await deps.createUnpublished(ctx, definition, { id, action }).catch(async (fault: unknown) => {
        // After any other failure the workflow may exist all the same; the sweep finds out.
        if (errorCode(fault) === 'quota_exceeded') await store.removeAll(tenantId, id);
        throw fault;
      });
      await store.confirm(tenantId, id);
      return created;
    },
    /** The document of the draft of a workflow. @throws AppError not_found */
    documentOf: async (tenantId: string, id: string): Promise<JsonObject> => documentOf(await getDraft(tenantId, id)),
    pending,
    createIndexes: () => createIndexes(model),
    removeAll: (tenantId: string, workflowId: string) => store.removeAll(tenantId, workflowId),
  };
}

/** @throws AppError payload_too_large */
function assertSize(dsl: JsonObject): void {
  const fault = documentSizeFault(dsl);
  if (fault === null) return;
  const code = fault === DOCUMENT_TOO_LARGE ? 'payload_too_large' : 'invalid_request';
  throw new AppError(code, `The draft is ${fault}`, { details: [{ path: 'dsl', message: fault }] });
}

const viewOf = async (draft: DraftRecord, live: Pick<WorkflowRecord, 'dsl_hash'>): Promise<DraftView> => ({
  workflow_id: draft._id,
  dsl: await documentOf(draft),
  dsl_hash: draft.dsl_hash,
  base_hash: draft.base_hash,
  live_hash: live.dsl_hash,
  created_by: draft.created_by,
  updated_by: draft.updated_by,
  created_at: draft.created_at.toISOString(),
  updated_at: draft.updated_at.toISOString(),
});

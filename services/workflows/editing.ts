import { assertMatch } from '../../lib/entity-tags';
import type { ErrorDetail } from '../../lib/errors';
import { randomId } from '../../lib/ids';
import type { JsonObject } from '../../lib/json';
import { isBelow } from '../../lib/roles';
import { auditedBy, type Recorded, recordedBy } from '../../mixins/audit';
import type { ActionContext } from '../../mixins/service';
import type { App } from '../app';
import type { Call } from '../../contracts/catalogue';
import { type Edit, type Patch, edited, planFields, webhookKeyFields } from './change';
import type { WorkflowStatus, WorkflowView } from '../../contracts/workflows/views';
import type { OnRecord } from './events';
import { type Definition, type Missing, type MissingSecrets, type Names, define } from './definition';
import { missingRefs } from './missing-refs';
import { assertNames } from './named-workflows';
import type { WorkflowRecord } from './models';
import type { ActiveLimit, WorkflowStore } from './store';
import { isUnpublished } from './unpublished';
import { toView } from './view';
import { type WebhookKey, givenWebhookKey, newWebhookKey } from './webhook-key';

/** What the DSLs of a tenant may name now. */
export type NamesOf = (tenantId: string, dsl: unknown) => Promise<Names>;

type EditContext = Pick<
  ActionContext<'workflows.update'>,
  'principal' | 'tenantId' | 'call' | 'origin' | 'requestId' | 'folders'
>;

/** What a new workflow has beside what its creator gives. */
interface NewWorkflowFields {
  readonly id?: string;
  readonly enabled: boolean;
  readonly status: WorkflowStatus;
  readonly version?: number;
  readonly action?: 'workflow.create' | 'workflow.import';
}

/** Creates and changes workflows on behalf of a person. */
export const editing = (app: App, store: WorkflowStore, namesOf: NamesOf) => {
  const recorded = (ctx: EditContext): Recorded => recordedBy(app.audit, auditedBy(ctx));
  const updates = (ctx: EditContext): OnRecord => ({ action: 'workflow.update', recorded: recorded(ctx) });

  /** Replaces the document where `wanted` is true of the record; otherwise the record stays as it is. */
  async function replace(
    ctx: EditContext,
    id: string,
    dsl: unknown,
    onRecord: OnRecord,
    wanted: (found: WorkflowRecord) => boolean,
    more: (found: WorkflowRecord) => Patch = () => ({}),
  ): Promise<{ record: WorkflowRecord; warnings: readonly ErrorDetail[] }> {
    const { tenantId, call } = ctx;
    await assertNames(ctx, store, dsl, [(await store.get(tenantId, id)).dsl]);
    const definition = await define(dsl, await namesOf(tenantId, dsl), missing(call, tenantId, store));
    await store.putPlan(definition.plan);
    const status = await statusOfNewDsl(ctx);
    const decide = (found: WorkflowRecord): Patch =>
      wanted(found) ? { ...edited(found, { definition }, status), ...more(found) } : {};
    const record = await store.change(tenantId, id, decide, activeLimit(ctx), onRecord);
    return { record, warnings: definition.warnings };
  }

  /** Plan first, record second: a record never names a plan that is not there. */
  async function insert(ctx: ActionContext<'workflows.create'>, definition: Definition, given: NewWorkflowFields) {
    const { params, principal, tenantId } = ctx;
    const webhookKey = webhookKeyOf(params.webhook_api_key) ?? null;
    await store.putPlan(definition.plan);
    const now = new Date(app.clock.now());
    const record = await store.create(
      tenantId,
      {
        _id: given.id ?? randomId(),
        name: params.name,
        description: params.description ?? '',
        tags: params.tags ?? [],
        folder: params.folder ?? '',
        env: params.env ?? 'dev',
        dsl: definition.dsl,
        dsl_hash: definition.dslHash,
        ...planFields(definition),
        ...webhookKeyFields(webhookKey),
        status: given.status,
        enabled: given.enabled,
        version: given.version ?? 1,
        created_by: principal?.user_id ?? 'service',
        created_at: now,
        updated_at: now,
      },
      activeLimit(ctx),
      { action: given.action ?? 'workflow.create', recorded: recorded(ctx) },
    );
    return toView(record, { webhookKey: webhookKey?.value, warnings: definition.warnings });
  }

  return {
    /** @throws AppError invalid_dsl, invalid_request, workflow_limit, quota_exceeded */
    async create(
      ctx: ActionContext<'workflows.create'>,
      { enabled = true, ...given }: Partial<Pick<NewWorkflowFields, 'action' | 'enabled'>> = {},
    ): Promise<WorkflowView> {
      const { params, tenantId, call } = ctx;
      const definition = await define(params.dsl, await namesOf(tenantId, params.dsl), missing(call, tenantId, store));
      return insert(ctx, definition, { ...given, enabled, status: await statusOfNewDsl(ctx) });
    },

    /** Creates a workflow without a published document. @throws AppError quota_exceeded */
    createUnpublished: (
      ctx: ActionContext<'workflows.create'>,
      definition: Definition,
      given: Pick<NewWorkflowFields, 'id' | 'action'>,
    ): Promise<WorkflowView> => insert(ctx, definition, { ...given, enabled: false, status: 'active', version: 0 }),

    /** Changes the fields that are given. @throws AppError invalid_dsl, invalid_request, not_found, workflow_limit */
    async update(ctx: ActionContext<'workflows.update'>): Promise<WorkflowView> {
      const { params, tenantId, call } = ctx;
      // Before the DSL is checked: its errors must not show whether an id exists.
      const found = await store.get(tenantId, params.id);
      assertMatch(params.if_match, found.dsl_hash, 'workflow');
      if (typeof params.folder === 'string' && params.folder !== (found.folder ?? ''))
        await ctx.folders.assertFolder(params.folder, 'edit');
      if (params.dsl !== undefined) await assertNames(ctx, store, params.dsl, [found.dsl]);
      const webhookKey = webhookKeyOf(params.webhook_api_key);
      const definition =
        params.dsl === undefined
          ? undefined
          : await define(params.dsl, await namesOf(tenantId, params.dsl), missing(call, tenantId, store));
      if (definition !== undefined) await store.putPlan(definition.plan);
      const status = definition === undefined ? 'active' : await statusOfNewDsl(ctx);
      const edit: Edit = {
        // The params check lets null pass for "not given".
        name: params.name ?? undefined,
        description: params.description ?? undefined,
        tags: params.tags ?? undefined,
        folder: params.folder ?? undefined,
        env: params.env ?? undefined,
        definition,
        webhookKey,
      };
      const decide = (found: WorkflowRecord): Patch => {
        assertMatch(params.if_match, found.dsl_hash, 'workflow');
        return edited(found, edit, status);
      };
      const record = await store.change(tenantId, params.id, decide, activeLimit(ctx), updates(ctx));
      return toView(record, { webhookKey: webhookKey?.value, warnings: definition?.warnings });
    },

    /**
     * Replaces the document by compare-and-set: null if the current hash is not `seen`.
     * @throws AppError invalid_dsl, not_found
     */
    async replaceDsl(ctx: EditContext, id: string, seen: string, dsl: JsonObject): Promise<WorkflowView | null> {
      let stands = false;
      const { record, warnings } = await replace(ctx, id, dsl, updates(ctx), (found) => {
        stands = found.dsl_hash === seen;
        return stands;
      });
      return stands ? toView(record, { warnings }) : null;
    },

    /**
     * Makes a document the live one. `assertLive` is given the hash of the live document before, and refuses it by throwing.
     * @throws AppError invalid_dsl, not_found, workflow_limit
     */
    publish: (
      ctx: EditContext,
      id: string,
      dsl: unknown,
      assertLive: (liveHash: string) => void,
    ): Promise<{ record: WorkflowRecord; warnings: readonly ErrorDetail[] }> =>
      replace(
        ctx,
        id,
        dsl,
        { action: 'workflow.publish', recorded: recorded(ctx) },
        (found) => {
          assertLive(found.dsl_hash);
          return true;
        },
        // The first publication is what makes a workflow live.
        (found) => (isUnpublished(found) ? { enabled: true } : {}),
      ),

    /** Changes a workflow by what `decide` makes of it. @throws AppError not_found, workflow_limit */
    async change(
      ctx: EditContext & { readonly params: { id: string } },
      action: OnRecord['action'],
      decide: (record: WorkflowRecord) => Patch,
    ): Promise<WorkflowView> {
      const onRecord = { action, recorded: recorded(ctx) };
      return toView(await store.change(ctx.tenantId, ctx.params.id, decide, activeLimit(ctx), onRecord));
    },

    /** Guards the webhook with the given key, or with a new one. @throws AppError invalid_request, not_found */
    async setWebhookKey(ctx: ActionContext<'workflows.set_webhook_key'>): Promise<WebhookKey> {
      const { params, tenantId } = ctx;
      const key = typeof params.key === 'string' ? givenWebhookKey(params.key) : newWebhookKey();
      const onRecord = { action: 'webhook_key.set', recorded: recorded(ctx) } as const;
      await store.change(tenantId, params.id, () => webhookKeyFields(key), activeLimit(ctx), onRecord);
      return key;
    },
  };
};

/** Asks the vault which names it does not have. */
const missingSecrets =
  (call: Call, tenantId: string): MissingSecrets =>
  async (names) =>
    (await call('secrets.missing', { names }, { asServiceOf: tenantId })).names;

/** What of a DSL the tenant does not have. */
export const missing = (call: Call, tenantId: string, store: WorkflowStore): Missing => ({
  secrets: missingSecrets(call, tenantId),
  refs: (dsl) => missingRefs(call, tenantId, dsl, (refs) => store.missing(tenantId, refs)),
});

const activeLimit =
  ({ call, tenantId }: EditContext): ActiveLimit =>
  async () =>
    (await call('auth.entitlements', {}, { asServiceOf: tenantId })).limits.active_workflows;

/** What a member puts in waits for approval, where the tenant wants it so. */
async function statusOfNewDsl({ principal, call, tenantId }: EditContext): Promise<WorkflowStatus> {
  if (principal === null || !isBelow(principal.role, 'admin')) return 'active';
  const { require_approval: required } = await call('auth.entitlements', {}, { asServiceOf: tenantId });
  return required ? 'pending_approval' : 'active';
}

const webhookKeyOf = (given: string | null | undefined): WebhookKey | null | undefined =>
  typeof given === 'string' ? givenWebhookKey(given) : given;

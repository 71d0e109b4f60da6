import { workflowsContract } from '../../contracts/workflows';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { AppError } from '../../lib/errors';
import { isUuid } from '../../lib/ids';
import { auditedBy, recordedBy } from '../../mixins/audit';
import { type ActionContext, type ServiceContext, checkOf, defineService } from '../../mixins/service';
import { TenantEvents } from '../../mixins/tenant-events';
import { STALE_WORKFLOW, StartRun } from '../../mixins/start-run';
import { type App, appOf } from '../app';
import { actOnce } from './act';
import { actionTests } from './action-test';
import { approved } from './change';
import { planLimitActions } from './plan-limits';
import { chats } from './chat';
import type { WorkflowHealth } from '../../contracts/workflows/views';
import { define, examine } from './definition';
import { drafts } from './drafts';
import { forms } from './forms';
import { folderActions } from './folder-access';
import { foldersOf } from './folders';
import { assertNames } from './named-workflows';
import { folderRulesIn, STALE_FOLDERS } from '../../mixins/folders/tenant-folders';
import { customNodes } from './custom-nodes';
import { editing, missing, type NamesOf } from './editing';
import { copyOf, fileName, toFile, workflowInFile } from './file';
import { HEALTH_FIELDS, healthOf } from './health';
import { WORKFLOW_KEY_NOTE, WorkflowKeys } from './keys';
import { ImportedSteps } from './imported';
import { workflowList } from './list';
import { SlotCounter } from './active-slots';
import { createIndexes, workflowModels } from './models';
import { createParams } from '../../contracts/workflows/params';
import { pins } from './pins';
import { eventTriggers } from './event-triggers';
import { Removal } from './removal';
import { SchedulerSync } from './scheduler-sync';
import { StartSnapshots } from './start-snapshots';
import { stepTests } from './step-test';
import { type ChangedWorkflow, WorkflowStore } from './store';
import { documentSchema } from './schema';
import { trials } from './trials';
import { trialPlans } from './trials/plan';
import { stepTrials } from './trials/step';
import { manualStart } from './manual-start';
import { variables } from './variables';
import { versions } from './versions';
import { compareDsl } from './versions/diff';
import { assertPublished, isUnpublished, unpublishedDefinition } from './unpublished';
import { toKeyView, toView } from './view';
import { WEBHOOK_KEY_NOTE } from './webhook-key';
import { pageOf } from '../../lib/page';
import { assertNoUsers } from '../../mixins/in-use';

/** What is imported is checked as what is created. */
const checkCreate = checkOf<'workflows.create'>(createParams);

/** What the keys of this service's caches begin with, in `cache.stale`. */
const KEY = 'workflows.key:';
/** Hosts keep what starts workflows of a tenant from inside of the service. */
const TOPICS = 'workflows.topics:';

/** Definitions of workflows: what a tenant keeps, changes, approves, shares and starts. */
export const workflowsService = (app: App): ServiceSchema => {
  const models = workflowModels(app.db);
  let service: ServiceContext;
  const warn = (message: string): void => service.log.warn(message);
  const tenantEvents = new TenantEvents(app.clock);
  const snapshots = new StartSnapshots(models.workflows, app.clock, app.shared);
  const starts = new StartRun(app, (_call, id) => snapshots.get(id));
  const keys = new WorkflowKeys(models.keys, app.clock, warn);
  const slotCounter = new SlotCounter(models, app.clock, 2 * app.config.requestTimeoutMs);
  const store = new WorkflowStore(models, slotCounter, app.clock, changed, warn);
  const chat = chats(app, { workflows: store, starts, stale });
  const schedulerSync = new SchedulerSync(
    models,
    (action, given, options) => service.call(action, given, options),
    app.clock,
    warn,
  );
  const imported = new ImportedSteps(async (tenantId, name, known) => {
    const asked = { name, ...(known === null ? {} : { known }) };
    const found = await service.call('connectors.imported', asked, { asServiceOf: tenantId });
    return found === null ? undefined : found.connector;
  });
  const own = customNodes(app, { starts, workflows: store, stale, purge, imported });
  const { actions: variableActions, namesOf: variablesOf } = variables(app, stale);
  const namesOf: NamesOf = async (tenantId, dsl) => {
    const [nodeTypes, variableNames] = await Promise.all([
      own.tenantNodeTypes.of(tenantId, dsl),
      variablesOf(tenantId),
    ]);
    return { tenantId, nodeTypes, variableNames };
  };
  const edits = editing(app, store, namesOf);
  const { create, update, change } = edits;
  const saved = versions(app, { workflows: store, update });
  const unpublished = drafts(app, {
    workflows: store,
    models,
    unpublished: async ({ tenantId }) => unpublishedDefinition(await namesOf(tenantId, {})),
    createUnpublished: edits.createUnpublished,
    warn,
    publish: edits.publish,
    saveVersion: saved.saveVersion,
  });
  const createAs = async (ctx: ActionContext<'workflows.create'>, action: 'workflow.create' | 'workflow.import') => {
    await ctx.folders.assertFolder(ctx.params.folder ?? '', 'edit');
    await assertNames(ctx, store, ctx.params.dsl, []);
    return ctx.params.publish === false ? unpublished.create(ctx, action) : create(ctx, { action });
  };
  const list = workflowList(models, warn);
  const removal = new Removal(models, [keys, chat, saved, unpublished], purge, app.clock, warn);
  const { trigger } = manualStart(app, starts);
  const { react, signal, topics } = eventTriggers(app, store, starts);
  const testParts = { starts, workflows: store, tenantNodeTypes: own.tenantNodeTypes };
  const { testStep } = stepTests(app, testParts);
  const { testAction } = actionTests(app, testParts);
  const { testDocumentStep } = stepTrials(app, {
    ...testParts,
    examine: async (ctx, dsl) => {
      const { tenantId, call } = ctx;
      await assertNames(ctx, store, dsl, []);
      return examine(dsl, await namesOf(tenantId, dsl), missing(call, tenantId, store));
    },
  });
  const { tryDocument } = trials(app, {
    ...testParts,
    define: async (ctx, dsl) => {
      const { tenantId, call } = ctx;
      await assertNames(ctx, store, dsl, []);
      return define(dsl, await namesOf(tenantId, dsl), missing(call, tenantId, store));
    },
  });
  const { trialPlan } = trialPlans({
    ...testParts,
    define: async ({ tenantId, call }, dsl) =>
      define(dsl, await namesOf(tenantId, dsl), missing(call, tenantId, store)),
    saved: (tenantId, id, version) =>
      version === 'draft' ? unpublished.textOf(tenantId, id) : saved.textOf(tenantId, id, Number(version)),
  });
  const { pin, unpin } = pins(store, edits.replaceDsl);

  return defineService(app, workflowsContract, {
    handlers: {
      ...own.actions,
      ...variableActions,
      ...chat.actions,
      ...forms(app, store),
      ...saved.actions,
      ...unpublished.actions,
      ...planLimitActions(app, models.workflows, store),
      list: async ({ params, tenantId, call, folders }) => list(params, tenantId, call, await folders.visible('_id')),
      create: (ctx) => createAs(ctx, 'workflow.create'),
      get: async ({ params: { id }, tenantId }) => toView(await store.get(tenantId, id)),
      update,
      async remove(ctx) {
        const { tenantId } = ctx;
        if (ctx.params.force !== true) {
          const { _id, name } = await store.get(tenantId, ctx.params.id);
          const users = await store.users(tenantId, 'workflow', [_id, name]);
          assertNoUsers(
            `The workflow "${name}"`,
            users.filter(({ id }) => id !== _id),
          );
        }
        await store.markDeleted(tenantId, ctx.params.id, recordedBy(app.audit, auditedBy(ctx)));
        await removal.begin(tenantId, ctx.params.id);
      },
      enable: (ctx) =>
        change(ctx, 'workflow.enable', (record) => {
          assertPublished(record);
          return record.enabled ? {} : { enabled: true };
        }),
      disable: (ctx) => change(ctx, 'workflow.disable', (record) => (record.enabled ? { enabled: false } : {})),
      approve: (ctx) => change(ctx, 'workflow.approve', (record) => approved(record, ctx.params)),
      async validate({ params: { dsl }, tenantId, call }) {
        const { errors, warnings } = await examine(dsl, await namesOf(tenantId, dsl), missing(call, tenantId, store));
        return { valid: errors.length === 0, errors: [...errors], warnings: [...warnings] };
      },
      async export({ params: { id }, tenantId }) {
        const record = await store.get(tenantId, id);
        assertPublished(record);
        return { filename: fileName(record.name), file: await toFile(record, app.clock.now()) };
      },
      import: (ctx) => createAs({ ...ctx, params: checkCreate(workflowInFile(ctx.params)) }, 'workflow.import'),
      async duplicate(ctx) {
        const { tenantId } = ctx;
        const record = await store.get(tenantId, ctx.params.id);
        const params = await copyOf(record);
        if (!isUnpublished(record)) return create({ ...ctx, params }, { enabled: false });
        const dsl = await unpublished.documentOf(tenantId, record._id);
        return createAs({ ...ctx, params: { ...params, dsl, publish: false } }, 'workflow.create');
      },
      async health({ params: { id }, tenantId, call }) {
        const [health] = await healthOf([await store.get(tenantId, id)], tenantId, call);
        // One record in, one view out.
        return health as WorkflowHealth;
      },
      async health_all({ params: asked, tenantId, call, folders }) {
        const page = pageOf(asked);
        const records = await store.list(tenantId, { ...page, fields: HEALTH_FIELDS }, await folders.visible('_id'));
        return { data: await healthOf(records, tenantId, call), ...page };
      },
      async schedule({ params: { id }, tenantId }) {
        return schedulerSync.state(await store.get(tenantId, id));
      },
      trigger,
      signal,
      test_step: testStep,
      test_action: testAction,
      act: actOnce(app, testParts),
      names: async ({ params: { ids }, tenantId }) => ({ data: await store.names(tenantId, ids) }),
      pin,
      try: tryDocument,
      trial_plan: trialPlan,
      test_document_step: testDocumentStep,
      schema: () => documentSchema(),
      unpin,
      compare: ({ params: { before, after } }) => compareDsl(before, after),
      uses: ({ params: { kind, refs }, tenantId }) => store.uses(tenantId, kind, refs),
      async used_by({ params: { id }, tenantId, folders }) {
        const { _id, name } = await store.get(tenantId, id);
        const found = await store.uses(tenantId, 'workflow', [_id, name]);
        return { ...found, data: await folders.only(found.data, (row) => row.workflow_id) };
      },
      folders: async ({ tenantId, folders }) =>
        foldersOf(store.each(tenantId, ['folder', 'tags'], await folders.visible('_id')), tenantId),
      ...folderActions(app, store, stale),
      users: async ({ params: { kind, refs }, tenantId }) => ({ data: await store.users(tenantId, kind, refs) }),
      async create_key(ctx) {
        const { tenantId, params: asked } = ctx;
        await store.get(tenantId, asked.id);
        const recorded = recordedBy(app.audit, auditedBy(ctx));
        const { key, record } = await keys.create(tenantId, asked.id, asked.name ?? 'key', recorded);
        return { ...toKeyView(record), key, note: WORKFLOW_KEY_NOTE };
      },
      async list_keys({ params: { id, ...asked }, tenantId }) {
        await store.get(tenantId, id);
        const page = pageOf(asked);
        return { data: (await keys.list(tenantId, id, page)).map(toKeyView), ...page };
      },
      async revoke_key(ctx) {
        const { id, key_id } = ctx.params;
        await store.get(ctx.tenantId, id);
        const recorded = recordedBy(app.audit, auditedBy(ctx));
        await stale(`${KEY}${await keys.revoke(ctx.tenantId, id, key_id, recorded)}`);
      },
      async set_webhook_key(ctx) {
        const key = await edits.setWebhookKey(ctx);
        return { webhook_api_key: key.value, note: WEBHOOK_KEY_NOTE };
      },
      async clear_webhook_key(ctx) {
        await change(ctx, 'webhook_key.clear', (record) =>
          record.webhook_key_hash === null ? {} : { webhook_key_hash: null, webhook_key_tail: null },
        );
      },
      startable: ({ params: { id } }) => snapshots.get(id),
      async startable_for({ params: { workflow }, tenantId }) {
        const found = await snapshots.get(isUuid(workflow) ? workflow : await store.idOf(tenantId, workflow));
        return found?.tenant_id === tenantId ? found : null;
      },
      react,
      topics,
      async plan({ params: { hash } }) {
        const plan = await store.findPlan(hash);
        if (plan === null) throw new AppError('not_found', `There is no plan ${hash}`);
        return plan;
      },
      check_key: async ({ params: { id, key }, tenantId }) => ({ valid: await keys.check(tenantId, id, key) }),
    },
    events: {
      'cache.stale': { handle: ({ patterns }) => patterns.forEach(forget) },
      'tenant.watch': tenantEvents.event,
    },
    async started(context) {
      service = context;
      await Promise.all([
        createIndexes(models),
        folderRulesIn(app).createIndex({ tenant_id: 1, folder: 1 }, { unique: true, name: 'by_folder' }),
        own.createIndexes(),
        chat.createIndexes(),
        saved.createIndexes(),
        unpublished.createIndexes(),
      ]);
      removal.start();
      unpublished.pending.start();
      schedulerSync.start();
    },
    async stopped() {
      await Promise.all([removal.stop(), unpublished.pending.stop(), schedulerSync.stop()]);
    },
  });

  async function changed(workflow: ChangedWorkflow): Promise<void> {
    const { _id, tenant_id, revision, topics = [], folder = '' } = workflow;
    // No cache can hold a new one, and retiring its key would keep it out of Redis for a while.
    if (revision > 0) {
      await snapshots.changed(_id);
      await stale(`${STALE_WORKFLOW}${_id}`);
    }
    if (folder !== '' || revision > 0) await stale(`${STALE_FOLDERS}${tenant_id}`);
    if (topics.length > 0) await stale(`${TOPICS}${tenant_id}`);
    if (workflow.unsynced === true) await schedulerSync.notify(workflow);
    const change = workflow.deleted_at !== null ? 'deleted' : revision === 0 ? 'created' : 'updated';
    tenantEvents.publish(service, tenant_id, { event: 'workflow.changed', workflow_id: _id, change });
  }

  function stale(key: string): Promise<void> {
    return service.invalidate(key);
  }

  function forget(pattern: string): void {
    starts.forget(pattern);
    if (pattern.startsWith(KEY)) keys.forget(pattern.slice(KEY.length));
    own.forget(pattern);
    chat.forget(pattern);
  }

  async function purge(tenantId: string, workflowId: string): Promise<void> {
    await service.call('executions.purge', { workflow_id: workflowId }, { asServiceOf: tenantId });
    await service.call('channels.purge', { workflow_id: workflowId }, { asServiceOf: tenantId });
  }
};

export default (broker: ServiceBroker): ServiceSchema => workflowsService(appOf(broker));

import type { ServiceSchema } from 'moleculer';
import { AppError } from '../../lib/errors';
import { isUuid } from '../../lib/ids';
import { auditedBy, recordedBy } from '../../mixins/audit';
import { type ServiceContext, checkOf, defineService, staleParams } from '../../mixins/service';
import type { App } from '../app';
import { actionTests } from './action-test';
import { beyondPlan } from './beyond';
import { chats } from './chat';
import type { WorkflowHealth } from './contract';
import { examine } from './definition';
import { customNodes } from './custom-nodes';
import { editing, missing, type NamesOf } from './editing';
import { fileName, toFile, workflowInFile } from './file';
import { HEALTH_FIELDS, healthOf } from './health';
import { WORKFLOW_KEY_NOTE, WorkflowKeys } from './keys';
import { ImportedSteps } from './imported';
import { Ledger } from './ledger';
import { createIndexes, workflowModels } from './models';
import * as params from './params';
import { pinning } from './pinning';
import { reacting } from './reacting';
import { Removal } from './removal';
import { Scheduling } from './scheduling';
import { Startables } from './startable';
import { stepTests } from './step-test';
import { type ChangedWorkflow, WorkflowStore } from './store';
import { triggering } from './triggering';
import { variables } from './variables';
import { versions } from './versions';
import { ROW_FIELDS, toKeyView, toRow, toView } from './view';
import { WEBHOOK_KEY_NOTE } from './webhook-key';

const DEFAULT_PAGE = 50;
/** What is imported is checked as what is created. */
const checkCreate = checkOf<'workflows.create'>(params.createParams);

/** What the keys of this service's caches begin with, in `cache.stale`. */
const STARTABLE = 'workflows.startable:';
const KEY = 'workflows.key:';
/** Hosts keep what starts workflows of a tenant from inside of the service. */
const TOPICS = 'workflows.topics:';

/** Definitions of workflows: what a tenant keeps, changes, approves, shares and starts. */
export const workflowsService = (app: App): ServiceSchema => {
  const models = workflowModels(app.db);
  let service: ServiceContext;
  const warn = (message: string): void => service.log.warn(message);
  const startables = new Startables(models.workflows, app.clock, concurrentLimit, app.shared);
  const keys = new WorkflowKeys(models.keys, app.clock, warn);
  const ledger = new Ledger(models, app.clock, 2 * app.config.requestTimeoutMs);
  const store = new WorkflowStore(models, ledger, app.clock, changed, warn);
  const chat = chats(app, { workflows: store, startables, stale });
  const scheduling = new Scheduling(
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
  const own = customNodes(app, { workflows: store, stale, purge, imported });
  const { menu: variableMenu, namesOf: variablesOf } = variables(app, stale);
  const namesOf: NamesOf = async (tenantId, dsl) => {
    const [nodeTypes, variableNames] = await Promise.all([own.vocabulary.of(tenantId, dsl), variablesOf(tenantId)]);
    return { nodeTypes, variableNames };
  };
  const { create, update, replaceDsl, change, setWebhookKey } = editing(app, store, namesOf);
  const saved = versions(app, { workflows: store, update });
  const removal = new Removal(models, [keys, chat, saved], purge, app.clock, warn);
  const { trigger } = triggering(app, startables);
  const { react, signal, topics } = reacting(app, store, startables);
  const { testStep } = stepTests(app, store, own.vocabulary);
  const { testAction } = actionTests(app, store, own.vocabulary);
  const { pin, unpin } = pinning(store, replaceDsl);

  return defineService(app, 'workflows', {
    actions: {
      ...own.menu,
      ...variableMenu,
      ...chat.menu,
      ...saved.menu,
      ...beyondPlan(app, models.workflows, store),
      list: {
        access: 'member',
        summary: 'Workflows, newest first',
        params: params.listParams,
        async handle({ params: page, tenantId }) {
          const limit = page.limit ?? DEFAULT_PAGE;
          const offset = page.offset ?? 0;
          const records = await store.list(tenantId, { limit, skip: offset, fields: ROW_FIELDS });
          return { data: records.map(toRow), limit, offset };
        },
      },
      create: {
        access: 'member',
        summary: 'Creates a workflow from a valid DSL',
        params: params.createParams,
        handle: (ctx) => create(ctx),
      },
      get: {
        access: 'member',
        summary: 'One workflow',
        params: { id: params.id },
        handle: async ({ params: { id }, tenantId }) => toView(await store.get(tenantId, id)),
      },
      update: {
        access: 'member',
        summary: 'Changes the given fields of a workflow',
        params: params.updateParams,
        handle: update,
      },
      remove: {
        access: 'admin',
        summary: 'Deletes a workflow with its executions, keys and chats',
        params: { id: params.id },
        async handle(ctx) {
          const { tenantId } = ctx;
          await store.markDeleted(tenantId, ctx.params.id, recordedBy(app.audit, auditedBy(ctx)));
          await removal.begin(tenantId, ctx.params.id);
        },
      },
      enable: {
        access: 'member',
        summary: 'Lets a workflow be started',
        params: { id: params.id },
        handle: (ctx) => change(ctx, 'workflow.enable', (record) => (record.enabled ? {} : { enabled: true })),
      },
      disable: {
        access: 'member',
        summary: 'Refuses every start of a workflow',
        params: { id: params.id },
        handle: (ctx) => change(ctx, 'workflow.disable', (record) => (record.enabled ? { enabled: false } : {})),
      },
      approve: {
        access: 'admin',
        summary: 'Lets a workflow run that waited for approval',
        params: { id: params.id },
        handle: (ctx) =>
          change(ctx, 'workflow.approve', (record) => (record.status === 'active' ? {} : { status: 'active' })),
      },
      validate: {
        access: 'member',
        summary: 'Checks a DSL as create would',
        params: { dsl: { type: 'any' } },
        async handle({ params: { dsl }, tenantId, call }) {
          const { errors, warnings } = await examine(dsl, await namesOf(tenantId, dsl), missing(call, tenantId));
          return { valid: errors.length === 0, errors: [...errors], warnings: [...warnings] };
        },
      },
      export: {
        access: 'member',
        summary: 'A workflow as a file',
        params: { id: params.id },
        async handle({ params: { id }, tenantId }) {
          const record = await store.get(tenantId, id);
          return { filename: fileName(record.name), file: toFile(record, app.clock.now()) };
        },
      },
      import: {
        access: 'member',
        summary: 'Creates a workflow from an exported file, or from a bare {name, dsl}',
        params: { $$strict: false },
        handle: (ctx) => create({ ...ctx, params: checkCreate(workflowInFile(ctx.params)) }, 'workflow.import'),
      },
      health: {
        access: 'member',
        summary: 'How the runs of one workflow went lately',
        params: { id: params.id },
        async handle({ params: { id }, tenantId, call }) {
          const [health] = await healthOf([await store.get(tenantId, id)], tenantId, call);
          // One record in, one view out.
          return health as WorkflowHealth;
        },
      },
      health_all: {
        access: 'member',
        summary: 'How the runs of every workflow went lately',
        params: {},
        async handle({ tenantId, call }) {
          const records = await store.list(tenantId, { fields: HEALTH_FIELDS });
          return { data: await healthOf(records, tenantId, call) };
        },
      },
      schedule: {
        access: 'member',
        summary: 'The schedule of a workflow; none for triggers that wait for a call',
        params: { id: params.id },
        async handle({ params: { id }, tenantId }) {
          return scheduling.state(await store.get(tenantId, id));
        },
      },
      trigger: {
        access: 'member',
        summary: 'Starts a workflow by hand',
        params: params.triggerParams,
        handle: trigger,
      },
      signal: {
        access: 'member',
        summary: 'Starts every workflow that a signal of this name starts',
        params: params.signalParams,
        handle: signal,
      },
      test_step: {
        access: 'member',
        summary: 'Runs one step on its own',
        params: params.stepTestParams,
        handle: testStep,
      },
      test_action: {
        access: 'member',
        summary: 'Does an action of a connector on its own',
        params: params.actionTestParams,
        handle: testAction,
      },
      pin: {
        access: 'member',
        summary: "Fixes a step's output for runs that are started by hand",
        params: params.pinParams,
        handle: pin,
      },
      unpin: {
        access: 'member',
        summary: 'Lets a step run again that was pinned',
        params: { id: params.id, step_id: params.id },
        handle: unpin,
      },
      create_key: {
        access: 'member',
        summary: 'Issues a key for /run; shown once',
        params: { id: params.id, name: { ...params.name, optional: true } },
        async handle(ctx) {
          const { tenantId, params: asked } = ctx;
          await store.get(tenantId, asked.id);
          const recorded = recordedBy(app.audit, auditedBy(ctx));
          const { key, record } = await keys.create(tenantId, asked.id, asked.name ?? 'key', recorded);
          return { ...toKeyView(record), key, note: WORKFLOW_KEY_NOTE };
        },
      },
      list_keys: {
        access: 'member',
        summary: 'Keys of a workflow, without their values',
        params: { id: params.id },
        async handle({ params: { id }, tenantId }) {
          await store.get(tenantId, id);
          return { data: (await keys.list(tenantId, id)).map(toKeyView) };
        },
      },
      revoke_key: {
        access: 'member',
        summary: 'Ends a key',
        params: { id: params.id, key_id: params.id },
        async handle(ctx) {
          const { id, key_id } = ctx.params;
          await store.get(ctx.tenantId, id);
          const recorded = recordedBy(app.audit, auditedBy(ctx));
          stale(`${KEY}${await keys.revoke(ctx.tenantId, id, key_id, recorded)}`);
        },
      },
      set_webhook_key: {
        access: 'member',
        summary: 'Guards the webhook with a key: a given one, or a new one; shown once',
        params: { id: params.id, key: { type: 'string', optional: true } },
        async handle(ctx) {
          const key = await setWebhookKey(ctx);
          return { webhook_api_key: key.value, note: WEBHOOK_KEY_NOTE };
        },
      },
      clear_webhook_key: {
        access: 'member',
        summary: 'Leaves the webhook to the secrecy of its address',
        params: { id: params.id },
        async handle(ctx) {
          await change(ctx, 'webhook_key.clear', (record) =>
            record.webhook_key_hash === null ? {} : { webhook_key_hash: null, webhook_key_tail: null },
          );
        },
      },
      startable: {
        access: 'internal',
        summary: 'What a start needs to know of a workflow',
        params: { id: params.id },
        handle: ({ params: { id } }) => startables.get(id),
      },
      startable_for: {
        access: 'internal',
        summary: "What a start needs to know of one of the tenant's workflows, by its id or name",
        params: { workflow: { type: 'string', min: 1, max: 1_000 } },
        async handle({ params: { workflow }, tenantId }) {
          const found = await startables.get(isUuid(workflow) ? workflow : await store.idOf(tenantId, workflow));
          return found?.tenant_id === tenantId ? found : null;
        },
      },
      react: {
        access: 'internal',
        summary: 'Starts whatever begins by something that has happened inside of the service',
        params: params.reactParams,
        handle: react,
      },
      topics: {
        access: 'internal',
        summary: 'What starts workflows of the tenant from inside of the service',
        params: {},
        handle: topics,
      },
      plan: {
        access: 'internal',
        summary: 'The plan of a hash',
        params: { hash: { type: 'string', max: 100 } },
        async handle({ params: { hash } }) {
          const plan = await store.findPlan(hash);
          if (plan === null) throw new AppError('not_found', `There is no plan ${hash}`);
          return plan;
        },
      },
      check_key: {
        access: 'internal',
        summary: 'Whether a text is a live key of the workflow',
        params: { id: params.id, key: { type: 'string', max: 1_000 } },
        handle: async ({ params: { id, key }, tenantId }) => ({ valid: await keys.check(tenantId, id, key) }),
      },
    },
    events: { 'cache.stale': { params: staleParams, handle: ({ patterns }) => patterns.forEach(forget) } },
    async started(context) {
      service = context;
      await Promise.all([createIndexes(models), own.createIndexes(), chat.createIndexes(), saved.createIndexes()]);
      removal.start();
      scheduling.start();
    },
    async stopped() {
      await Promise.all([removal.stop(), scheduling.stop()]);
    },
  });

  async function changed(workflow: ChangedWorkflow): Promise<void> {
    const { _id, tenant_id, revision, topics = [] } = workflow;
    // Nobody can remember anything of a new one, and retiring its key would keep it out of Redis for a while.
    if (revision > 0) {
      await startables.changed(_id);
      stale(`${STARTABLE}${_id}`);
    }
    if (topics.length > 0) stale(`${TOPICS}${tenant_id}`);
    if (workflow.unsynced === true) await scheduling.tell(workflow);
  }

  function stale(key: string): void {
    service.broadcast('cache.stale', { patterns: [key] });
  }

  function forget(pattern: string): void {
    if (pattern.startsWith(STARTABLE)) startables.forget(pattern.slice(STARTABLE.length));
    if (pattern.startsWith(KEY)) keys.forget(pattern.slice(KEY.length));
    own.forget(pattern);
    chat.forget(pattern);
  }

  async function concurrentLimit(tenantId: string): Promise<number | null> {
    const { limits } = await service.call('auth.entitlements', {}, { asServiceOf: tenantId });
    return limits.concurrent_executions;
  }

  async function purge(tenantId: string, workflowId: string): Promise<void> {
    await service.call('executions.purge', { workflow_id: workflowId }, { asServiceOf: tenantId });
    await service.call('channels.purge', { workflow_id: workflowId }, { asServiceOf: tenantId });
  }
};

import { auditedBy, recordedBy } from '../../../mixins/audit';
import type { Handlers } from '../../../mixins/service';
import type { StartRun } from '../../../mixins/start-run';
import type { App } from '../../app';
import type { WorkflowStore } from '../store';
import type { ChatDeployment, ChatDeploymentView, ChatPace } from '../../../contracts/workflows/chat';
import { type ChatRecord, chatModel } from './model';
import { assertFields } from './params';
import { type ChatChange, ChatStore } from './store';
import { baseUrlFor } from '../../../lib/base-url';
import { pageOf } from '../../../lib/page';
import { createIndexes } from '../../../lib/indexes';

/** What the keys of caches of chats begin with, in `cache.stale`; then the slug. */
const CHAT = 'workflows.chat:';

const DEFAULT_PACE: ChatPace = { per_minute: 20, burst: 10 };
const DEFAULT_FIELDS = { input_field: 'message', output_field: 'text' };

type ChatActionName = 'all_chats' | 'create_chat' | 'update_chat' | 'chats' | 'remove_chat' | 'chat';

/** Handlers of this part of the service's actions. */
type Actions = Pick<Handlers<'workflows'>, ChatActionName>;

/** Dependencies that the service provides. */
interface Deps {
  readonly workflows: WorkflowStore;
  readonly starts: StartRun;
  /** Tells the caches of all nodes. */
  readonly stale: (key: string) => Promise<void>;
}

/** Actions on chat deployments: workflows that visitors talk to at a public address. */
export function chats(app: App, { workflows, starts, stale }: Deps) {
  const model = chatModel(app.db);
  const store = new ChatStore(model, app.clock, (changed) => stale(`${CHAT}${changed}`));

  const actions: Actions = {
    async create_chat(ctx) {
      const { params, tenantId, principal } = ctx;
      const { input_field, output_field } = { ...DEFAULT_FIELDS, ...params };
      assertFields({ input_field, output_field });
      await workflows.get(tenantId, params.id);
      const chat = {
        slug: params.slug,
        workflow_id: params.id,
        title: params.title,
        greeting: params.greeting ?? '',
        input_field,
        output_field,
        allowed_origins: params.allowed_origins ?? [],
        rate_limit: { ...DEFAULT_PACE, ...params.rate_limit },
        created_by: principal?.user_id ?? 'service',
      };
      return toView(await store.create(tenantId, chat, recordedBy(app.audit, auditedBy(ctx))));
    },
    async all_chats({ params: { origin, ...asked }, tenantId, folders }) {
      const page = pageOf(asked);
      const base = baseUrlFor(app.config, origin);
      const found = await store.all(tenantId, page, await folders.visible('workflow_id'));
      const names = await workflows.names(tenantId, [...new Set(found.map(({ workflow_id: id }) => id))]);
      const nameOf = new Map(names.map(({ id, name }) => [id, name]));
      const rows = found.map((record) => ({
        ...toView(record),
        // The chats of a workflow that is being deleted follow it.
        workflow_name: nameOf.get(record.workflow_id) ?? '',
        url: `${base}/chat/${record.slug}`,
      }));
      return { data: rows, ...page };
    },
    async chats({ params, tenantId }) {
      await workflows.get(tenantId, params.id);
      const page = pageOf(params);
      return { data: (await store.list(tenantId, params.id, page)).map(toView), ...page };
    },
    async update_chat(ctx) {
      const { id: workflowId, slug, ...given } = ctx.params;
      await workflows.get(ctx.tenantId, workflowId);
      // The params check lets null pass for "not given".
      const fields = Object.fromEntries(
        Object.entries(given).filter(([, value]) => value !== null && value !== undefined),
      );
      const change = (found: ChatRecord): ChatChange => {
        const changed = { ...changeable(found), ...fields, rate_limit: { ...found.rate_limit, ...given.rate_limit } };
        assertFields(changed);
        return changed;
      };
      const recorded = recordedBy(app.audit, auditedBy(ctx));
      return toView(await store.update(ctx.tenantId, workflowId, slug, change, recorded));
    },
    async remove_chat(ctx) {
      const { params, tenantId } = ctx;
      await workflows.get(tenantId, params.id);
      await store.remove(tenantId, params.id, params.slug, recordedBy(app.audit, auditedBy(ctx)));
    },
    async chat({ params, call }) {
      const record = await store.at(params.slug);
      const workflow = record === null ? null : await starts.find(call, record.workflow_id);
      // A workflow that is removed takes its chats along, sooner or later.
      return record === null || workflow === null ? null : toDeployment(record, workflow);
    },
  };

  return {
    actions,
    createIndexes: () => createIndexes(model),
    removeAll: (tenantId: string, workflowId: string) => store.removeAll(tenantId, workflowId),
    forget(pattern: string): void {
      if (pattern.startsWith(CHAT)) store.forget(pattern.slice(CHAT.length));
    },
  };
}

const changeable = (record: ChatRecord): ChatChange => ({
  title: record.title,
  greeting: record.greeting,
  input_field: record.input_field,
  output_field: record.output_field,
  allowed_origins: record.allowed_origins,
  rate_limit: { per_minute: record.rate_limit.per_minute, burst: record.rate_limit.burst },
});

const common = (record: ChatRecord) => ({ slug: record.slug, ...changeable(record) });

const toView = (record: ChatRecord): ChatDeploymentView => ({
  ...common(record),
  workflow_id: record.workflow_id,
  created_by: record.created_by,
  created_at: record.created_at.toISOString(),
});

const toDeployment = (record: ChatRecord, workflow: ChatDeployment['workflow']): ChatDeployment => ({
  ...common(record),
  id: record._id,
  workflow,
});

import { auditedBy, recordedBy } from '../../../mixins/audit';
import type { ActionDefinition } from '../../../mixins/service';
import type { App } from '../../app';
import type { ActionName } from '../../catalogue';
import type { Startables } from '../startable';
import type { WorkflowStore } from '../store';
import type { ChatDeployment, ChatDeploymentView, ChatPace } from './contract';
import { type ChatRecord, chatModel } from './model';
import { assertFields, createParams } from './params';
import { id } from '../params';
import { ChatStore } from './store';

/** What the keys of caches of chats begin with, in `cache.stale`; then the slug. */
const CHAT = 'workflows.chat:';

const DEFAULT_PACE: ChatPace = { per_minute: 20, burst: 10 };
const DEFAULT_FIELDS = { input_field: 'message', output_field: 'text' };

type ChatMenu = 'create_chat' | 'chats' | 'remove_chat' | 'chat';

/** A part of the service's menu. */
type Menu = { readonly [N in ChatMenu]: ActionDefinition<Extract<ActionName, `workflows.${N}`>> };

/** What the rest of the service gives to this part. */
interface Surroundings {
  readonly workflows: WorkflowStore;
  readonly startables: Startables;
  /** Tells the caches of all nodes. */
  readonly stale: (key: string) => void;
}

/** The part of the service that is about chats: workflows that visitors talk to at an address of their own. */
export function chats(app: App, { workflows, startables, stale }: Surroundings) {
  const model = chatModel(app.db);
  const store = new ChatStore(model, app.clock, (changed) => stale(`${CHAT}${changed}`));

  const menu: Menu = {
    create_chat: {
      access: 'member',
      summary: 'Lets visitors talk to a workflow',
      params: createParams,
      async handle(ctx) {
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
    },
    chats: {
      access: 'member',
      summary: 'Chats of a workflow',
      params: { id },
      async handle({ params, tenantId }) {
        await workflows.get(tenantId, params.id);
        return { data: (await store.list(tenantId, params.id)).map(toView) };
      },
    },
    remove_chat: {
      access: 'member',
      summary: 'Ends a chat',
      params: { id, slug: id },
      async handle(ctx) {
        const { params, tenantId } = ctx;
        await workflows.get(tenantId, params.id);
        await store.remove(tenantId, params.id, params.slug, recordedBy(app.audit, auditedBy(ctx)));
      },
    },
    chat: {
      access: 'internal',
      summary: 'What is at a slug',
      params: { slug: id },
      async handle({ params }) {
        const record = await store.at(params.slug);
        const workflow = record === null ? null : await startables.get(record.workflow_id);
        // A workflow that is removed takes its chats along, sooner or later.
        return record === null || workflow === null ? null : toDeployment(record, workflow);
      },
    },
  };

  return {
    menu,
    createIndexes: () => model.createIndexes(),
    removeAll: (tenantId: string, workflowId: string) => store.removeAll(tenantId, workflowId),
    forget(pattern: string): void {
      if (pattern.startsWith(CHAT)) store.forget(pattern.slice(CHAT.length));
    },
  };
}

const common = (record: ChatRecord) => ({
  slug: record.slug,
  title: record.title,
  greeting: record.greeting,
  input_field: record.input_field,
  output_field: record.output_field,
  allowed_origins: record.allowed_origins,
  rate_limit: { per_minute: record.rate_limit.per_minute, burst: record.rate_limit.burst },
});

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

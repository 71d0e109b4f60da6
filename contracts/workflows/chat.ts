import { actions } from '../contract';
import { id } from '../rules';
import { chatParams, chatUpdateParams } from './params';
import type { StartSnapshot } from './views';
import { pageParams } from '../../lib/page';
import * as s from '../../lib/schema';

/** What serving a visitor takes. Never leaves the services. */
export interface ChatDeployment extends Omit<ChatDeploymentView, 'workflow_id' | 'created_by' | 'created_at'> {
  /** Not the slug, which another tenant may have later. */
  id: string;
  workflow: StartSnapshot;
}

export const ChatPace = s.named(
  'ChatPace',
  s.object({
    per_minute: s.number.about('Messages a minute, in the long run.'),
    burst: s.number.about('Messages that he may send at once.'),
  }),
  'The rate limit of a visitor.',
);
export type ChatPace = s.Infer<typeof ChatPace>;

export const ChatDeploymentView = s.named(
  'ChatDeploymentView',
  s.object({
    slug: s.text,
    workflow_id: s.text,
    title: s.text,
    greeting: s.text,
    input_field: s.text,
    output_field: s.text,
    allowed_origins: s.array(s.text),
    rate_limit: ChatPace,
    created_by: s.text,
    created_at: s.text,
  }),
  'A workflow that visitors talk to, as its tenant sees it.',
);
export type ChatDeploymentView = s.Infer<typeof ChatDeploymentView>;

const ChatRow = s.named(
  'ChatRow',
  ChatDeploymentView.extend({
    workflow_name: s.text,
    url: s.text.about('Of the page for visitors.'),
  }),
  'A chat in the list of all chats of the tenant.',
);

export const chatActions = actions({
  all_chats: {
    rest: 'GET /api/v1/chat-deployments',
    access: 'viewer',
    paged: true,
    given: ['origin'],
    repeatable: true,
    integrators: true,
    summary: 'Chats of all workflows, newest first',
    description: '`origin`: where the caller has reached the API, for addresses where BASE_URL is not set.',
    params: { ...pageParams, origin: { type: 'string', max: 300, optional: true } },
    result: s.listed(ChatRow),
  },
  create_chat: {
    rest: 'POST /api/v1/workflows/:id/chat-deployments',
    status: 201,
    access: 'member',
    idempotency: 'replay',
    integrators: true,
    summary: 'Lets visitors talk to a workflow',
    description: 'Lets visitors talk to a workflow, whatever its trigger.',
    params: chatParams,
    result: ChatDeploymentView,
    errors: ['not_found', 'slug_taken', 'conflict'],
  },
  chats: {
    rest: 'GET /api/v1/workflows/:id/chat-deployments',
    access: 'viewer',
    paged: true,
    repeatable: true,
    integrators: true,
    summary: 'Chats of a workflow',
    params: { id, ...pageParams },
    result: s.listed(ChatDeploymentView),
    errors: ['not_found'],
  },
  update_chat: {
    rest: 'PUT /api/v1/workflows/:id/chat-deployments/:slug',
    access: 'member',
    integrators: true,
    summary: 'Changes the given fields of a chat',
    description: 'Changes the fields that are given; the slug stays.',
    params: chatUpdateParams,
    result: ChatDeploymentView,
    errors: ['not_found'],
  },
  remove_chat: {
    rest: 'DELETE /api/v1/workflows/:id/chat-deployments/:slug',
    status: 204,
    access: 'member',
    integrators: true,
    summary: 'Ends a chat',
    params: { id, slug: id },
    result: s.nothing,
    errors: ['not_found'],
  },
  /** What is at a slug; null when there is nothing. */
  chat: {
    access: 'internal',
    repeatable: true,
    summary: 'The chat of a slug',
    params: { slug: id },
    result: s.typed<ChatDeployment | null>(),
  },
});

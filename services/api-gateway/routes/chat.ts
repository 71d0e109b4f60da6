import { json, type Route } from './route';

/** Workflows that visitors talk to: their chats, and the doors of those. */
export const chatRoutes: readonly Route[] = [
  json('GET /api/v1/workflows/:id/chat-deployments', 'workflows.chats', { summary: 'Chats of a workflow' }),
  json('POST /api/v1/workflows/:id/chat-deployments', 'workflows.create_chat', {
    status: 201,
    idempotency: 'replay',
    summary: 'Lets visitors talk to a workflow',
  }),
  json('DELETE /api/v1/workflows/:id/chat-deployments/:slug', 'workflows.remove_chat', {
    status: 204,
    summary: 'Ends a chat',
  }),
  {
    kind: 'chat',
    method: 'GET',
    path: '/public/chat/:slug',
    access: 'public',
    summary: 'What a chat is called, and how to talk to it',
  },
  {
    kind: 'chat',
    method: 'POST',
    path: '/public/chat/:slug',
    access: 'public',
    summary: 'Answers a message; with Accept: text/event-stream, as the reply is made',
  },
];

/** What the paths of doors begin with: who may use them is said by each chat, not by the installation. */
export const CHAT_DOORS = '/public/chat/';

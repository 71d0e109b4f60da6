import type { Route } from './route';

/** Chats, for their visitors. */
export const chatRoutes: readonly Route[] = [
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

/** Path prefix of chat endpoints: allowed origins are set by each chat, not by CORS_ORIGINS. */
export const CHAT_ENDPOINTS = '/public/chat/';

import { json, type Route } from './route';

/** Events of providers, and what shows that one can be reached. */
export const providerRoutes: readonly Route[] = [
  {
    kind: 'provider webhook',
    method: 'POST',
    path: '/webhooks/voice-provider',
    access: 'public',
    action: 'channels.voice_event',
    summary: 'Events of voice rooms, signed by the provider',
  },
  json('POST /api/v1/test/bot-messenger', 'channels.test_bot', {
    summary: 'Sends a message by a bot, to see whether its token and the chat are right',
  }),
];

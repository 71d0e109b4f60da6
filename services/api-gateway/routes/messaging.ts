import { MESSAGING_CHANNELS } from '../../../lib/messaging-config';
import type { Route } from './route';

/** Where messaging providers bring what people have written. */
export const messagingRoutes: readonly Route[] = MESSAGING_CHANNELS.flatMap((channel): Route[] => [
  {
    kind: 'messaging',
    channel,
    method: 'GET',
    path: `/webhooks/${channel}/:id`,
    access: 'public',
    summary: 'Answers the provider that asks whose address this is, by the verify token',
  },
  {
    kind: 'messaging',
    channel,
    method: 'POST',
    path: `/webhooks/${channel}/:id`,
    access: 'public',
    summary: 'Messages of people, signed by the provider, start the workflow',
  },
]);

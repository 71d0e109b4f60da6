import { MESSAGING_CHANNELS } from '../../../lib/messaging-config';
import type { Route } from './route';

/** Requests from outside: guarded by ids that cannot be guessed, by keys of workflows, and by signatures. */
export const webhookRoutes: readonly Route[] = [
  {
    kind: 'webhook',
    mode: 'webhook',
    method: 'POST',
    path: '/webhooks/:id',
    access: 'public',
    summary: 'Starts a workflow that has an http trigger',
  },
  {
    kind: 'webhook',
    mode: 'run',
    method: 'POST',
    path: '/run/:id',
    access: 'public',
    summary: 'Starts any workflow, with a key of its own; `wait=1` answers at its end',
  },
  {
    kind: 'webhook',
    mode: 'sync',
    method: 'POST',
    path: '/webhooks/:id/sync',
    access: 'public',
    summary: 'Starts a workflow and answers with its result',
  },
  {
    kind: 'webhook',
    mode: 'webhook',
    method: 'GET',
    path: '/webhooks/:id',
    access: 'public',
    summary: "Answers a provider's challenge; without one, starts the workflow",
  },
  {
    kind: 'provider webhook',
    method: 'POST',
    path: '/webhooks/voice-provider',
    access: 'public',
    action: 'channels.voice_event',
    summary: 'Events of voice rooms, signed by the provider',
  },
  {
    kind: 'provider webhook',
    method: 'POST',
    path: '/webhooks/billing-provider',
    action: 'billing.receive',
    access: 'public',
    summary: 'Events of the billing provider, signed by it',
  },
  ...MESSAGING_CHANNELS.flatMap((channel): Route[] => [
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
  ]),
];

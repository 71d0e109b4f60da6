import type { ServiceSchema } from 'moleculer';
import { randomId } from '../../lib/ids';
import { eventSchema, serviceContext } from '../../mixins/service';
import type { WebhookRequest } from '../../mixins/webhooks/request';
import type { StartResult } from '../../contracts/executions/views';
import { WebhookStarts } from '../../services/api-gateway/webhook-starts';
import type { App } from '../../services/app';
import type { TestApp } from './app';

/** A request to a webhook, or with a key to `/run`. */
export interface Sent extends Partial<Omit<WebhookRequest, 'raw'>> {
  readonly workflow_id: string;
  readonly key?: string;
  readonly wait?: boolean;
}

const SERVICE = 'webhooks-of-a-test';
const started = new WeakMap<App, WebhookStarts>();

/** Starts runs by webhooks as a gateway does, without HTTP. */
export const webhookService = (app: App): ServiceSchema => {
  const webhooks = new WebhookStarts(app);
  started.set(app, webhooks);
  return {
    name: SERVICE,
    events: {
      'cache.stale': eventSchema('cache.stale', {
        handle: ({ patterns }) => patterns.forEach((pattern) => webhooks.forget(pattern)),
      }),
    },
  };
};

/** Sends a request to an app that has `webhookService`. */
export function sendWebhook({ app, broker }: TestApp, sent: Sent): Promise<StartResult> {
  const { workflow_id: workflowId, key = null, wait = false, ...given } = sent;
  const webhooks = started.get(app);
  if (webhooks === undefined) throw new Error(`The app has no service ${SERVICE}`);
  const { call } = serviceContext(app, broker, broker.logger);
  const request = { method: 'POST', headers: {}, query: {}, body: {}, raw: Buffer.alloc(0), ...given };
  return webhooks.start({ call, requestId: randomId(), workflowId, key, waits: wait }, request);
}

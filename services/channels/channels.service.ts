import { channelsContract } from '../../contracts/channels';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { KeyRotation } from '../../mixins/key-rotation';
import { defineService } from '../../mixins/service';
import { StartRun } from '../../mixins/start-run';
import { TenantEvents } from '../../mixins/tenant-events';
import { TriggerSettings } from '../../mixins/webhooks/trigger-settings';
import { type App, appOf } from '../app';
import { BotMessenger } from './bot-messenger';
import { chats } from './chat';
import { deliveryLog } from './delivery-log';
import { messaging } from './messaging/receive';
import { deliveryModel, idempotencyModel } from './models';
import { IdempotencyKeys, sealedResponses } from './idempotency-keys';
import { voiceEvents } from './voice';
import { createIndexes } from '../../lib/indexes';

/** Messages, chats, provider events, the webhook delivery log, and idempotency keys. */
export const channelsService = (app: App): ServiceSchema => {
  const requests = idempotencyModel(app.db);
  const idempotencyKeys = new IdempotencyKeys(requests, app.clock, app.keys.ids, app.keyring);
  const rotation = new KeyRotation(app, [sealedResponses(requests, app.keyring)]);
  const starts = new StartRun(app);
  const settings = new TriggerSettings(app);
  const messages = messaging(app, starts, settings);
  const tenantEvents = new TenantEvents(app.clock);
  const webhookLog = deliveryLog(app, starts, tenantEvents);
  const chat = chats(app, starts);
  const deliveries = deliveryModel(app.db);
  const receiveVoice = voiceEvents(app, starts, deliveries);
  const bots = new BotMessenger(app);

  return defineService(app, channelsContract, {
    handlers: {
      ...webhookLog.actions,
      ...chat.actions,
      async purge(ctx) {
        await webhookLog.actions.purge(ctx);
        await chat.purge(ctx.tenantId, ctx.params.workflow_id);
      },
      verify_messaging: (ctx) => messages.verify(ctx),
      message: (ctx) => messages.receive(ctx),
      voice_event: (ctx) => receiveVoice(ctx),
      test_bot: (ctx) => bots.test(ctx),
      begin_once: ({ params: { scope, key, body_hash } }) => idempotencyKeys.begin(scope, key, body_hash),
      finish_once: ({ params: { scope, key, owner, status, body } }) =>
        idempotencyKeys.finish(scope, key, owner, status, body),
      renew_once: async ({ params: { scope, key, owner } }) => ({
        held: await idempotencyKeys.renew(scope, key, owner),
      }),
      abandon_once: ({ params: { scope, key, owner } }) => idempotencyKeys.abandon(scope, key, owner),
    },
    events: {
      'tenant.watch': tenantEvents.event,
      'cache.stale': {
        handle: ({ patterns }) => {
          for (const pattern of patterns) {
            starts.forget(pattern);
            settings.forget(pattern);
          }
        },
      },
    },
    async started(context) {
      await Promise.all([createIndexes(requests, deliveries), webhookLog.start(context), chat.createIndexes()]);
      rotation.start(context);
    },
    async stopped() {
      await Promise.all([rotation.stop(), bots.close()]);
    },
  });
};

export default (broker: ServiceBroker): ServiceSchema => channelsService(appOf(broker));

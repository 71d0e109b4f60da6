import type { ServiceSchema } from 'moleculer';
import { MESSAGING_CHANNELS } from '../../lib/messaging-config';
import { Rotation } from '../../mixins/keys/rotation';
import { defineService } from '../../mixins/service';
import type { App } from '../app';
import { BotMessenger } from './bot-messenger';
import { chats } from './chat';
import { inboxes } from './inbox';
import { messaging } from './messaging/receive';
import { deliveryModel, onceModel } from './models';
import { Once, sealedAnswers } from './once';
import { receiving } from './receive';
import { starting } from './starting';
import { voiceEvents } from './voice';

const text = { type: 'string', min: 1, max: 1_000 } as const;

const request = {
  workflow_id: text,
  method: text,
  headers: { type: 'object' },
  query: { type: 'object' },
  body: { type: 'any', nullable: true },
  raw: { type: 'string', optional: true },
  wait: { type: 'boolean' },
} as const;

const channel = { type: 'enum', values: [...MESSAGING_CHANNELS] } as const;
const given = { type: 'string', max: 1_000 } as const;

const once = { scope: text, key: text } as const;

/** What comes in from outside: webhooks, calls with a workflow key, and requests that must happen once. */
export const channelsService = (app: App): ServiceSchema => {
  const requests = onceModel(app.db);
  const answers = new Once(requests, app.clock, app.keys.ids, app.keyring);
  const rotation = new Rotation(app, [sealedAnswers(requests, app.keyring)]);
  const begin = starting(app);
  const { webhook, run } = receiving(app, begin);
  const messages = messaging(app, begin);
  const inbox = inboxes(app, begin);
  const chat = chats(app, begin);
  const deliveries = deliveryModel(app.db);
  const receiveVoice = voiceEvents(app, deliveries);
  const bots = new BotMessenger(app);

  return defineService(app, 'channels', {
    actions: {
      ...inbox.menu,
      ...chat.menu,
      purge: {
        ...inbox.menu.purge,
        async handle(ctx) {
          await inbox.menu.purge.handle(ctx);
          await chat.purge(ctx.tenantId, ctx.params.workflow_id);
        },
      },
      webhook: {
        access: 'internal',
        summary: 'Starts the workflow that a webhook addresses',
        params: request,
        handle: (ctx) => webhook(ctx, ctx.params, ctx.params.wait),
      },
      run: {
        access: 'internal',
        summary: 'Starts any workflow, with one of its keys',
        params: { ...request, key: text },
        handle: (ctx) => run(ctx, ctx.params, ctx.params.key, ctx.params.wait),
      },
      verify_messaging: {
        access: 'internal',
        summary: 'Answers a messaging provider that asks whose address this is',
        params: { channel, workflow_id: text, mode: given, token: given, challenge: given },
        handle: (ctx) => messages.verify(ctx),
      },
      message: {
        access: 'internal',
        summary: 'Starts the workflow that listens to messages of people',
        params: { channel, workflow_id: text, headers: { type: 'object' }, raw: 'string', url: 'string' },
        handle: (ctx) => messages.receive(ctx),
      },
      voice_event: {
        access: 'internal',
        summary: 'Starts the workflow that a voice room was made for',
        params: { headers: { type: 'object' }, raw: { type: 'string' } },
        handle: (ctx) => receiveVoice(ctx),
      },
      test_bot: {
        access: 'member',
        summary: 'Sends a test message by a bot',
        params: {
          bot_token: text,
          chat_id: [text, { type: 'number', integer: true }],
          message: { type: 'string', min: 1, max: 4_096, optional: true },
        },
        handle: (ctx) => bots.test(ctx),
      },
      begin_once: {
        access: 'internal',
        summary: 'Whether a request with an Idempotency-Key is to be carried out',
        params: { ...once, body_hash: text },
        handle: ({ params: { scope, key, body_hash } }) => answers.begin(scope, key, body_hash),
      },
      finish_once: {
        access: 'internal',
        summary: 'Keeps the answer for repeats',
        params: { ...once, status: { type: 'number', integer: true }, body: { type: 'any', nullable: true } },
        handle: ({ params: { scope, key, status, body } }) => answers.finish(scope, key, status, body),
      },
      abandon_once: {
        access: 'internal',
        summary: 'Frees the key of a request that changed nothing',
        params: once,
        handle: ({ params: { scope, key } }) => answers.abandon(scope, key),
      },
    },
    async started(context) {
      await Promise.all([
        requests.createIndexes(),
        deliveries.createIndexes(),
        inbox.createIndexes(),
        chat.createIndexes(),
      ]);
      rotation.start(context);
    },
    async stopped() {
      await Promise.all([rotation.stop(), bots.close()]);
    },
  });
};

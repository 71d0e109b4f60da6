import { isObject, type JsonObject } from '../../../lib/json';
import type { Account, HttpAction } from '../contract';
import { contentOf } from '../discord/actions';
import { fault } from '../discord/fault';
import { MENTIONS, MESSAGE, CONTENT } from '../discord/message';
import { urlPath } from '../http/path';
import { baseUrlFrom } from '../http/base-url';
import { filledText, outputOf, text } from '../../schema';
import { secretField } from '../credentials';
import { pick } from '../input';
import { NO_OUTPUT, defineConnector, idempotentWrite, readAction, writeAction } from '../define';

/** The webhook's own URL is all that there is to show. */
const hookOf = (account: Account): string => baseUrlFrom(account, 'webhook_url');

const LOOKS = {
  username: text('User name instead of that of the webhook.', 'Orders', { maxLength: 80 }),
  avatar_url: text('URL of the avatar image.', 'https://example.com/orders.png'),
};
const MESSAGE_ID = { message: filledText('ID of the message.', '334385199974967042') };
const messageOf = ({ message }: JsonObject, hook: string): string => hook + urlPath`/messages/${message}`;

const actions: readonly HttpAction[] = [
  readAction('get_webhook', 'Returns the webhook and its channel.', {
    output: outputOf({
      id: text('ID of the webhook.', '223704706495545344'),
      name: text('Name of the webhook.', 'Orders'),
      channel_id: text('ID of the channel.', '199737254929760256'),
    }),
    request: (_input, account) => ({ method: 'GET', url: hookOf(account) }),
    // The rest of it is the secret itself.
    read: ({ body }) => (isObject(body) ? pick(body, 'id', 'name', 'channel_id', 'guild_id') : {}),
  }),
  writeAction('send_message', 'Sends a message to the channel of the webhook.', {
    optional: { ...CONTENT, ...MENTIONS, ...LOOKS },
    output: MESSAGE,
    request: (input, account) => ({
      method: 'POST',
      url: hookOf(account),
      query: { wait: true },
      body: { ...contentOf(input), ...pick(input, ...Object.keys(LOOKS)) },
    }),
  }),
  idempotentWrite('edit_message', 'Replaces a message of the webhook.', {
    required: MESSAGE_ID,
    optional: { ...CONTENT, ...MENTIONS },
    output: MESSAGE,
    request: (input, account) => ({ method: 'PATCH', url: messageOf(input, hookOf(account)), body: contentOf(input) }),
  }),
  idempotentWrite('delete_message', 'Deletes a message of the webhook.', {
    required: MESSAGE_ID,
    ...NO_OUTPUT,
    request: (input, account) => ({ method: 'DELETE', url: messageOf(input, hookOf(account)) }),
  }),
];

export const discordWebhook = defineConnector({
  name: 'discord-webhook',
  title: 'Discord webhook',
  description: 'Send messages to one channel without a bot.',
  category: 'Communication',
  docs: 'https://discord.com/developers/docs/resources/webhook',

  fields: [
    secretField(
      'webhook_url',
      'URL of the webhook',
      'Channel settings > Integrations > Webhooks.',
      'https://discord.com/api/webhooks/223704706495545344/3d89bb7572e0fb30',
      { format: 'url' },
    ),
  ],
  base: hookOf,
  sign: (request) => request,
  fault,
  connectionTest: 'get_webhook',
  actions,
});

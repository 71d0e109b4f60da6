import { isObject, type JsonObject } from '../../../lib/json';
import type { Account, Connector, HttpAction } from '../contract';
import { asks, does, hidden, nothing, NOTHING, pick, settles } from '../define';
import { saying } from '../discord/actions';
import { fault } from '../discord/fault';
import { MENTIONS, MESSAGE, CONTENT } from '../discord/message';
import { at } from '../http/path';
import { siteOf } from '../http/site';
import { outputOf, text } from '../schemas';

/** The webhook's own URL is all that there is to show. */
const hookOf = (account: Account): string => siteOf(account, 'webhook_url');

const LOOKS = {
  username: text('Name', 'Instead of that of the webhook.', 'Orders', { maxLength: 80 }),
  avatar_url: text('Picture', 'The URL of an image.', 'https://example.com/orders.png'),
};
const MESSAGE_ID = { message: text('Message', 'Its id.', '334385199974967042', { minLength: 1 }) };
const messageOf = ({ message }: JsonObject, hook: string): string => hook + at`/messages/${message}`;

const actions: readonly HttpAction[] = [
  asks('get_webhook', 'Get the webhook', 'Which channel the webhook writes to.', {
    output: outputOf({
      id: text('Id', 'Of the webhook.', '223704706495545344'),
      name: text('Name', 'Of the webhook.', 'Orders'),
      channel_id: text('Channel', 'Its id.', '199737254929760256'),
    }),
    request: (_input, account) => ({ method: 'GET', url: hookOf(account) }),
    // The rest of it is the secret itself.
    read: ({ body }) => (isObject(body) ? pick(body, 'id', 'name', 'channel_id', 'guild_id') : {}),
  }),
  does('send_message', 'Send a message', 'Says something in the channel of the webhook.', {
    may: { ...CONTENT, ...MENTIONS, ...LOOKS },
    output: MESSAGE,
    request: (input, account) => ({
      method: 'POST',
      url: hookOf(account),
      query: { wait: true },
      body: { ...saying(input), ...pick(input, ...Object.keys(LOOKS)) },
    }),
  }),
  settles('edit_message', 'Change a message', 'Replaces what a message of the webhook says.', {
    needs: MESSAGE_ID,
    may: { ...CONTENT, ...MENTIONS },
    output: MESSAGE,
    request: (input, account) => ({ method: 'PATCH', url: messageOf(input, hookOf(account)), body: saying(input) }),
  }),
  settles('delete_message', 'Delete a message', 'Takes a message of the webhook away.', {
    needs: MESSAGE_ID,
    output: NOTHING,
    request: (input, account) => ({ method: 'DELETE', url: messageOf(input, hookOf(account)) }),
    read: nothing,
  }),
];

export const discordWebhook: Connector = {
  name: 'discord-webhook',
  title: 'Discord webhook',
  description: 'Messages in one channel, without a bot.',
  category: 'Communication',
  docs: 'https://discord.com/developers/docs/resources/webhook',
  auth: {
    required: true,
    fields: [
      hidden(
        'webhook_url',
        'URL of the webhook',
        'Settings of the channel, Integrations, Webhooks.',
        'https://discord.com/api/webhooks/223704706495545344/3d89bb7572e0fb30',
        { format: 'url' },
      ),
    ],
  },
  base: hookOf,
  sign: (request) => request,
  fault,
  probe: { action: 'get_webhook', input: {} },
  actions,
};

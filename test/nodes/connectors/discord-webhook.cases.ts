import { casesOf } from './case-builders';

const { gives, fails } = casesOf(
  { webhook_url: 'https://discord.com/api/webhooks/2237/3d89bb7572e0' },
  { authorization: null },
);

const MESSAGE = { id: '3343', channel_id: '1997', content: 'Shipped' };

export const cases = [
  gives(
    ['get_webhook', 'the output does not contain the secret'],
    {},
    'GET /',
    { id: '2237', name: 'Orders', channel_id: '1997', token: '3d89bb7572e0', url: 'https://discord.com/x' },
    { id: '2237', name: 'Orders', channel_id: '1997' },
  ),
  fails(
    ['get_webhook', 'a missing webhook is reported'],
    {},
    'GET /',
    { status: 404, json: { message: 'Unknown Webhook', code: 10015 } },
    { code: 'provider_10015', message: 'Discord webhook answered 404: Unknown Webhook' },
  ),
  gives(
    ['send_message', 'returns the created message'],
    { content: 'Shipped', username: 'Orders' },
    ['POST /?wait=true', { body: { content: 'Shipped', allowed_mentions: { parse: [] }, username: 'Orders' } }],
    MESSAGE,
  ),
  gives(
    ['edit_message', 'a message changes'],
    { message: '3343', content: 'Delivered' },
    ['PATCH /messages/3343', { body: { content: 'Delivered', allowed_mentions: { parse: [] } } }],
    MESSAGE,
  ),
  gives(['delete_message', 'a message goes'], { message: '3343' }, 'DELETE /messages/3343', null, {}),
];

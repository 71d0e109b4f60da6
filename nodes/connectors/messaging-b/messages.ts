import type { Json, JsonObject } from '../../../lib/json';
import { fieldOr } from '../auth';
import type { Account, ConnectorRequest, HttpAction } from '../contract';
import { urlPath } from '../http/path';
import { GRAPH_VERSION } from '../meta/fault';
import { choice, filledText, list, object, outputOf, text } from '../../schema';
import { listAt, objectAt, present, textAt } from '../values';
import { idempotentWrite, readAction, writeAction } from '../define';

const TO = filledText('Id of a person as the page knows it, as `{{ trigger.message.from }}`.', '6163822547017463', {
  maxLength: 100,
});

const TEXT = filledText('The text.', 'Your order has shipped.', { maxLength: 2_000 });

const WHY = {
  messaging_type: choice(
    ['RESPONSE', 'UPDATE', 'MESSAGE_TAG'],
    'An answer within a day, news within a day, or something that its tag allows later.',
    { default: 'RESPONSE' },
  ),
  tag: text('What allows it later.', 'HUMAN_AGENT', { pattern: '^[A-Z_]{1,64}$' }),
} as const;

const SENT = outputOf({ message_id: text('Id of the message.'), recipient_id: text('Whom it went to.') }, [
  'recipient_id',
]);

const ownerOf = (account: Account): string => fieldOr(account, 'page_id', 'me');

/** Something to one person: a message, or a sign such as typing. */
const toPerson = (input: JsonObject, account: Account, members: JsonObject): ConnectorRequest => ({
  method: 'POST',
  url: urlPath`/${GRAPH_VERSION}/${ownerOf(account)}/messages`,
  body: { recipient: { id: textAt(input, 'to') ?? '' }, ...members },
});

const message =
  (content: (input: JsonObject) => JsonObject) =>
  (input: JsonObject, account: Account): ConnectorRequest =>
    toPerson(
      input,
      account,
      present({
        messaging_type: textAt(input, 'messaging_type') ?? 'RESPONSE',
        tag: textAt(input, 'tag'),
        message: content(input),
      }),
    );

export const messages: readonly HttpAction[] = [
  writeAction('send_text', 'Writes to a person.', {
    required: { to: TO, text: TEXT },
    optional: WHY,
    output: SENT,
    request: message((input) => ({ text: textAt(input, 'text') ?? '' })),
  }),
  writeAction('send_attachment', 'An image, video, sound or file at an address.', {
    required: {
      to: TO,
      type: choice(['image', 'video', 'audio', 'file'], 'What the file is.'),
      url: text('Where the provider gets the file.', 'https://example.com/label.pdf', {
        pattern: '^https?://',
        maxLength: 2_000,
      }),
    },
    optional: WHY,
    output: SENT,
    request: message((input) => ({
      attachment: { type: textAt(input, 'type') ?? 'file', payload: { url: textAt(input, 'url') ?? '' } },
    })),
  }),
  writeAction('send_quick_replies', 'A text with answers to choose from.', {
    required: {
      to: TO,
      text: TEXT,
      replies: list(
        object(
          {
            title: filledText('What it says.', 'Yes', { maxLength: 20 }),
            payload: text('Comes back when it is chosen; the title unless it says so.', 'yes', {
              maxLength: 1_000,
            }),
            image_url: text('Address of an image.', 'https://example.com/yes.png', { maxLength: 2_000 }),
          },
          'An answer.',
          { required: ['title'] },
        ),
        'One to thirteen.',
        [{ title: 'Yes', payload: 'yes' }],
        { minItems: 1, maxItems: 13 },
      ),
    },
    optional: WHY,
    output: SENT,
    request: message((input) => ({
      text: textAt(input, 'text') ?? '',
      quick_replies: listAt(input, 'replies').map(quickReply),
    })),
  }),
  idempotentWrite('send_action', 'Typing, no longer typing, or seen.', {
    required: { to: TO, action: choice(['typing_on', 'typing_off', 'mark_seen'], 'What is shown.') },
    output: outputOf({ recipient_id: text('Who sees it.') }, ['recipient_id']),
    request: (input, account) => toPerson(input, account, { sender_action: textAt(input, 'action') ?? '' }),
  }),
  readAction('get_profile', 'The profile of the sender.', {
    required: { user_id: { ...TO, title: 'Person' } },
    output: outputOf(
      {
        id: text('Id of the person.'),
        name: text('The whole name.'),
        first_name: text('The first name.'),
        last_name: text('The last name.'),
        profile_pic: text('Its address.'),
      },
      ['id'],
    ),
    request: (input, account) => ({
      method: 'GET',
      url: urlPath`/${GRAPH_VERSION}/${input.user_id}`,
      query: {
        fields: isInstagram(account) ? 'id,name,username,profile_pic' : 'id,name,first_name,last_name,profile_pic',
      },
    }),
    read: ({ body }, input) => ({ id: textAt(input, 'user_id') ?? '', ...objectAt(body) }),
  }),
  readAction('whoami', 'Which page or account messages are sent from.', {
    output: outputOf({ id: text('Id of the page.'), name: text('Its name.') }, ['id']),
    request: (_input, account) => ({
      method: 'GET',
      url: urlPath`/${GRAPH_VERSION}/${ownerOf(account)}`,
      query: { fields: isInstagram(account) ? 'id,username' : 'id,name' },
    }),
  }),
];

/** True for an account of Instagram that is connected without a page. */
export const isInstagram = (account: Account): boolean => fieldOr(account, 'platform') === 'instagram';

function quickReply(reply: Json): JsonObject {
  const title = textAt(reply, 'title') ?? '';
  return present({
    content_type: 'text',
    title,
    payload: textAt(reply, 'payload') ?? title,
    image_url: textAt(reply, 'image_url'),
  });
}

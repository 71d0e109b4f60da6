import type { Json, JsonObject } from '../../../lib/json';
import { fieldOr } from '../auth';
import type { Account, ConnectorRequest, HttpAction } from '../contract';
import { urlPath } from '../http/path';
import { GRAPH_VERSION } from '../meta/fault';
import { choice, filledText, list, object, outputOf, text } from '../../schema';
import { listAt, objectAt, withoutUndefined, textAt } from '../values';
import { idempotentWrite, readAction, writeAction } from '../define';

const TO = filledText('Page-scoped ID of the person, such as `{{ trigger.message.from }}`.', '6163822547017463', {
  maxLength: 100,
});

const TEXT = filledText('Text.', 'Your order has shipped.', { maxLength: 2_000 });

const WHY = {
  messaging_type: choice(
    ['RESPONSE', 'UPDATE', 'MESSAGE_TAG'],
    'Reply within 24 hours, update within 24 hours, or a message that its tag allows later.',
    { default: 'RESPONSE' },
  ),
  tag: text('Tag that allows a later message.', 'HUMAN_AGENT', { pattern: '^[A-Z_]{1,64}$' }),
} as const;

const SENT = outputOf({ message_id: text('ID of the message.'), recipient_id: text('ID of the recipient.') }, [
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
      withoutUndefined({
        messaging_type: textAt(input, 'messaging_type') ?? 'RESPONSE',
        tag: textAt(input, 'tag'),
        message: content(input),
      }),
    );

export const messages: readonly HttpAction[] = [
  writeAction('send_text', 'Sends a text to a person.', {
    required: { to: TO, text: TEXT },
    optional: WHY,
    output: SENT,
    request: message((input) => ({ text: textAt(input, 'text') ?? '' })),
  }),
  writeAction('send_attachment', 'Sends an image, video, audio or file from a URL.', {
    required: {
      to: TO,
      type: choice(['image', 'video', 'audio', 'file'], 'Type of the file.'),
      url: text('Public URL of the file.', 'https://example.com/label.pdf', {
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
  writeAction('send_quick_replies', 'Sends a text with quick replies.', {
    required: {
      to: TO,
      text: TEXT,
      replies: list(
        object(
          {
            title: filledText('Text of the message.', 'Yes', { maxLength: 20 }),
            payload: text('Value that is returned when it is chosen. Default: the title.', 'yes', { maxLength: 1_000 }),
            image_url: text('URL of an image.', 'https://example.com/yes.png', { maxLength: 2_000 }),
          },
          'A quick reply.',
          { required: ['title'] },
        ),
        'One to thirteen quick replies.',
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
  idempotentWrite('send_action', 'Shows typing, hides typing, or marks messages as seen.', {
    required: { to: TO, action: choice(['typing_on', 'typing_off', 'mark_seen'], 'Status to show.') },
    output: outputOf({ recipient_id: text('Recipient.') }, ['recipient_id']),
    request: (input, account) => toPerson(input, account, { sender_action: textAt(input, 'action') ?? '' }),
  }),
  readAction('get_profile', 'Returns the profile of a sender.', {
    required: { user_id: { ...TO, title: 'Person' } },
    output: outputOf(
      {
        id: text('ID of the person.'),
        name: text('Full name.'),
        first_name: text('First name.'),
        last_name: text('Last name.'),
        profile_pic: text('URL of the profile picture.'),
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
  readAction('whoami', 'Returns the page or account that messages are sent from.', {
    output: outputOf({ id: text('ID of the page.'), name: text('Name of the field.') }, ['id']),
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
  return withoutUndefined({
    content_type: 'text',
    title,
    payload: textAt(reply, 'payload') ?? title,
    image_url: textAt(reply, 'image_url'),
  });
}

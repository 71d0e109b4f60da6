import type { Json, JsonObject } from '../../../lib/json';
import { fieldOr } from '../auth';
import type { Account, ConnectorRequest, HttpAction } from '../contract';
import { asks, does, settles } from '../define';
import { at } from '../http/path';
import { GRAPH_VERSION } from '../meta/fault';
import { choice, list, object, outputOf, text } from '../schemas';
import { listAt, objectAt, present, textAt } from '../values';

const TO = text('To', 'Id of a person as the page knows it, as `{{ trigger.message.from }}`.', '6163822547017463', {
  minLength: 1,
  maxLength: 100,
});

const TEXT = text('Text', 'The text.', 'Your order has shipped.', { minLength: 1, maxLength: 2_000 });

const WHY = {
  messaging_type: choice(
    ['RESPONSE', 'UPDATE', 'MESSAGE_TAG'],
    'Why',
    'An answer within a day, news within a day, or something that its tag allows later.',
    { default: 'RESPONSE' },
  ),
  tag: text('Tag', 'What allows it later.', 'HUMAN_AGENT', { pattern: '^[A-Z_]{1,64}$' }),
} as const;

const SENT = outputOf({ message_id: text('Id', 'Id of the message.'), recipient_id: text('To', 'Whom it went to.') }, [
  'recipient_id',
]);

const ownerOf = (account: Account): string => fieldOr(account, 'page_id', 'me');

/** Something to one person: a message, or a sign such as typing. */
const toPerson = (input: JsonObject, account: Account, members: JsonObject): ConnectorRequest => ({
  method: 'POST',
  url: at`/${GRAPH_VERSION}/${ownerOf(account)}/messages`,
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
  does('send_text', 'Send a text', 'Writes to a person.', {
    needs: { to: TO, text: TEXT },
    may: WHY,
    output: SENT,
    request: message((input) => ({ text: textAt(input, 'text') ?? '' })),
  }),
  does('send_attachment', 'Send a file', 'An image, video, sound or file at an address.', {
    needs: {
      to: TO,
      type: choice(['image', 'video', 'audio', 'file'], 'Kind', 'What the file is.'),
      url: text('Address', 'Where the provider gets the file.', 'https://example.com/label.pdf', {
        pattern: '^https?://',
        maxLength: 2_000,
      }),
    },
    may: WHY,
    output: SENT,
    request: message((input) => ({
      attachment: { type: textAt(input, 'type') ?? 'file', payload: { url: textAt(input, 'url') ?? '' } },
    })),
  }),
  does('send_quick_replies', 'Ask with quick replies', 'A text with answers to choose from.', {
    needs: {
      to: TO,
      text: TEXT,
      replies: list(
        object(
          {
            title: text('Title', 'What it says.', 'Yes', { minLength: 1, maxLength: 20 }),
            payload: text('Payload', 'Comes back when it is chosen; the title unless it says so.', 'yes', {
              maxLength: 1_000,
            }),
            image_url: text('Icon', 'Address of an image.', 'https://example.com/yes.png', { maxLength: 2_000 }),
          },
          'Reply',
          'An answer.',
          { required: ['title'] },
        ),
        'Replies',
        'One to thirteen.',
        [{ title: 'Yes', payload: 'yes' }],
        { minItems: 1, maxItems: 13 },
      ),
    },
    may: WHY,
    output: SENT,
    request: message((input) => ({
      text: textAt(input, 'text') ?? '',
      quick_replies: listAt(input, 'replies').map(quickReply),
    })),
  }),
  settles('send_action', 'Show a sign', 'Typing, no longer typing, or seen.', {
    needs: { to: TO, action: choice(['typing_on', 'typing_off', 'mark_seen'], 'Sign', 'What is shown.') },
    output: outputOf({ recipient_id: text('To', 'Who sees it.') }, ['recipient_id']),
    request: (input, account) => toPerson(input, account, { sender_action: textAt(input, 'action') ?? '' }),
  }),
  asks('get_profile', 'Look at a person', 'The profile of the sender.', {
    needs: { user_id: { ...TO, title: 'Person' } },
    output: outputOf(
      {
        id: text('Id', 'Id of the person.'),
        name: text('Name', 'The whole name.'),
        first_name: text('First name', 'The first name.'),
        last_name: text('Last name', 'The last name.'),
        profile_pic: text('Picture', 'Its address.'),
      },
      ['id'],
    ),
    request: (input, account) => ({
      method: 'GET',
      url: at`/${GRAPH_VERSION}/${input.user_id}`,
      query: {
        fields: isInstagram(account) ? 'id,name,username,profile_pic' : 'id,name,first_name,last_name,profile_pic',
      },
    }),
    read: ({ body }, input) => ({ id: textAt(input, 'user_id') ?? '', ...objectAt(body) }),
  }),
  asks('whoami', 'Look at the connection', 'Which page or account messages are sent from.', {
    output: outputOf({ id: text('Id', 'Id of the page.'), name: text('Name', 'Its name.') }, ['id']),
    request: (_input, account) => ({
      method: 'GET',
      url: at`/${GRAPH_VERSION}/${ownerOf(account)}`,
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

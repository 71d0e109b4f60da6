import type { HttpAction } from '../contract';
import { urlPath } from '../http/path';
import { integer, list, outputOf, text } from '../../schema';
import { listAt, numberAt, withoutUndefined, textAt, textsAt } from '../values';
import { LABEL, LABEL_IDS, MESSAGE, MESSAGE_ID, SENT } from './fields';
import { idsOf, messageOf } from './read';
import { idempotentWrite, readAction } from '../define';

export const mailbox: readonly HttpAction[] = [
  readAction('get', 'Returns a message with its text and attachments.', {
    required: { message_id: MESSAGE_ID },
    output: MESSAGE,
    call: 'GET /gmail/v1/users/me/messages/{message_id}',
    query: { format: 'full' },
    read: ({ body }) => messageOf(body),
  }),
  readAction('list_labels', 'Lists system and user labels.', {
    output: outputOf({ labels: list(LABEL, 'All tags or labels.') }, ['labels']),
    call: 'GET /gmail/v1/users/me/labels',
    read: ({ body }) => ({ labels: listAt(body, 'labels') }),
  }),
  idempotentWrite('modify_labels', 'Adds and removes labels. Removing UNREAD marks as read; removing INBOX archives.', {
    required: { message_id: MESSAGE_ID },
    optional: { add: LABEL_IDS('Labels to add.', 'STARRED'), remove: LABEL_IDS('Labels to remove.', 'UNREAD') },
    output: SENT,
    request: (input) => ({
      method: 'POST',
      url: urlPath`/gmail/v1/users/me/messages/${input.message_id}/modify`,
      body: withoutUndefined({
        addLabelIds: 'add' in input ? textsAt(input, 'add') : undefined,
        removeLabelIds: 'remove' in input ? textsAt(input, 'remove') : undefined,
      }),
    }),
    read: ({ body }) => idsOf(body),
  }),
  idempotentWrite('trash', 'Moves a message to the trash.', {
    required: { message_id: MESSAGE_ID },
    output: SENT,
    call: 'POST /gmail/v1/users/me/messages/{message_id}/trash',
    read: ({ body }) => idsOf(body),
  }),
  readAction('get_profile', 'Returns the email address and message counts of the mailbox.', {
    output: outputOf(
      {
        email: text('Email address of the account.'),
        messages: integer('Number of items.'),
        threads: integer('Number of items.'),
      },
      ['email'],
    ),
    call: 'GET /gmail/v1/users/me/profile',
    read: ({ body }) =>
      withoutUndefined({
        email: textAt(body, 'emailAddress'),
        messages: numberAt(body, 'messagesTotal'),
        threads: numberAt(body, 'threadsTotal'),
      }),
  }),
];

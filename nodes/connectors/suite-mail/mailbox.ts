import type { HttpAction } from '../contract';
import { urlPath } from '../http/path';
import { integer, list, outputOf, text } from '../../schema';
import { listAt, numberAt, present, textAt, textsAt } from '../values';
import { LABEL, LABEL_IDS, MESSAGE, MESSAGE_ID, SENT } from './fields';
import { idsOf, messageOf } from './read';
import { idempotentWrite, readAction } from '../define';

export const mailbox: readonly HttpAction[] = [
  readAction('get', 'A message with its text, and what is attached.', {
    required: { message_id: MESSAGE_ID },
    output: MESSAGE,
    call: 'GET /gmail/v1/users/me/messages/{message_id}',
    query: { format: 'full' },
    read: ({ body }) => messageOf(body),
  }),
  readAction('list_labels', 'Labels of the mailbox: its own, and those that were made.', {
    output: outputOf({ labels: list(LABEL, 'All of them.') }, ['labels']),
    call: 'GET /gmail/v1/users/me/labels',
    read: ({ body }) => ({ labels: listAt(body, 'labels') }),
  }),
  idempotentWrite('modify_labels', 'Adds and removes labels: without UNREAD it is read, without INBOX archived.', {
    required: { message_id: MESSAGE_ID },
    optional: {
      add: LABEL_IDS('Labels that it gets.', 'STARRED'),
      remove: LABEL_IDS('Labels that it loses.', 'UNREAD'),
    },
    output: SENT,
    request: (input) => ({
      method: 'POST',
      url: urlPath`/gmail/v1/users/me/messages/${input.message_id}/modify`,
      body: present({
        addLabelIds: 'add' in input ? textsAt(input, 'add') : undefined,
        removeLabelIds: 'remove' in input ? textsAt(input, 'remove') : undefined,
      }),
    }),
    read: ({ body }) => idsOf(body),
  }),
  idempotentWrite('trash', 'Puts a message into the trash, where it stays for a while.', {
    required: { message_id: MESSAGE_ID },
    output: SENT,
    call: 'POST /gmail/v1/users/me/messages/{message_id}/trash',
    read: ({ body }) => idsOf(body),
  }),
  readAction('get_profile', 'Whose it is, and how much there is in it.', {
    output: outputOf(
      {
        email: text('The address of the account.'),
        messages: integer('How many there are.'),
        threads: integer('How many there are.'),
      },
      ['email'],
    ),
    call: 'GET /gmail/v1/users/me/profile',
    read: ({ body }) =>
      present({
        email: textAt(body, 'emailAddress'),
        messages: numberAt(body, 'messagesTotal'),
        threads: numberAt(body, 'threadsTotal'),
      }),
  }),
];

import type { HttpAction } from '../contract';
import { asks, settles } from '../define';
import { at } from '../http/path';
import { integer, list, outputOf, text } from '../schemas';
import { listAt, numberAt, present, textAt, textsAt } from '../values';
import { LABEL, LABEL_IDS, MESSAGE, MESSAGE_ID, SENT } from './fields';
import { idsOf, messageOf } from './read';

export const mailbox: readonly HttpAction[] = [
  asks('get', 'Read an email', 'A message with its text, and what is attached.', {
    needs: { message_id: MESSAGE_ID },
    output: MESSAGE,
    call: 'GET /gmail/v1/users/me/messages/{message_id}',
    query: { format: 'full' },
    read: ({ body }) => messageOf(body),
  }),
  asks('list_labels', 'List labels', 'Labels of the mailbox: its own, and those that were made.', {
    output: outputOf({ labels: list(LABEL, 'Labels', 'All of them.') }, ['labels']),
    call: 'GET /gmail/v1/users/me/labels',
    read: ({ body }) => ({ labels: listAt(body, 'labels') }),
  }),
  settles(
    'modify_labels',
    'Label an email',
    'Adds and removes labels: without UNREAD it is read, without INBOX archived.',
    {
      needs: { message_id: MESSAGE_ID },
      may: {
        add: LABEL_IDS('Add', 'Labels that it gets.', 'STARRED'),
        remove: LABEL_IDS('Remove', 'Labels that it loses.', 'UNREAD'),
      },
      output: SENT,
      request: (input) => ({
        method: 'POST',
        url: at`/gmail/v1/users/me/messages/${input.message_id}/modify`,
        body: present({
          addLabelIds: 'add' in input ? textsAt(input, 'add') : undefined,
          removeLabelIds: 'remove' in input ? textsAt(input, 'remove') : undefined,
        }),
      }),
      read: ({ body }) => idsOf(body),
    },
  ),
  settles('trash', 'Trash an email', 'Puts a message into the trash, where it stays for a while.', {
    needs: { message_id: MESSAGE_ID },
    output: SENT,
    call: 'POST /gmail/v1/users/me/messages/{message_id}/trash',
    read: ({ body }) => idsOf(body),
  }),
  asks('get_profile', 'Look at the mailbox', 'Whose it is, and how much there is in it.', {
    output: outputOf(
      {
        email: text('Email address', 'The address of the account.'),
        messages: integer('Messages', 'How many there are.'),
        threads: integer('Conversations', 'How many there are.'),
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

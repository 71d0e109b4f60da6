import type { HttpAction, Pages } from '../contract';
import { byCursor } from '../http/pages';
import { filledText, flag, list, outputOf, text } from '../../schema';
import { textsAt } from '../values';
import { CHANNEL, CHANNEL_TYPES, ITEM_CHANNEL, ITEM_MESSAGE, ITEM_USER, MESSAGE_TS, SINCE } from './fields';
import { member, withoutOk } from './read';
import { idempotentWrite, readAction } from '../define';

/** Most in a page that the provider recommends. */
const PAGE = { limit: 200 };

const pagesOf = (items: string): Pages =>
  byCursor({ items, cursor: 'response_metadata.next_cursor', parameter: 'cursor' });

export const directory: readonly HttpAction[] = [
  readAction('list_channels', 'Lists channels that the app can access.', {
    optional: { types: CHANNEL_TYPES, exclude_archived: flag('Excludes archived channels.', { default: true }) },
    item: ITEM_CHANNEL,
    request: (input) => ({
      method: 'GET',
      url: '/conversations.list',
      query: {
        ...PAGE,
        types: textsAt(input, 'types').join(',') || 'public_channel',
        exclude_archived: input.exclude_archived !== false,
      },
    }),
    pages: pagesOf('channels'),
  }),
  readAction('get_history', 'Lists messages of a channel, newest first.', {
    required: { channel: CHANNEL },
    optional: SINCE,
    item: ITEM_MESSAGE,
    call: 'GET /conversations.history',
    query: { ...PAGE },
    pages: pagesOf('messages'),
  }),
  readAction('get_replies', 'Lists a message and its thread replies, oldest first.', {
    required: { channel: CHANNEL, ts: MESSAGE_TS },
    optional: SINCE,
    item: ITEM_MESSAGE,
    call: 'GET /conversations.replies',
    query: { ...PAGE },
    pages: pagesOf('messages'),
  }),
  readAction('list_users', 'Lists all users of the workspace, including bots and deactivated users.', {
    item: ITEM_USER,
    call: 'GET /users.list',
    query: PAGE,
    pages: pagesOf('members'),
  }),
  readAction('find_user_by_email', 'Finds a user by email address.', {
    required: {
      email: text("Email address in the user's profile.", 'ada@example.com', { minLength: 3, maxLength: 254 }),
    },
    output: ITEM_USER,
    call: 'GET /users.lookupByEmail',
    read: member('user'),
  }),
  idempotentWrite(
    'open_direct_message',
    'Opens a direct message with users and returns its channel; the same users have the same channel.',
    {
      required: {
        users: list(filledText('ID of a user.', 'W1234567890', { maxLength: 100 }), 'IDs of users.', ['W1234567890'], {
          minItems: 1,
          maxItems: 8,
        }),
      },
      output: outputOf({ id: text('ID of the channel.') }, ['id']),
      request: (input) => ({
        method: 'POST',
        url: '/conversations.open',
        body: { users: textsAt(input, 'users').join(',') },
      }),
      read: member('channel'),
    },
  ),
  readAction('whoami', 'Returns the workspace and user of the connection.', {
    output: outputOf(
      {
        url: text('Address of the workspace.'),
        team: text('Name of the field.'),
        team_id: text('ID of the team.'),
        user: text('Name of the user.'),
        user_id: text('ID of the user.'),
      },
      ['team_id', 'user_id'],
    ),
    call: 'POST /auth.test',
    body: {},
    read: withoutOk,
  }),
];

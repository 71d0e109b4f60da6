import type { HttpAction, Pages } from '../contract';
import { asks, settles } from '../define';
import { byCursor } from '../http/pages';
import { flag, list, outputOf, text } from '../schemas';
import { textsAt } from '../values';
import { CHANNEL, CHANNEL_TYPES, ITEM_CHANNEL, ITEM_MESSAGE, ITEM_USER, MESSAGE_TS, SINCE } from './fields';
import { member, withoutOk } from './read';

/** Most in a page that the provider recommends. */
const PAGE = { limit: 200 };

const pagesOf = (items: string): Pages =>
  byCursor({ items, cursor: 'response_metadata.next_cursor', parameter: 'cursor' });

export const directory: readonly HttpAction[] = [
  asks('list_channels', 'List channels', 'Channels that the app can see.', {
    may: {
      types: CHANNEL_TYPES,
      exclude_archived: flag('Without archived ones', 'Leaves out channels that are closed.', { default: true }),
    },
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
  asks('get_history', 'Read a channel', 'Messages of a channel, the newest first.', {
    needs: { channel: CHANNEL },
    may: SINCE,
    item: ITEM_MESSAGE,
    call: 'GET /conversations.history',
    query: { ...PAGE },
    pages: pagesOf('messages'),
  }),
  asks('get_replies', 'Read a thread', 'A message and the replies in its thread, the oldest first.', {
    needs: { channel: CHANNEL, ts: MESSAGE_TS },
    may: SINCE,
    item: ITEM_MESSAGE,
    call: 'GET /conversations.replies',
    query: { ...PAGE },
    pages: pagesOf('messages'),
  }),
  asks('list_users', 'List users', 'Everybody in the workspace, machines and closed accounts too.', {
    item: ITEM_USER,
    call: 'GET /users.list',
    query: PAGE,
    pages: pagesOf('members'),
  }),
  asks('find_user_by_email', 'Find a user by email address', 'Whose address it is.', {
    needs: {
      email: text('Email address', 'As it stands in the profile.', 'ada@example.com', { minLength: 3, maxLength: 254 }),
    },
    output: ITEM_USER,
    call: 'GET /users.lookupByEmail',
    read: member('user'),
  }),
  settles(
    'open_direct_message',
    'Open a direct message',
    'The channel of a talk with users; the same for the same users.',
    {
      needs: {
        users: list(
          text('User', 'Id of a user.', 'W1234567890', { minLength: 1, maxLength: 100 }),
          'Users',
          'With whom.',
          ['W1234567890'],
          { minItems: 1, maxItems: 8 },
        ),
      },
      output: outputOf({ id: text('Id', 'Id of the channel, for messages.') }, ['id']),
      request: (input) => ({
        method: 'POST',
        url: '/conversations.open',
        body: { users: textsAt(input, 'users').join(',') },
      }),
      read: member('channel'),
    },
  ),
  asks('whoami', 'Look at the connection', 'Which workspace and user the connection acts for.', {
    output: outputOf(
      {
        url: text('URL', 'Address of the workspace.'),
        team: text('Workspace', 'Its name.'),
        team_id: text('Workspace id', 'Its id.'),
        user: text('User', 'Name of the user.'),
        user_id: text('User id', 'Id of the user.'),
      },
      ['team_id', 'user_id'],
    ),
    call: 'POST /auth.test',
    body: {},
    read: withoutOk,
  }),
];

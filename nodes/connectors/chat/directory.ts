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
  readAction('list_channels', 'Channels that the app can see.', {
    optional: {
      types: CHANNEL_TYPES,
      exclude_archived: flag('Leaves out channels that are closed.', { default: true }),
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
  readAction('get_history', 'Messages of a channel, the newest first.', {
    required: { channel: CHANNEL },
    optional: SINCE,
    item: ITEM_MESSAGE,
    call: 'GET /conversations.history',
    query: { ...PAGE },
    pages: pagesOf('messages'),
  }),
  readAction('get_replies', 'A message and the replies in its thread, the oldest first.', {
    required: { channel: CHANNEL, ts: MESSAGE_TS },
    optional: SINCE,
    item: ITEM_MESSAGE,
    call: 'GET /conversations.replies',
    query: { ...PAGE },
    pages: pagesOf('messages'),
  }),
  readAction('list_users', 'Everybody in the workspace, machines and closed accounts too.', {
    item: ITEM_USER,
    call: 'GET /users.list',
    query: PAGE,
    pages: pagesOf('members'),
  }),
  readAction('find_user_by_email', 'Whose address it is.', {
    required: {
      email: text('As it stands in the profile.', 'ada@example.com', { minLength: 3, maxLength: 254 }),
    },
    output: ITEM_USER,
    call: 'GET /users.lookupByEmail',
    read: member('user'),
  }),
  idempotentWrite('open_direct_message', 'The channel of a talk with users; the same for the same users.', {
    required: {
      users: list(filledText('Id of a user.', 'W1234567890', { maxLength: 100 }), 'With whom.', ['W1234567890'], {
        minItems: 1,
        maxItems: 8,
      }),
    },
    output: outputOf({ id: text('Id of the channel, for messages.') }, ['id']),
    request: (input) => ({
      method: 'POST',
      url: '/conversations.open',
      body: { users: textsAt(input, 'users').join(',') },
    }),
    read: member('channel'),
  }),
  readAction('whoami', 'Which workspace and user the connection acts for.', {
    output: outputOf(
      {
        url: text('Address of the workspace.'),
        team: text('Its name.'),
        team_id: text('Its id.'),
        user: text('Name of the user.'),
        user_id: text('Id of the user.'),
      },
      ['team_id', 'user_id'],
    ),
    call: 'POST /auth.test',
    body: {},
    read: withoutOk,
  }),
];

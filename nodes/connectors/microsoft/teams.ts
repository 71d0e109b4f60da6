import type { JsonObject } from '../../../lib/json';
import type { HttpAction } from '../contract';
import { choice, outputOf, record, text } from '../../schema';
import { readAction, writeAction } from '../define';
import { urlPath } from '../http/path';
import { graphPages, idField } from './graph';

const TEAM_ID = idField('ID of the team.', 'fbe2bf47-16c8-47cf-b4a5-4b9b187c508b');
const CHANNEL_ID = idField('ID of the channel.', '19:4a95f7d8db4c4e7fae857bcebe0623e6@thread.tacv2');
const CHAT_ID = idField('ID of the chat.', '19:2da4c29f6d7041eca70b638b43d45437@thread.v2');
const CONTENT = {
  content: text('Text of the message.', 'Order 4711 has shipped.', { minLength: 1, maxLength: 28_000 }),
};
const FORMAT = choice(['text', 'html'], 'Format of the text.', { default: 'text' });
const MESSAGE = outputOf(
  { id: text('ID of the message.'), webUrl: text('URL in the app.'), body: record('`contentType` and `content`.') },
  ['id'],
);

const bodyOf = ({ content, format }: JsonObject): JsonObject => ({
  body: { contentType: format === 'html' ? 'html' : 'text', content: content ?? '' },
});

/** Teams, in the name of the account; `microsoft-teams` posts by webhooks instead. */
export const teams: readonly HttpAction[] = [
  readAction('list_teams', 'Lists the teams of the account.', {
    item: outputOf({ id: text('ID of the team.'), displayName: text('Name.') }, ['id']),
    call: 'GET /me/joinedTeams',
    pages: graphPages,
  }),
  readAction('list_channels', 'Lists the channels of a team.', {
    required: { team_id: TEAM_ID },
    item: outputOf({ id: text('ID of the channel.'), displayName: text('Name.') }, ['id']),
    call: 'GET /teams/{team_id}/channels',
    pages: graphPages,
  }),
  writeAction('send_channel_message', 'Sends a message to a channel.', {
    required: { team_id: TEAM_ID, channel_id: CHANNEL_ID, ...CONTENT },
    optional: { format: FORMAT },
    output: MESSAGE,
    request: (input) => ({
      method: 'POST',
      url: urlPath`/teams/${input.team_id}/channels/${input.channel_id}/messages`,
      body: bodyOf(input),
    }),
  }),
  readAction('list_chats', 'Lists the chats of the account.', {
    item: outputOf(
      { id: text('ID of the chat.'), topic: text('Title.'), chatType: text('`oneOnOne`, `group` or `meeting`.') },
      ['id'],
    ),
    call: 'GET /me/chats',
    query: { $top: 50 },
    pages: graphPages,
  }),
  writeAction('send_chat_message', 'Sends a message to a chat.', {
    required: { chat_id: CHAT_ID, ...CONTENT },
    optional: { format: FORMAT },
    output: MESSAGE,
    request: (input) => ({ method: 'POST', url: urlPath`/chats/${input.chat_id}/messages`, body: bodyOf(input) }),
  }),
];

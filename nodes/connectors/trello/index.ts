import { field, withHeaders } from '../auth';
import type { HttpAction } from '../contract';
import { urlPath } from '../http/path';
import { outputList } from '../http/read';
import { faultFrom } from '../http/error-text';
import { choice, filledText, flag, integer, list, outputOf, text } from '../../schema';
import { secretField } from '../credentials';
import { queryFrom } from '../input';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const CARD_ID = { card: filledText('ID or short link.', '5abbe4b7ddc1b351ef961414') };
const BOARD_ID = { board: filledText('ID or short link.', '5abbe4b7ddc1b351ef961413') };
const LIST_ID = filledText('ID of a list.', '5abbe4b7ddc1b351ef961415');
const NAME = filledText('Name.', 'Call the supplier');
const WRITTEN = {
  desc: text('Text in Markdown.', 'Ask for the **delivery date**.'),
  due: text('Time in ISO 8601 format.', '2026-12-31T12:00:00Z'),
  dueComplete: flag('Whether the due date is marked as complete.'),
  idMembers: list({ type: 'string' }, 'IDs of members.', ['5abbe4b7ddc1b351ef961416']),
  idLabels: list({ type: 'string' }, 'IDs of labels of the board.', ['5abbe4b7ddc1b351ef961417']),
  pos: choice(['top', 'bottom'], 'Position in the list.'),
};
const THING = outputOf({ id: text('ID of the resource.', '5abbe4b7ddc1b351ef961414'), name: NAME });
const CARD = outputOf({
  id: text('ID of the card.', '5abbe4b7ddc1b351ef961414'),
  name: NAME,
  idList: LIST_ID,
  closed: flag('Whether it is archived.'),
  shortUrl: text('URL of the page in the web app.', 'https://trello.com/c/H0TZyzbK'),
});
const CARDS = outputOf({ cards: list(CARD, 'Items in order.'), count: integer('Number of items.', 1) });

const actions: readonly HttpAction[] = [
  readAction('get_me', 'Returns the member of the connection.', {
    output: outputOf({
      id: text('ID of the member.', '5abbe4b7ddc1b351ef961416'),
      username: text('User name as in mentions.', 'ada'),
      fullName: text('Display name.', 'Ada Lovelace'),
    }),
    call: 'GET /members/me',
    query: { fields: 'username,fullName' },
  }),
  readAction('list_boards', 'Lists open boards of the member.', {
    output: outputOf({ boards: list(THING, 'IDs and names.'), count: integer('Number of items.', 1) }),
    call: 'GET /members/me/boards',
    query: { filter: 'open', fields: 'name,url,closed' },
    read: outputList('boards'),
  }),
  readAction('list_lists', 'Lists open lists of a board.', {
    required: BOARD_ID,
    output: outputOf({ lists: list(THING, 'IDs and names.'), count: integer('Number of items.', 1) }),
    call: 'GET /boards/{board}/lists',
    query: { filter: 'open' },
    read: outputList('lists'),
  }),
  readAction('list_cards', 'Lists open cards of a list.', {
    required: { list: LIST_ID },
    output: CARDS,
    call: 'GET /lists/{list}/cards',
    read: outputList('cards'),
  }),
  readAction('get_card', 'Returns a card.', { required: CARD_ID, output: CARD, call: 'GET /cards/{card}' }),
  writeAction('create_card', 'Creates a card in a list.', {
    required: { idList: LIST_ID, name: NAME },
    optional: WRITTEN,
    output: CARD,
    call: 'POST /cards',
  }),
  idempotentWrite('update_card', 'Updates the given fields of a card, such as its list.', {
    required: CARD_ID,
    optional: { name: NAME, idList: LIST_ID, ...WRITTEN, closed: flag('Archives or restores it.') },
    output: CARD,
    call: 'PUT /cards/{card}',
  }),
  writeAction('comment', 'Adds a comment to a card.', {
    required: { ...CARD_ID, text: filledText('Text in Markdown.', 'Delivered.', { maxLength: 16_384 }) },
    output: outputOf({ id: text('ID of the comment.', '5abbe4b7ddc1b351ef961418') }),
    request: (input) => ({
      method: 'POST',
      url: urlPath`/cards/${input.card}/actions/comments`,
      query: queryFrom(input, 'text'),
    }),
  }),
];

export const trello = defineConnector({
  name: 'trello',
  title: 'Trello',
  description: 'Manage boards, lists and cards.',
  category: 'Project management',
  docs: 'https://developer.atlassian.com/cloud/trello/rest/',

  fields: [
    secretField(
      'api_key',
      'API key',
      'API key of a Power-Up: trello.com/power-ups/admin.',
      '0471642aefef5fa1fa76530ce1ba4c85',
    ),
    secretField('token', 'Token', 'Token that a user granted to the API key.', 'ATTA9eb76d9a9d02b8dd40c2f3e5df18556c'),
  ],
  base: 'https://api.trello.com/1',
  // In a header, and not in the URL as well as it could be: URLs are written into logs.
  sign: (request, account) =>
    withHeaders(request, {
      authorization: `OAuth oauth_consumer_key="${field(account, 'api_key')}", oauth_token="${field(account, 'token')}"`,
    }),
  fault: faultFrom({}),
  connectionTest: 'get_me',
  actions,
});

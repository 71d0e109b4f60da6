import { field, withHeaders } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { urlPath } from '../http/path';
import { outputList } from '../http/read';
import { faultFrom } from '../http/error-text';
import { choice, filledText, flag, integer, list, outputOf, text } from '../../schema';
import { secretField } from '../credentials';
import { queryFrom } from '../input';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const CARD_ID = {
  card: filledText('Its id, or the short one of its link.', '5abbe4b7ddc1b351ef961414'),
};
const BOARD_ID = {
  board: filledText('Its id, or the short one of its link.', '5abbe4b7ddc1b351ef961413'),
};
const LIST_ID = filledText('The id of a list.', '5abbe4b7ddc1b351ef961415');
const NAME = filledText('What people read on it.', 'Call the supplier');
const WRITTEN = {
  desc: text('In Markdown.', 'Ask for the **delivery date**.'),
  due: text('An instant.', '2026-12-31T12:00:00Z'),
  dueComplete: flag('Whether what is due has been done.'),
  idMembers: list({ type: 'string' }, 'Ids of members.', ['5abbe4b7ddc1b351ef961416']),
  idLabels: list({ type: 'string' }, 'Ids of labels of the board.', ['5abbe4b7ddc1b351ef961417']),
  pos: choice(['top', 'bottom'], 'Where in the list.'),
};
const THING = outputOf({ id: text('Of the thing.', '5abbe4b7ddc1b351ef961414'), name: NAME });
const CARD = outputOf({
  id: text('Of the card.', '5abbe4b7ddc1b351ef961414'),
  name: NAME,
  idList: LIST_ID,
  closed: flag('Whether it is archived.'),
  shortUrl: text('Where people see it.', 'https://trello.com/c/H0TZyzbK'),
});
const CARDS = outputOf({
  cards: list(CARD, 'In their order.'),
  count: integer('How many there are.', 1),
});

const actions: readonly HttpAction[] = [
  readAction('get_me', 'The member that the connection acts for.', {
    output: outputOf({
      id: text('Of the member.', '5abbe4b7ddc1b351ef961416'),
      username: text('As in mentions.', 'ada'),
      fullName: text('As people read it.', 'Ada Lovelace'),
    }),
    call: 'GET /members/me',
    query: { fields: 'username,fullName' },
  }),
  readAction('list_boards', 'Open boards of the member that the connection acts for.', {
    output: outputOf({
      boards: list(THING, 'With ids and names.'),
      count: integer('How many there are.', 1),
    }),
    call: 'GET /members/me/boards',
    query: { filter: 'open', fields: 'name,url,closed' },
    read: outputList('boards'),
  }),
  readAction('list_lists', 'Open lists of a board.', {
    required: BOARD_ID,
    output: outputOf({
      lists: list(THING, 'With ids and names.'),
      count: integer('How many there are.', 1),
    }),
    call: 'GET /boards/{board}/lists',
    query: { filter: 'open' },
    read: outputList('lists'),
  }),
  readAction('list_cards', 'Open cards of a list.', {
    required: { list: LIST_ID },
    output: CARDS,
    call: 'GET /lists/{list}/cards',
    read: outputList('cards'),
  }),
  readAction('get_card', 'One card.', { required: CARD_ID, output: CARD, call: 'GET /cards/{card}' }),
  writeAction('create_card', 'Puts a card into a list.', {
    required: { idList: LIST_ID, name: NAME },
    optional: WRITTEN,
    output: CARD,
    call: 'POST /cards',
  }),
  idempotentWrite('update_card', 'Sets what is given of a card, moves it to another list, or archives it.', {
    required: CARD_ID,
    optional: { name: NAME, idList: LIST_ID, ...WRITTEN, closed: flag('Archives it, or brings it back.') },
    output: CARD,
    call: 'PUT /cards/{card}',
  }),
  writeAction('comment', 'Writes below a card.', {
    required: { ...CARD_ID, text: filledText('In Markdown.', 'Delivered.', { maxLength: 16_384 }) },
    output: outputOf({ id: text('Of the comment.', '5abbe4b7ddc1b351ef961418') }),
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
  description: 'Boards, lists and cards.',
  category: 'Project management',
  docs: 'https://developer.atlassian.com/cloud/trello/rest/',

  fields: [
    secretField('api_key', 'API key', 'Of a Power-Up: trello.com/power-ups/admin.', '0471642aefef5fa1fa76530ce1ba4c85'),
    secretField('token', 'Token', 'What a user has granted to that key.', 'ATTA9eb76d9a9d02b8dd40c2f3e5df18556c'),
  ],
  base: 'https://api.trello.com/1',
  // In a header, and not in the URL as well as it could be: URLs are written into logs.
  sign: (request, account) =>
    withHeaders(request, {
      authorization: `OAuth oauth_consumer_key="${field(account, 'api_key')}", oauth_token="${field(account, 'token')}"`,
    }),
  fault: faultFrom({}),
  probe: 'get_me',
  actions,
});

import { field, withHeaders } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { ask, asks, does, hidden, settles } from '../define';
import { at } from '../http/path';
import { listAs } from '../http/read';
import { worded } from '../http/error-text';
import { choice, flag, integer, list, outputOf, text } from '../schemas';

const CARD_ID = {
  card: text('Card', 'Its id, or the short one of its link.', '5abbe4b7ddc1b351ef961414', { minLength: 1 }),
};
const BOARD_ID = {
  board: text('Board', 'Its id, or the short one of its link.', '5abbe4b7ddc1b351ef961413', { minLength: 1 }),
};
const LIST_ID = text('List', 'The id of a list.', '5abbe4b7ddc1b351ef961415', { minLength: 1 });
const NAME = text('Name', 'What people read on it.', 'Call the supplier', { minLength: 1 });
const WRITTEN = {
  desc: text('Description', 'In Markdown.', 'Ask for the **delivery date**.'),
  due: text('Due', 'An instant.', '2026-12-31T12:00:00Z'),
  dueComplete: flag('Done', 'Whether what is due has been done.'),
  idMembers: list({ type: 'string' }, 'Members', 'Ids of members.', ['5abbe4b7ddc1b351ef961416']),
  idLabels: list({ type: 'string' }, 'Labels', 'Ids of labels of the board.', ['5abbe4b7ddc1b351ef961417']),
  pos: choice(['top', 'bottom'], 'Place', 'Where in the list.'),
};
const THING = outputOf({ id: text('Id', 'Of the thing.', '5abbe4b7ddc1b351ef961414'), name: NAME });
const CARD = outputOf({
  id: text('Id', 'Of the card.', '5abbe4b7ddc1b351ef961414'),
  name: NAME,
  idList: LIST_ID,
  closed: flag('Archived', 'Whether it is archived.'),
  shortUrl: text('Page', 'Where people see it.', 'https://trello.com/c/H0TZyzbK'),
});
const CARDS = outputOf({
  cards: list(CARD, 'Cards', 'In their order.'),
  count: integer('Count', 'How many there are.', 1),
});

const actions: readonly HttpAction[] = [
  asks('get_me', 'Get my account', 'The member that the connection acts for.', {
    output: outputOf({
      id: text('Id', 'Of the member.', '5abbe4b7ddc1b351ef961416'),
      username: text('User name', 'As in mentions.', 'ada'),
      fullName: text('Name', 'As people read it.', 'Ada Lovelace'),
    }),
    call: 'GET /members/me',
    query: { fields: 'username,fullName' },
  }),
  asks('list_boards', 'List boards', 'Open boards of the member that the connection acts for.', {
    output: outputOf({
      boards: list(THING, 'Boards', 'With ids and names.'),
      count: integer('Count', 'How many there are.', 1),
    }),
    call: 'GET /members/me/boards',
    query: { filter: 'open', fields: 'name,url,closed' },
    read: listAs('boards'),
  }),
  asks('list_lists', 'List lists', 'Open lists of a board.', {
    needs: BOARD_ID,
    output: outputOf({
      lists: list(THING, 'Lists', 'With ids and names.'),
      count: integer('Count', 'How many there are.', 1),
    }),
    call: 'GET /boards/{board}/lists',
    query: { filter: 'open' },
    read: listAs('lists'),
  }),
  asks('list_cards', 'List cards', 'Open cards of a list.', {
    needs: { list: LIST_ID },
    output: CARDS,
    call: 'GET /lists/{list}/cards',
    read: listAs('cards'),
  }),
  asks('get_card', 'Get a card', 'One card.', { needs: CARD_ID, output: CARD, call: 'GET /cards/{card}' }),
  does('create_card', 'Create a card', 'Puts a card into a list.', {
    needs: { idList: LIST_ID, name: NAME },
    may: WRITTEN,
    output: CARD,
    call: 'POST /cards',
  }),
  settles('update_card', 'Change a card', 'Sets what is given of a card, moves it to another list, or archives it.', {
    needs: CARD_ID,
    may: { name: NAME, idList: LIST_ID, ...WRITTEN, closed: flag('Archived', 'Archives it, or brings it back.') },
    output: CARD,
    call: 'PUT /cards/{card}',
  }),
  does('comment', 'Comment', 'Writes below a card.', {
    needs: { ...CARD_ID, text: text('Text', 'In Markdown.', 'Delivered.', { minLength: 1, maxLength: 16_384 }) },
    output: outputOf({ id: text('Id', 'Of the comment.', '5abbe4b7ddc1b351ef961418') }),
    request: (input) => ({ method: 'POST', url: at`/cards/${input.card}/actions/comments`, query: ask(input, 'text') }),
  }),
];

export const trello: Connector = {
  name: 'trello',
  title: 'Trello',
  description: 'Boards, lists and cards.',
  category: 'Project management',
  docs: 'https://developer.atlassian.com/cloud/trello/rest/',
  auth: {
    required: true,
    fields: [
      hidden('api_key', 'API key', 'Of a Power-Up: trello.com/power-ups/admin.', '0471642aefef5fa1fa76530ce1ba4c85'),
      hidden('token', 'Token', 'What a user has granted to that key.', 'ATTA9eb76d9a9d02b8dd40c2f3e5df18556c'),
    ],
  },
  base: () => 'https://api.trello.com/1',
  // In a header, and not in the URL as well as it could be: URLs are written into logs.
  sign: (request, account) =>
    withHeaders(request, {
      authorization: `OAuth oauth_consumer_key="${field(account, 'api_key')}", oauth_token="${field(account, 'token')}"`,
    }),
  fault: worded({}),
  probe: { action: 'get_me', input: {} },
  actions,
};

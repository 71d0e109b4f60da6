import { casesOf } from './case-builders';

const { gives, fails } = casesOf(
  { api_key: '0471642aefef5fa1', token: 'ATTA9eb76d9a9d02' },
  { authorization: 'OAuth oauth_consumer_key="0471642aefef5fa1", oauth_token="ATTA9eb76d9a9d02"' },
);

const CARD = { id: 'c1', name: 'Call', idList: 'l1', closed: false, shortUrl: 'https://trello.com/c/H0TZyzbK' };

export const cases = [
  gives(['get_me', 'returns the account'], {}, 'GET /members/me?fields=username,fullName', {
    id: 'm1',
    username: 'ada',
    fullName: 'Ada Lovelace',
  }),
  fails(
    ['get_me', 'a wrong key is rejected'],
    {},
    'GET /members/me?fields=username,fullName',
    { status: 401, text: 'invalid key' },
    { code: 'unauthorized', message: 'Trello answered 401: invalid key' },
  ),
  gives(
    ['list_boards', 'boards'],
    {},
    'GET /members/me/boards?filter=open&fields=name,url,closed',
    [{ id: 'b1', name: 'Shop' }],
    { boards: [{ id: 'b1', name: 'Shop' }], count: 1 },
  ),
  gives(['list_lists', 'lists'], { board: 'b1' }, 'GET /boards/b1/lists?filter=open', [{ id: 'l1', name: 'To do' }], {
    lists: [{ id: 'l1', name: 'To do' }],
    count: 1,
  }),
  gives(['list_cards', 'cards'], { list: 'l1' }, 'GET /lists/l1/cards', [CARD], { cards: [CARD], count: 1 }),
  gives(['get_card', 'one card'], { card: 'c1' }, 'GET /cards/c1', CARD),
  gives(
    ['create_card', 'a card is made'],
    { idList: 'l1', name: 'Call', desc: 'x', idMembers: ['m1'], pos: 'top' },
    ['POST /cards', { body: { idList: 'l1', name: 'Call', desc: 'x', idMembers: ['m1'], pos: 'top' } }],
    CARD,
  ),
  gives(
    ['update_card', 'a card moves, and nothing else changes'],
    { card: 'c1', idList: 'l2' },
    ['PUT /cards/c1', { body: { idList: 'l2' } }],
    { ...CARD, idList: 'l2' },
  ),
  gives(
    ['comment', 'a comment is written'],
    { card: 'c1', text: 'Delivered & paid.' },
    'POST /cards/c1/actions/comments?text=Delivered+%26+paid.',
    { id: 'a1' },
  ),
  fails(
    ['get_card', 'a limit is waited for'],
    { card: 'c1' },
    'GET /cards/c1',
    {
      status: 429,
      headers: { 'retry-after': '10' },
      json: { error: 'API_TOKEN_LIMIT_EXCEEDED', message: 'Rate limit exceeded' },
    },
    { code: 'rate_limited', message: 'Rate limit exceeded', retryable: true, retryAfterMs: 10_000 },
  ),
];

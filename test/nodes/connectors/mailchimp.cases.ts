import { casesOf } from './case-builders';

const { gives, pages, fails, page } = casesOf(
  { api_key: '0123456789abcdef-us6' },
  { authorization: `Basic ${Buffer.from('everstep:0123456789abcdef-us6').toString('base64')}` },
);

// MD5 of ada@example.com
const ADA_PATH = '/lists/57af/members/3e3417d7ef77d5932a6734b916515ed5';
const ADA = { id: '3e34', email_address: 'ada@example.com', status: 'subscribed' };
const INPUT = { audience: '57af', email: 'Ada@Example.com' };
const thousand = Array.from({ length: 1000 }, (_, index) => ({ ...ADA, id: String(index) }));

export const cases = [
  gives(['ping', 'the key counts'], {}, 'GET /ping', { health_status: "Everything's Chimpy!" }),
  fails(
    ['ping', 'a wrong key is rejected'],
    {},
    'GET /ping',
    {
      status: 401,
      json: { title: 'API Key Invalid', status: 401, detail: 'Your API key may be invalid.', instance: 'a' },
    },
    { code: 'API_Key_Invalid', message: 'Mailchimp answered 401: Your API key may be invalid.' },
  ),
  page(
    ['list_audiences', 'audiences'],
    {},
    'GET /lists?count=1000&offset=0',
    { lists: [{ id: '57af', name: 'Newsletter' }], total_items: 1 },
    [{ id: '57af', name: 'Newsletter' }],
  ),
  pages(
    ['list_members', 'pages are counted by what came before, up to one that is not full'],
    { audience: '57af', status: 'subscribed', limit: 2000 },
    [
      [
        'GET /lists/57af/members?count=1000&offset=0&status=subscribed',
        { json: { members: thousand, total_items: 1001 } },
      ],
      [
        'GET /lists/57af/members?count=1000&offset=1000&status=subscribed',
        { json: { members: [ADA], total_items: 1001 } },
      ],
    ],
    [...thousand, ADA],
  ),
  gives(['get_member', 'a member is called by the hash of the address'], INPUT, `GET ${ADA_PATH}`, ADA),
  gives(
    ['upsert_member', 'a member is added or changed'],
    { ...INPUT, merge_fields: { FNAME: 'Ada' } },
    [
      `PUT ${ADA_PATH}`,
      { body: { email_address: 'Ada@Example.com', status_if_new: 'pending', merge_fields: { FNAME: 'Ada' } } },
    ],
    ADA,
  ),
  fails(
    ['upsert_member', 'faults of fields are reported'],
    { ...INPUT, merge_fields: {} },
    [`PUT ${ADA_PATH}`, { body: { email_address: 'Ada@Example.com', status_if_new: 'pending', merge_fields: {} } }],
    {
      status: 400,
      json: {
        title: 'Invalid Resource',
        detail: 'Your merge fields were invalid.',
        errors: [{ field: 'FNAME', message: 'Please enter a value' }],
      },
    },
    { code: 'Invalid_Resource', message: 'FNAME: Please enter a value' },
  ),
  gives(
    ['set_tags', 'tags are given and taken'],
    { ...INPUT, add: ['a'], remove: ['b'] },
    [
      `POST ${ADA_PATH}/tags`,
      {
        body: {
          tags: [
            { name: 'a', status: 'active' },
            { name: 'b', status: 'inactive' },
          ],
        },
      },
    ],
    null,
    {},
  ),
  gives(['archive_member', 'a member goes'], INPUT, `DELETE ${ADA_PATH}`, null, {}),
  fails(
    ['ping', 'too many at a time may be tried again'],
    {},
    'GET /ping',
    { status: 429, json: { title: 'Too Many Requests', detail: 'You have exceeded the limit of 10 connections.' } },
    { code: 'Too_Many_Requests', message: 'limit of 10 connections', retryable: true },
  ),
];

import { casesOf } from './case-builders';

const { gives, pages, fails } = casesOf({ token: 'pat-eu1-0123' }, { authorization: 'Bearer pat-eu1-0123' });

const ADA = {
  id: '512',
  properties: { email: 'ada@example.com' },
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-02T00:00:00.000Z',
};
const FILTER = { propertyName: 'email', operator: 'EQ', value: 'ada@example.com' };

export const cases = [
  gives(['get_account', 'returns the account'], {}, 'GET /account-info/2026-03/details', {
    portalId: 1,
    timeZone: 'UTC',
  }),
  fails(
    ['get_account', 'a wrong token is rejected'],
    {},
    'GET /account-info/2026-03/details',
    {
      status: 401,
      json: { status: 'error', message: 'Authentication credentials not found.', category: 'INVALID_AUTHENTICATION' },
    },
    { code: 'INVALID_AUTHENTICATION', message: 'HubSpot answered 401: Authentication credentials not found.' },
  ),
  pages(
    ['list_objects', 'pages follow the mark'],
    { object_type: 'contacts', properties: ['email', 'firstname'] },
    [
      [
        'GET /crm/objects/2026-03/contacts?limit=100&properties=email,firstname',
        { json: { results: [ADA], paging: { next: { after: '512', link: 'https://evil.example' } } } },
      ],
      [
        'GET /crm/objects/2026-03/contacts?limit=100&properties=email,firstname&after=512',
        { json: { results: [{ ...ADA, id: '513' }] } },
      ],
    ],
    [ADA, { ...ADA, id: '513' }],
  ),
  pages(
    ['search_objects', 'pages of a search have the mark in the body'],
    { object_type: 'contacts', filters: [FILTER], sorts: ['-createdate'] },
    [
      [
        [
          'POST /crm/objects/2026-03/contacts/search',
          { body: { limit: 100, filterGroups: [{ filters: [FILTER] }], sorts: ['-createdate'] } },
        ],
        { json: { total: 2, results: [ADA], paging: { next: { after: '100' } } } },
      ],
      [
        [
          'POST /crm/objects/2026-03/contacts/search',
          { body: { limit: 100, filterGroups: [{ filters: [FILTER] }], sorts: ['-createdate'], after: '100' } },
        ],
        { json: { total: 2, results: [{ ...ADA, id: '513' }] } },
      ],
    ],
    [ADA, { ...ADA, id: '513' }],
  ),
  gives(
    ['get_object', 'one object by its address'],
    { object_type: 'contacts', id: 'ada@example.com', id_property: 'email', properties: ['email'] },
    'GET /crm/objects/2026-03/contacts/ada%40example.com?properties=email&idProperty=email',
    ADA,
  ),
  gives(
    ['create_object', 'an object is made'],
    { object_type: 'contacts', properties: { email: 'ada@example.com' } },
    ['POST /crm/objects/2026-03/contacts', { body: { properties: { email: 'ada@example.com' } } }],
    ADA,
  ),
  fails(
    ['create_object', 'one that exists already is reported'],
    { object_type: 'contacts', properties: { email: 'ada@example.com' } },
    ['POST /crm/objects/2026-03/contacts', { body: { properties: { email: 'ada@example.com' } } }],
    {
      status: 409,
      json: { status: 'error', message: 'Contact already exists. Existing ID: 512', category: 'CONFLICT' },
    },
    { code: 'CONFLICT', message: 'Existing ID: 512' },
  ),
  gives(
    ['update_object', 'an object changes'],
    { object_type: 'deals', id: 7, properties: { dealstage: 'closedwon' } },
    ['PATCH /crm/objects/2026-03/deals/7', { body: { properties: { dealstage: 'closedwon' } } }],
    { ...ADA, id: '7' },
  ),
  gives(
    ['upsert_contact', 'a contact is made or changed'],
    { email: 'ada@example.com', properties: { firstname: 'Ada' } },
    [
      'POST /crm/objects/2026-03/contacts/batch/upsert',
      { body: { inputs: [{ idProperty: 'email', id: 'ada@example.com', properties: { firstname: 'Ada' } }] } },
    ],
    { status: 'COMPLETE', results: [ADA] },
    ADA,
  ),
  gives(
    ['link_objects', 'objects are linked'],
    { object_type: 'contacts', id: 512, to_type: 'companies', to_id: '77' },
    'PUT /crm/objects/2026-03/contacts/512/associations/default/companies/77',
    { status: 'COMPLETE', results: [] },
    {},
  ),
  fails(
    ['get_account', 'a limit is waited for as long as it is counted over'],
    {},
    'GET /account-info/2026-03/details',
    {
      status: 429,
      json: {
        status: 'error',
        message: 'You have reached your ten_secondly_rolling limit.',
        category: 'RATE_LIMITS',
        policyName: 'TEN_SECONDLY_ROLLING',
      },
    },
    { code: 'RATE_LIMITS', message: 'ten_secondly_rolling', retryable: true, retryAfterMs: 10_000 },
  ),
];

import { casesOf } from './case-builders';

const { gives, pages, fails } = casesOf({ token: 'sl.u.0123456789' }, { authorization: 'Bearer sl.u.0123456789' });

const FILE = { '.tag': 'file', id: 'id:a4', name: '4711.pdf', path_display: '/Invoices/4711.pdf', size: 7 };
const PATH = { path: '/Invoices/4711.pdf' };

export const cases = [
  gives(
    ['get_me', 'returns the account; nothing is sent as a body'],
    {},
    ['POST /users/get_current_account', { headers: { 'content-type': null } }],
    { account_id: 'dbid:1', email: 'ada@example.com' },
  ),
  fails(
    ['get_me', 'a wrong token is rejected'],
    {},
    'POST /users/get_current_account',
    { status: 401, json: { error_summary: 'expired_access_token/..', error: { '.tag': 'expired_access_token' } } },
    { code: 'expired_access_token', message: 'Dropbox answered 401: expired_access_token/..' },
  ),
  pages(
    ['list_folder', 'pages after the first are asked for by the cursor alone'],
    { path: '/Invoices', recursive: true },
    [
      [
        ['POST /files/list_folder', { body: { path: '/Invoices', recursive: true } }],
        { json: { entries: [FILE], cursor: 'ZtkX', has_more: true } },
      ],
      [
        ['POST /files/list_folder/continue', { body: { cursor: 'ZtkX' } }],
        { json: { entries: [{ ...FILE, id: 'id:a5' }], cursor: 'ZtkY', has_more: false } },
      ],
    ],
    [FILE, { ...FILE, id: 'id:a5' }],
  ),
  fails(
    ['list_folder', 'an unknown path is reported'],
    { path: '/x' },
    ['POST /files/list_folder', { body: { path: '/x' } }],
    {
      status: 409,
      json: { error_summary: 'path/not_found/.', error: { '.tag': 'path', path: { '.tag': 'not_found' } } },
    },
    { code: 'path', message: 'Dropbox answered 409: path/not_found/.' },
  ),
  pages(
    ['search', 'what a search finds'],
    { query: '4711', path: '/Invoices' },
    [
      [
        ['POST /files/search_v2', { body: { query: '4711', options: { max_results: 100, path: '/Invoices' } } }],
        { json: { matches: [{ metadata: { '.tag': 'metadata', metadata: FILE } }], has_more: true, cursor: 'c' } },
      ],
      [['POST /files/search/continue_v2', { body: { cursor: 'c' } }], { json: { matches: [], has_more: false } }],
    ],
    [{ metadata: { '.tag': 'metadata', metadata: FILE } }],
  ),
  gives(['get_link', 'a link'], PATH, ['POST /files/get_temporary_link', { body: PATH }], {
    link: 'https://uc.dl.dropboxusercontent.com/x',
    metadata: FILE,
  }),
  gives(
    ['save_url', 'a file is fetched'],
    { ...PATH, url: 'https://example.com/4711.pdf' },
    ['POST /files/save_url', { body: { ...PATH, url: 'https://example.com/4711.pdf' } }],
    { '.tag': 'async_job_id', async_job_id: '34g9' },
  ),
  gives(
    ['create_folder', 'a folder is made'],
    { path: '/Paid', autorename: true },
    ['POST /files/create_folder_v2', { body: { path: '/Paid', autorename: true } }],
    { metadata: { id: 'id:b', name: 'Paid', path_display: '/Paid' } },
    { id: 'id:b', name: 'Paid', path_display: '/Paid' },
  ),
  gives(
    ['move', 'a file is moved'],
    { from_path: '/a', to_path: '/b' },
    ['POST /files/move_v2', { body: { from_path: '/a', to_path: '/b' } }],
    { metadata: FILE },
    FILE,
  ),
  gives(['share', 'a link for others'], PATH, ['POST /sharing/create_shared_link_with_settings', { body: PATH }], {
    '.tag': 'file',
    url: 'https://www.dropbox.com/scl/fi/abc',
  }),
  gives(['delete', 'a file goes'], PATH, ['POST /files/delete_v2', { body: PATH }], { metadata: FILE }, FILE),
  fails(
    ['get_me', 'a limit is waited for as long as the answer says'],
    {},
    'POST /users/get_current_account',
    {
      status: 429,
      json: {
        error_summary: 'too_many_requests/.',
        error: { reason: { '.tag': 'too_many_requests' }, retry_after: 15 },
      },
    },
    { code: 'rate_limited', message: 'too_many_requests', retryable: true, retryAfterMs: 15_000 },
  ),
];

import { ANSWERED, ANSWERED_SECONDS, casesOf } from './case-builders';

const { gives, pages, fails } = casesOf(
  { url: 'https://gitlab.example.com/', token: 'glpat-0123456789' },
  { 'private-token': 'glpat-0123456789', authorization: null },
);

const PROJECT = { project: 'acme/shop' };
const ISSUE = { id: 76, iid: 11, title: 'Empty', state: 'opened', web_url: 'https://gitlab.example.com/acme/shop' };

export const cases = [
  gives(['get_me', 'returns the account'], {}, 'GET /user', { id: 42, username: 'ada', name: 'Ada' }),
  fails(
    ['get_me', 'a wrong token is rejected'],
    {},
    'GET /user',
    { status: 401, json: { message: '401 Unauthorized' } },
    { code: 'unauthorized', message: 'GitLab answered 401: 401 Unauthorized' },
  ),
  pages(
    ['list_issues', 'pages follow the link; a path counts as an id'],
    { ...PROJECT, state: 'opened', labels: ['bug', 'cart'] },
    [
      [
        'GET /projects/acme%2Fshop/issues?per_page=100&state=opened&labels=bug,cart',
        {
          headers: {
            link: '<https://gitlab.example.com/api/v4/projects/1/issues?page=2&per_page=100&state=opened&labels=bug%2Ccart>; rel="next"',
          },
          json: [ISSUE],
        },
      ],
      ['GET /projects/acme%2Fshop/issues?page=2&per_page=100&state=opened&labels=bug,cart', { json: [] }],
    ],
    [ISSUE],
  ),
  gives(['get_issue', 'one issue'], { project: 7, iid: 11 }, 'GET /projects/7/issues/11', ISSUE),
  gives(
    ['create_issue', 'an issue is opened, with labels in one text'],
    {
      ...PROJECT,
      title: 'Empty',
      description: 'x',
      labels: ['bug', 'cart'],
      assignee_ids: [42],
      due_date: '2026-12-31',
    },
    [
      'POST /projects/acme%2Fshop/issues',
      { body: { title: 'Empty', description: 'x', assignee_ids: [42], due_date: '2026-12-31', labels: 'bug,cart' } },
    ],
    ISSUE,
  ),
  fails(
    ['create_issue', 'faults of fields are reported'],
    { ...PROJECT, title: 'Empty' },
    ['POST /projects/acme%2Fshop/issues', { body: { title: 'Empty' } }],
    { status: 400, json: { message: { due_date: ['is invalid', 'is long ago'] } } },
    { code: 'bad_request', message: 'due_date: is invalid, is long ago' },
  ),
  gives(
    ['update_issue', 'an issue is closed'],
    { ...PROJECT, iid: 11, state_event: 'close' },
    ['PUT /projects/acme%2Fshop/issues/11', { body: { state_event: 'close' } }],
    { ...ISSUE, state: 'closed' },
  ),
  gives(
    ['comment', 'a comment is written'],
    { ...PROJECT, iid: 11, body: 'Fixed.' },
    ['POST /projects/acme%2Fshop/issues/11/notes', { body: { body: 'Fixed.' } }],
    { id: 301, body: 'Fixed.' },
  ),
  gives(
    ['create_merge_request', 'a merge request is made'],
    { ...PROJECT, source_branch: 'new-cart', target_branch: 'main', title: 'New cart' },
    [
      'POST /projects/acme%2Fshop/merge_requests',
      { body: { source_branch: 'new-cart', target_branch: 'main', title: 'New cart' } },
    ],
    { id: 1, iid: 7, title: 'New cart', state: 'opened', web_url: 'https://gitlab.example.com/x' },
  ),
  gives(
    ['run_pipeline', 'a pipeline is started'],
    { ...PROJECT, ref: 'main', variables: [{ key: 'STAGE', value: 'test' }] },
    ['POST /projects/acme%2Fshop/pipeline', { body: { ref: 'main', variables: [{ key: 'STAGE', value: 'test' }] } }],
    { id: 61, status: 'created', web_url: 'https://gitlab.example.com/y' },
  ),
  fails(
    ['get_me', 'a limit is waited for'],
    {},
    'GET /user',
    { status: 429, headers: { ...ANSWERED, 'ratelimit-reset': String(ANSWERED_SECONDS + 30) }, text: 'Retry later' },
    { code: 'rate_limited', message: 'Retry later', retryable: true, retryAfterMs: 30_000 },
  ),
];

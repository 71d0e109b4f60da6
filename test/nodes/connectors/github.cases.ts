import { ANSWERED, ANSWERED_SECONDS, casesOf } from './case-builders';

const { gives, pages, fails, page } = casesOf(
  { token: 'github_pat_0123456789' },
  {
    authorization: 'Bearer github_pat_0123456789',
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
    'user-agent': 'Everstep',
  },
);

const REPO = { owner: 'octocat', repo: 'hello-world' };
const ISSUE = { id: 1, number: 1347, title: 'Blank', state: 'open', html_url: 'https://github.com/x', labels: [] };
const PULL = { id: 2, number: 7, title: 'New login', state: 'open', draft: true, html_url: 'https://github.com/y' };

export const cases = [
  gives(['get_me', 'returns the account'], {}, 'GET /user', { login: 'octocat', id: 1 }),
  fails(
    ['get_me', 'a wrong token is rejected'],
    {},
    'GET /user',
    { status: 401, json: { message: 'Bad credentials', documentation_url: 'https://docs.github.com/rest' } },
    { code: 'unauthorized', message: 'GitHub answered 401: Bad credentials' },
  ),
  gives(
    ['get_file', 'a path keeps its slashes, and nothing else'],
    { ...REPO, path: 'docs/a guide?.md', ref: 'main' },
    'GET /repos/octocat/hello-world/contents/docs/a%20guide%3F.md?ref=main',
    { path: 'docs/a guide?.md', sha: 'abc', size: 5, content: 'SGVsbG8=' },
  ),
  pages(
    ['list_issues', 'pages follow the link, of which only the query counts'],
    { ...REPO, state: 'all', labels: ['bug', 'login'], since: '2026-01-01T00:00:00Z' },
    [
      [
        'GET /repos/octocat/hello-world/issues?per_page=100&state=all&labels=bug,login&since=2026-01-01T00:00:00Z',
        {
          headers: {
            link: '<https://evil.example/repositories/1/issues?per_page=100&state=all&page=2>; rel="next", <https://api.github.com/repositories/1/issues?page=9>; rel="last"',
          },
          json: [ISSUE],
        },
      ],
      [
        'GET /repos/octocat/hello-world/issues?per_page=100&state=all&page=2',
        {
          headers: { link: '<https://api.github.com/repositories/1/issues?page=1>; rel="prev"' },
          json: [{ ...ISSUE, number: 1346 }],
        },
      ],
    ],
    [ISSUE, { ...ISSUE, number: 1346 }],
  ),
  page(
    ['search_issues', 'what a search finds'],
    { q: 'is:open blank', sort: 'updated', order: 'asc' },
    'GET /search/issues?per_page=100&q=is:open+blank&sort=updated&order=asc',
    { total_count: 1, incomplete_results: false, items: [ISSUE] },
    [ISSUE],
  ),
  gives(['get_issue', 'one issue'], { ...REPO, number: 1347 }, 'GET /repos/octocat/hello-world/issues/1347', ISSUE),
  gives(
    ['create_issue', 'an issue is opened'],
    { ...REPO, title: 'Blank', body: 'Since yesterday', labels: ['bug'], assignees: ['octocat'] },
    [
      'POST /repos/octocat/hello-world/issues',
      { body: { title: 'Blank', body: 'Since yesterday', labels: ['bug'], assignees: ['octocat'] } },
    ],
    ISSUE,
  ),
  fails(
    ['create_issue', 'faults of an issue are shown with the message of GitHub'],
    { ...REPO, title: 'Blank' },
    ['POST /repos/octocat/hello-world/issues', { body: { title: 'Blank' } }],
    {
      status: 422,
      json: { message: 'Validation Failed', errors: [{ resource: 'Issue', field: 'title', code: 'missing_field' }] },
    },
    { code: 'unprocessable', message: 'GitHub answered 422: Validation Failed (title: missing_field)' },
  ),
  gives(
    ['update_issue', 'only what is given changes'],
    { ...REPO, number: 1347, state: 'closed', state_reason: 'completed' },
    ['PATCH /repos/octocat/hello-world/issues/1347', { body: { state: 'closed', state_reason: 'completed' } }],
    { ...ISSUE, state: 'closed' },
  ),
  gives(
    ['comment', 'a comment is written'],
    { ...REPO, number: 1347, body: 'Fixed.' },
    ['POST /repos/octocat/hello-world/issues/1347/comments', { body: { body: 'Fixed.' } }],
    { id: 5, html_url: 'https://github.com/z', body: 'Fixed.' },
  ),
  page(
    ['list_pull_requests', 'pull requests into a branch'],
    { ...REPO, base: 'main' },
    'GET /repos/octocat/hello-world/pulls?per_page=100&base=main',
    [PULL],
    [PULL],
  ),
  gives(
    ['create_pull_request', 'a pull request is made'],
    { ...REPO, title: 'New login', head: 'new-login', base: 'main', draft: true },
    [
      'POST /repos/octocat/hello-world/pulls',
      { body: { title: 'New login', head: 'new-login', base: 'main', draft: true } },
    ],
    PULL,
  ),
  gives(
    ['run_workflow', 'a workflow is started, which is answered with nothing'],
    { ...REPO, workflow: 'deploy.yml', ref: 'main', inputs: { environment: 'staging' } },
    [
      'POST /repos/octocat/hello-world/actions/workflows/deploy.yml/dispatches',
      { body: { ref: 'main', inputs: { environment: 'staging' } } },
    ],
    null,
    {},
  ),
  fails(
    ['get_me', 'the hourly limit is waited for, until it begins anew'],
    {},
    'GET /user',
    {
      status: 403,
      headers: { ...ANSWERED, 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(ANSWERED_SECONDS + 90) },
      json: { message: 'API rate limit exceeded for user ID 1.' },
    },
    { code: 'forbidden', message: 'API rate limit exceeded', retryable: true, retryAfterMs: 90_000 },
  ),
  fails(
    ['comment', 'the limit on too many writes is waited for as well'],
    { ...REPO, number: 1, body: 'x' },
    ['POST /repos/octocat/hello-world/issues/1/comments', { body: { body: 'x' } }],
    { status: 403, headers: { 'retry-after': '60' }, json: { message: 'You have exceeded a secondary rate limit.' } },
    { code: 'forbidden', message: 'secondary rate limit', retryable: true, retryAfterMs: 60_000 },
  ),
  fails(
    ['get_issue', 'no right to it is final'],
    { ...REPO, number: 1 },
    'GET /repos/octocat/hello-world/issues/1',
    { status: 403, headers: { 'x-ratelimit-remaining': '4999' }, json: { message: 'Resource not accessible' } },
    { code: 'forbidden', message: 'Resource not accessible' },
  ),
];

import { ANSWERED, ANSWERED_SECONDS, casesOf } from './case-builders';

const { gives, pages, fails, page } = casesOf(
  { token: 'sntryu_0123456789' },
  { authorization: 'Bearer sntryu_0123456789' },
);

const ACME = { id: '2', slug: 'acme', name: 'Acme' };
const ISSUE = {
  id: '117',
  shortId: 'SHOP-3',
  title: 'TypeError',
  status: 'unresolved',
  permalink: 'https://x.example',
};
const link = (cursor: string, results: boolean): string =>
  `<https://sentry.io/api/0/x/?cursor=0:0:1>; rel="previous"; results="false"; cursor="0:0:1", <https://sentry.io/api/0/x/?limit=100&query=is%3Aunresolved&cursor=${cursor}>; rel="next"; results="${results}"; cursor="${cursor}"`;

export const cases = [
  pages(
    ['list_organizations', 'a link to an empty page is not followed'],
    {},
    [['GET /organizations/', { headers: { link: link('0:100:0', false) }, json: [ACME] }]],
    [ACME],
  ),
  fails(
    ['list_organizations', 'a wrong token is rejected'],
    {},
    'GET /organizations/',
    { status: 401, json: { detail: 'Invalid token' } },
    { code: 'unauthorized', message: 'Sentry answered 401: Invalid token' },
  ),
  page(
    ['list_projects', 'projects'],
    { organization: 'acme' },
    'GET /organizations/acme/projects/',
    [{ ...ACME, slug: 'shop' }],
    [{ ...ACME, slug: 'shop' }],
  ),
  pages(
    ['list_issues', 'pages follow the link'],
    { organization: 'acme', query: 'is:unresolved', project: [1, 2] },
    [
      [
        'GET /organizations/acme/issues/?limit=100&project=1&project=2&query=is:unresolved',
        { headers: { link: link('0:100:0', true) }, json: [ISSUE] },
      ],
      [
        'GET /organizations/acme/issues/?limit=100&query=is:unresolved&cursor=0:100:0',
        { headers: { link: link('0:200:0', false) }, json: [{ ...ISSUE, id: '118' }] },
      ],
    ],
    [ISSUE, { ...ISSUE, id: '118' }],
  ),
  gives(['get_issue', 'one issue'], { organization: 'acme', issue: 117 }, 'GET /organizations/acme/issues/117/', ISSUE),
  gives(
    ['update_issue', 'an issue is resolved'],
    { organization: 'acme', issue: '117', status: 'resolved' },
    ['PUT /organizations/acme/issues/117/', { body: { status: 'resolved' } }],
    { ...ISSUE, status: 'resolved' },
  ),
  page(
    ['list_events', 'each time that it came up'],
    { organization: 'acme', issue: '117' },
    'GET /organizations/acme/issues/117/events/',
    [{ eventID: '9fac', dateCreated: '2026-01-01T10:00:00Z' }],
    [{ eventID: '9fac', dateCreated: '2026-01-01T10:00:00Z' }],
  ),
  gives(
    ['create_release', 'a release is created'],
    { organization: 'acme', version: 'shop@1.2.3', projects: ['shop'], ref: '6ba0' },
    ['POST /organizations/acme/releases/', { body: { version: 'shop@1.2.3', projects: ['shop'], ref: '6ba0' } }],
    { version: 'shop@1.2.3' },
  ),
  fails(
    ['create_release', 'faults of fields are reported'],
    { organization: 'acme', version: '.', projects: ['shop'] },
    ['POST /organizations/acme/releases/', { body: { version: '.', projects: ['shop'] } }],
    { status: 400, json: { version: ['Release with name . is not allowed'] } },
    { code: 'bad_request', message: 'version: Release with name . is not allowed' },
  ),
  fails(
    ['get_issue', 'a limit is waited for'],
    { organization: 'acme', issue: '117' },
    'GET /organizations/acme/issues/117/',
    {
      status: 429,
      headers: { ...ANSWERED, 'x-sentry-rate-limit-reset': String(ANSWERED_SECONDS + 1) },
      json: { detail: 'You are attempting to use this endpoint too quickly.' },
    },
    { code: 'rate_limited', message: 'too quickly', retryable: true, retryAfterMs: 1_000 },
  ),
];

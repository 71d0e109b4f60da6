import { casesOf } from './case-builders';

const { gives, pages, fails } = casesOf(
  { url: 'https://acme.atlassian.net', email: 'ada@example.com', api_token: 'ATATT3x-secret' },
  { authorization: `Basic ${Buffer.from('ada@example.com:ATATT3x-secret').toString('base64')}` },
);

const ISSUE = { id: '10002', key: 'SHOP-42', fields: { summary: 'The cart is empty' } };

const document = (...paragraphs: string[]) => ({
  type: 'doc',
  version: 1,
  content: paragraphs.map((text) => ({ type: 'paragraph', content: [{ type: 'text', text }] })),
});

export const cases = [
  gives(['get_me', 'returns the account'], {}, 'GET /myself', { accountId: '5b10', displayName: 'Ada' }),
  fails(
    ['get_me', 'a wrong token is rejected'],
    {},
    'GET /myself',
    { status: 401, text: 'Client must be authenticated to access this resource.' },
    { code: 'unauthorized', message: 'Jira answered 401: Client must be authenticated' },
  ),
  pages(
    ['search_issues', 'pages follow the token of the next one'],
    { jql: 'project = SHOP', fields: ['summary', 'status'] },
    [
      [
        'GET /search/jql?jql=project+=+SHOP&maxResults=100&fields=summary,status',
        { json: { issues: [ISSUE], nextPageToken: 'CAEaAggD', isLast: false } },
      ],
      [
        'GET /search/jql?jql=project+=+SHOP&maxResults=100&fields=summary,status&nextPageToken=CAEaAggD',
        { json: { issues: [{ ...ISSUE, id: '10003' }], isLast: true } },
      ],
    ],
    [ISSUE, { ...ISSUE, id: '10003' }],
  ),
  fails(
    ['search_issues', 'faults of a query are shown with the message of Jira'],
    { jql: 'projet = SHOP' },
    'GET /search/jql?jql=projet+=+SHOP&maxResults=100&fields=*navigable',
    { status: 400, json: { errorMessages: ["Field 'projet' does not exist."], errors: {} } },
    { code: 'bad_request', message: "Jira answered 400: Field 'projet' does not exist." },
  ),
  gives(['get_issue', 'one issue'], { issue: 'SHOP-42' }, 'GET /issue/SHOP-42', ISSUE),
  gives(
    ['create_issue', 'text becomes a document'],
    {
      project: 'SHOP',
      issue_type: 'Bug',
      summary: 'The cart is empty',
      description: 'Since yesterday.\n\nFor all.',
      labels: ['checkout'],
      priority: 'High',
      assignee_id: '5b10',
      fields: { customfield_10010: 'web' },
    },
    [
      'POST /issue',
      {
        body: {
          fields: {
            project: { key: 'SHOP' },
            issuetype: { name: 'Bug' },
            summary: 'The cart is empty',
            labels: ['checkout'],
            description: document('Since yesterday.', 'For all.'),
            priority: { name: 'High' },
            assignee: { accountId: '5b10' },
            customfield_10010: 'web',
          },
        },
      },
    ],
    { id: '10002', key: 'SHOP-42', self: 'https://acme.atlassian.net/rest/api/3/issue/10002' },
  ),
  fails(
    ['create_issue', 'faults of fields are reported'],
    { project: 'SHOP', issue_type: 'Bg', summary: 'x' },
    ['POST /issue', { body: { fields: { project: { key: 'SHOP' }, issuetype: { name: 'Bg' }, summary: 'x' } } }],
    { status: 400, json: { errorMessages: [], errors: { issuetype: 'Specify a valid issue type' } } },
    { code: 'bad_request', message: 'issuetype: Specify a valid issue type' },
  ),
  gives(
    ['update_issue', 'only what is given changes'],
    { issue: 'SHOP-42', summary: 'New' },
    ['PUT /issue/SHOP-42', { body: { fields: { summary: 'New' } } }],
    null,
    {},
  ),
  gives(
    ['comment', 'line breaks stay'],
    { issue: 'SHOP-42', text: 'Fixed.\nTry it.' },
    [
      'POST /issue/SHOP-42/comment',
      {
        body: {
          body: {
            type: 'doc',
            version: 1,
            content: [
              {
                type: 'paragraph',
                content: [{ type: 'text', text: 'Fixed.' }, { type: 'hardBreak' }, { type: 'text', text: 'Try it.' }],
              },
            ],
          },
        },
      },
    ],
    { id: '10000', created: '2026-01-02T03:04:05.000+0000' },
  ),
  gives(['list_transitions', 'the ways on'], { issue: 'SHOP-42' }, 'GET /issue/SHOP-42/transitions', {
    transitions: [{ id: '31', name: 'Done' }],
  }),
  gives(
    ['transition_issue', 'an issue goes on'],
    { issue: 'SHOP-42', transition: '31' },
    ['POST /issue/SHOP-42/transitions', { body: { transition: { id: '31' } } }],
    null,
    {},
  ),
  fails(
    ['get_me', 'a limit is waited for'],
    {},
    'GET /myself',
    { status: 429, headers: { 'retry-after': '7' }, json: { errorMessages: ['Rate limit exceeded.'] } },
    { code: 'rate_limited', message: 'Rate limit exceeded.', retryable: true, retryAfterMs: 7_000 },
  ),
];

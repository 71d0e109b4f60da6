import { ANSWERED, ANSWERED_SECONDS, casesOf } from './case-builders';

const { gives, pages, fails, page } = casesOf(
  { api_key: 'lin_api_0123456789' },
  { authorization: 'lin_api_0123456789' },
);

const FIELDS =
  'id identifier title description url priority createdAt updatedAt state { id name type } team { id key } assignee { id name }';
const ISSUE = { id: 'i-1', identifier: 'SHOP-42', title: 'Empty', url: 'https://linear.app/x', priority: 2 };
const VIEWER = 'query { viewer { id name email } }';
const ISSUES = `query ($filter: IssueFilter, $after: String) { issues(first: 50, filter: $filter, orderBy: updatedAt, after: $after) { nodes { ${FIELDS} } pageInfo { hasNextPage endCursor } } }`;
const FILTER = { team: { key: { eq: 'SHOP' } }, state: { name: { eq: 'Todo' } } };

export const cases = [
  gives(
    ['get_me', 'returns the account'],
    {},
    ['POST /graphql', { body: { query: VIEWER, variables: {} } }],
    { data: { viewer: { id: 'u-1', name: 'Ada', email: 'ada@example.com' } } },
    { id: 'u-1', name: 'Ada', email: 'ada@example.com' },
  ),
  fails(
    ['get_me', 'a wrong key is rejected'],
    {},
    ['POST /graphql', { body: { query: VIEWER, variables: {} } }],
    {
      status: 401,
      json: {
        errors: [
          { message: 'Authentication required, not authenticated', extensions: { code: 'AUTHENTICATION_ERROR' } },
        ],
      },
    },
    { code: 'AUTHENTICATION_ERROR', message: 'Linear answered 401: Authentication required' },
  ),
  page(
    ['list_teams', 'teams'],
    {},
    [
      'POST /graphql',
      {
        body: {
          query:
            'query ($after: String) { teams(first: 50, after: $after) { nodes { id key name states { nodes { id name type } } } pageInfo { hasNextPage endCursor } } }',
          variables: {},
        },
      },
    ],
    {
      data: {
        teams: {
          nodes: [{ id: 't-1', key: 'SHOP', name: 'Shop' }],
          pageInfo: { hasNextPage: false, endCursor: 't-1' },
        },
      },
    },
    [{ id: 't-1', key: 'SHOP', name: 'Shop' }],
  ),
  pages(
    ['list_issues', 'pages follow the cursor, which goes into the variables'],
    { team: 'SHOP', state: 'Todo' },
    [
      [
        ['POST /graphql', { body: { query: ISSUES, variables: { filter: FILTER } } }],
        { json: { data: { issues: { nodes: [ISSUE], pageInfo: { hasNextPage: true, endCursor: 'c-1' } } } } },
      ],
      [
        ['POST /graphql', { body: { query: ISSUES, variables: { filter: FILTER, after: 'c-1' } } }],
        {
          json: {
            data: { issues: { nodes: [{ ...ISSUE, id: 'i-2' }], pageInfo: { hasNextPage: false, endCursor: 'c-2' } } },
          },
        },
      ],
    ],
    [ISSUE, { ...ISSUE, id: 'i-2' }],
  ),
  gives(
    ['get_issue', 'one issue'],
    { id: 'SHOP-42' },
    [
      'POST /graphql',
      { body: { query: `query ($id: String!) { issue(id: $id) { ${FIELDS} } }`, variables: { id: 'SHOP-42' } } },
    ],
    { data: { issue: ISSUE } },
    ISSUE,
  ),
  fails(
    ['get_issue', 'an error in an answer of status 200 is a fault'],
    { id: 'SHOP-43' },
    [
      'POST /graphql',
      { body: { query: `query ($id: String!) { issue(id: $id) { ${FIELDS} } }`, variables: { id: 'SHOP-43' } } },
    ],
    { json: { data: null, errors: [{ message: 'Entity not found: Issue', extensions: { code: 'INPUT_ERROR' } }] } },
    { code: 'INPUT_ERROR', message: 'Entity not found: Issue' },
  ),
  gives(
    ['create_issue', 'an issue is opened'],
    { teamId: 't-1', title: 'Empty', priority: 2, labelIds: ['l-1'] },
    [
      'POST /graphql',
      {
        body: {
          query: `mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { ${FIELDS} } } }`,
          variables: { input: { teamId: 't-1', title: 'Empty', priority: 2, labelIds: ['l-1'] } },
        },
      },
    ],
    { data: { issueCreate: { success: true, issue: ISSUE } } },
    ISSUE,
  ),
  gives(
    ['update_issue', 'only what is given changes'],
    { id: 'SHOP-42', stateId: 's-1' },
    [
      'POST /graphql',
      {
        body: {
          query: `mutation ($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success issue { ${FIELDS} } } }`,
          variables: { id: 'SHOP-42', input: { stateId: 's-1' } },
        },
      },
    ],
    { data: { issueUpdate: { success: true, issue: ISSUE } } },
    ISSUE,
  ),
  gives(
    ['comment', 'a comment is written'],
    { issueId: 'SHOP-42', body: 'Fixed.' },
    [
      'POST /graphql',
      {
        body: {
          query:
            'mutation ($input: CommentCreateInput!) { commentCreate(input: $input) { success comment { id url } } }',
          variables: { input: { issueId: 'SHOP-42', body: 'Fixed.' } },
        },
      },
    ],
    { data: { commentCreate: { success: true, comment: { id: 'c-1', url: 'https://linear.app/y' } } } },
    { id: 'c-1', url: 'https://linear.app/y' },
  ),
  fails(
    ['get_me', 'a limit, which Linear says with status 400, is waited for'],
    {},
    ['POST /graphql', { body: { query: VIEWER, variables: {} } }],
    {
      status: 400,
      headers: { ...ANSWERED, 'x-ratelimit-requests-reset': String((ANSWERED_SECONDS + 12) * 1_000) },
      json: { errors: [{ message: 'Rate limit exceeded', extensions: { code: 'RATELIMITED' } }] },
    },
    { code: 'RATELIMITED', message: 'Rate limit exceeded', retryable: true, retryAfterMs: 12_000 },
  ),
];

import type { JsonObject } from '../../../lib/json';
import { headerKey } from '../auth';
import type { HttpAction } from '../contract';
import { byConnection, dataAt, graphqlRequest, graphqlFault } from '../http/graphql';
import { timeInHeader } from '../http/error-text';
import { filledText, integer, list, outputOf, text } from '../../schema';
import { secretField } from '../credentials';
import { pick } from '../input';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const ask = (query: string, variables: JsonObject = {}) => graphqlRequest('/graphql', query, variables);

const ISSUE_FIELDS =
  'id identifier title description url priority createdAt updatedAt state { id name type } team { id key } assignee { id name }';
const PAGE_FIELDS = 'pageInfo { hasNextPage endCursor }';

const TITLE = filledText('Subject or title.', 'The cart is empty');
const WRITTEN = {
  description: text('Text in Markdown.', 'It is empty since **yesterday**.'),
  priority: integer('0 none, 1 urgent, 2 high, 3 medium, 4 low.', 2, { minimum: 0, maximum: 4 }),
  assigneeId: text('ID of a user.', '2a1b6a0e-6f52-4a6f-8a0e-1b0f2d7c3e10'),
  stateId: text('ID of a workflow state of the team.', '5e2f1a7c-90d1-4c9f-bb52-7e3d0c1f2a33'),
  labelIds: list({ type: 'string' }, 'IDs of labels.', ['9d7c2c0e-2a45-4c73-8d5b-0c1a2b3d4e5f']),
  projectId: text('ID of a project.', '7c1d9b1e-1b1f-4b86-9f53-1f0a9f1c2d3e'),
  dueDate: text('Date as YYYY-MM-DD.', '2026-12-31'),
};
const ID = filledText('ID or identifier of the issue.', 'SHOP-42');
const ISSUE = outputOf({
  id: text('ID of the issue.', '2f1c9a52-5f6f-4b7a-9b55-3b6a2c1d0e4f'),
  identifier: text('Key of the issue.', 'SHOP-42'),
  title: TITLE,
  url: text('URL of the page in the web app.', 'https://linear.app/acme/issue/SHOP-42'),
  priority: WRITTEN.priority,
});

const actions: readonly HttpAction[] = [
  readAction('get_me', 'Returns the user of the connection.', {
    output: outputOf({
      id: text('ID of the user.', '2a1b6a0e-6f52-4a6f-8a0e-1b0f2d7c3e10'),
      name: text('Display name.', 'Ada Lovelace'),
      email: text('Email of the user.', 'ada@example.com'),
    }),
    request: () => ask('query { viewer { id name email } }'),
    read: dataAt('viewer'),
  }),
  readAction('list_teams', 'Lists teams with their workflow states.', {
    item: outputOf({
      id: text('ID of the team.', '9cfb482a-81e3-4154-b5b9-2c805e70a02d'),
      key: text('Prefix of issue identifiers.', 'SHOP'),
      name: text('Display name.', 'Shop'),
    }),
    request: () =>
      ask(
        `query ($after: String) { teams(first: 50, after: $after) { nodes { id key name states { nodes { id name type } } } ${PAGE_FIELDS} } }`,
      ),
    pages: byConnection('teams'),
  }),
  readAction('list_issues', 'Lists issues, most recently updated first.', {
    optional: {
      team: text('Key of the team.', 'SHOP'),
      state: text('Name of the state.', 'In Progress'),
      assignee: text('Email address of the assignee.', 'ada@example.com'),
    },
    item: ISSUE,
    request: ({ team, state, assignee }) =>
      ask(
        `query ($filter: IssueFilter, $after: String) { issues(first: 50, filter: $filter, orderBy: updatedAt, after: $after) { nodes { ${ISSUE_FIELDS} } ${PAGE_FIELDS} } }`,
        {
          filter: {
            ...(team === undefined ? {} : { team: { key: { eq: team } } }),
            ...(state === undefined ? {} : { state: { name: { eq: state } } }),
            ...(assignee === undefined ? {} : { assignee: { email: { eq: assignee } } }),
          },
        },
      ),
    pages: byConnection('issues'),
  }),
  readAction('get_issue', 'Returns an issue.', {
    required: { id: ID },
    output: ISSUE,
    request: (input) => ask(`query ($id: String!) { issue(id: $id) { ${ISSUE_FIELDS} } }`, pick(input, 'id')),
    read: dataAt('issue'),
  }),
  writeAction('create_issue', 'Creates an issue for a team.', {
    required: { teamId: filledText('ID of the team.', '9cfb482a-81e3-4154-b5b9-2c805e70a02d'), title: TITLE },
    optional: WRITTEN,
    output: ISSUE,
    request: (input) =>
      ask(`mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { ${ISSUE_FIELDS} } } }`, {
        input: pick(input, 'teamId', 'title', ...Object.keys(WRITTEN)),
      }),
    read: dataAt('issueCreate.issue'),
  }),
  idempotentWrite('update_issue', 'Updates the given fields of an issue; labels are replaced.', {
    required: { id: ID },
    optional: { title: TITLE, ...WRITTEN },
    output: ISSUE,
    request: (input) =>
      ask(
        `mutation ($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success issue { ${ISSUE_FIELDS} } } }`,
        { ...pick(input, 'id'), input: pick(input, 'title', ...Object.keys(WRITTEN)) },
      ),
    read: dataAt('issueUpdate.issue'),
  }),
  writeAction('comment', 'Adds a comment to an issue.', {
    required: { issueId: ID, body: filledText('Text in Markdown.', 'Fixed.') },
    output: outputOf({
      id: text('ID of the comment.', '0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d'),
      url: text('URL of the page in the web app.', 'https://linear.app/acme/issue/SHOP-42#comment-0a1b2c3d'),
    }),
    request: (input) =>
      ask('mutation ($input: CommentCreateInput!) { commentCreate(input: $input) { success comment { id url } } }', {
        input: pick(input, 'issueId', 'body'),
      }),
    read: dataAt('commentCreate.comment'),
  }),
];

export const linear = defineConnector({
  name: 'linear',
  title: 'Linear',
  description: 'List, create, update and comment on issues.',
  category: 'Project management',
  docs: 'https://linear.app/developers/graphql',

  fields: [
    secretField('api_key', 'API key', 'Personal API key: Settings > Security & access.', 'lin_api_0123456789abcdef'),
  ],
  base: 'https://api.linear.app',
  // Personal keys are sent without `Bearer`.
  sign: headerKey('authorization', 'api_key'),
  fault: graphqlFault({
    retryable: ['RATELIMITED', 'INTERNAL_SERVER_ERROR'],
    refused: ['AUTHENTICATION_ERROR'],
    retryAfterMs: timeInHeader('x-ratelimit-requests-reset'),
  }),
  connectionTest: 'get_me',
  actions,
});

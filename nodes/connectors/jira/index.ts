import type { Json, JsonObject } from '../../../lib/json';
import { basic, oauthOr } from '../auth';
import type { HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byCursor } from '../http/pages';
import { urlPath } from '../http/path';
import { baseUrlFrom } from '../http/base-url';
import { fieldErrorsAt, faultFrom } from '../http/error-text';
import { filledText, list, outputOf, record, text } from '../../schema';
import { plainField, secretField, urlField } from '../credentials';
import { commaSeparated, pick, queryFrom } from '../input';
import { NO_OUTPUT, defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const KEY = { issue: filledText('Key or ID of the issue.', 'SHOP-42') };
const FIELDS = list({ type: 'string' }, 'Fields to return.', ['summary', 'status', 'assignee']);
const WRITTEN = {
  description: text('Plain text; empty lines separate paragraphs.', 'It is empty since yesterday.'),
  labels: list({ type: 'string' }, 'Labels without spaces.', ['checkout']),
  priority: text('Name of the field.', 'High'),
  assignee_id: text('Account ID of a user.', '5b10ac8d82e05b22cc7d4ef5'),
  fields: record('Other fields by ID.', { customfield_10010: 'web' }),
};
const SUMMARY = filledText('Subject or title.', 'The cart is empty');

const ISSUE = outputOf({
  id: text('ID of the issue.', '10002'),
  key: text('Key of the issue.', 'SHOP-42'),
  fields: record('Requested fields.', { summary: 'The cart is empty' }),
});

/** Text in the Atlassian Document Format, which this version of the API requires. */
function documentOf(plain: Json | undefined): JsonObject {
  const paragraphs = String(plain ?? '')
    .split(/\n{2,}/)
    .filter((part) => part.trim() !== '')
    .map((part) => ({ type: 'paragraph', content: linesOf(part) }));
  return { type: 'doc', version: 1, content: paragraphs };
}

const linesOf = (part: string): JsonObject[] =>
  part
    .split('\n')
    .flatMap((line, index): JsonObject[] => [
      ...(index === 0 ? [] : [{ type: 'hardBreak' }]),
      ...(line === '' ? [] : [{ type: 'text', text: line }]),
    ]);

/** Fields as the API names them. */
function fieldsOf(input: JsonObject): JsonObject {
  const { description, priority, assignee_id, fields } = input;
  return {
    ...pick(input, 'summary', 'labels'),
    ...(description === undefined ? {} : { description: documentOf(description) }),
    ...(priority === undefined ? {} : { priority: { name: priority } }),
    ...(assignee_id === undefined ? {} : { assignee: { accountId: assignee_id } }),
    ...(typeof fields === 'object' && !Array.isArray(fields) ? fields : {}),
  };
}

const actions: readonly HttpAction[] = [
  readAction('get_me', 'Returns the user of the connection.', {
    output: outputOf({
      accountId: text('Account ID of the user.', '5b10ac8d82e05b22cc7d4ef5'),
      displayName: text('Display name.', 'Ada Lovelace'),
    }),
    call: 'GET /myself',
  }),
  readAction('search_issues', 'Searches issues by JQL. The query must contain a restriction.', {
    required: { jql: text('Query.', 'project = SHOP AND status = "To Do" ORDER BY created DESC') },
    optional: { fields: FIELDS },
    item: ISSUE,
    request: (input) => ({
      method: 'GET',
      url: '/search/jql',
      query: { ...queryFrom(input, 'jql'), maxResults: 100, fields: commaSeparated(input.fields) ?? '*navigable' },
    }),
    pages: byCursor({ items: 'issues', cursor: 'nextPageToken', parameter: 'nextPageToken' }),
  }),
  readAction('get_issue', 'Returns an issue.', {
    required: KEY,
    optional: { fields: FIELDS },
    output: ISSUE,
    request: (input) => ({
      method: 'GET',
      url: urlPath`/issue/${input.issue}`,
      query: { fields: commaSeparated(input.fields) },
    }),
  }),
  writeAction('create_issue', 'Creates an issue in a project.', {
    required: {
      project: filledText('Key of the project.', 'SHOP'),
      issue_type: filledText('Name of the issue type.', 'Bug'),
      summary: SUMMARY,
    },
    optional: WRITTEN,
    output: outputOf({
      id: text('ID of the issue.', '10002'),
      key: text('Key of the issue.', 'SHOP-42'),
      self: text('URL of the issue in the API.', 'https://acme.atlassian.net/rest/api/3/issue/10002'),
    }),
    request: (input) => ({
      method: 'POST',
      url: '/issue',
      body: {
        fields: {
          project: { key: input.project ?? null },
          issuetype: { name: input.issue_type ?? null },
          ...fieldsOf(input),
        },
      },
    }),
  }),
  idempotentWrite('update_issue', 'Updates the given fields of an issue; labels are replaced.', {
    required: KEY,
    optional: { summary: SUMMARY, ...WRITTEN },
    ...NO_OUTPUT,
    request: (input) => ({ method: 'PUT', url: urlPath`/issue/${input.issue}`, body: { fields: fieldsOf(input) } }),
  }),
  writeAction('comment', 'Adds a comment to an issue.', {
    required: { ...KEY, text: filledText('Plain text; empty lines separate paragraphs.', 'Fixed.') },
    output: outputOf({
      id: text('ID of the comment.', '10000'),
      created: text('Creation time.', '2026-01-02T03:04:05.000+0000'),
    }),
    request: (input) => ({
      method: 'POST',
      url: urlPath`/issue/${input.issue}/comment`,
      body: { body: documentOf(input.text) },
    }),
  }),
  readAction('list_transitions', 'Lists the available transitions of an issue.', {
    required: KEY,
    output: outputOf({
      transitions: list({ type: 'object' }, 'Transitions, each with `id`, `name` and `to`.', [
        { id: '31', name: 'Done' },
      ]),
    }),
    call: 'GET /issue/{issue}/transitions',
  }),
  writeAction('transition_issue', 'Moves an issue through a transition of `list_transitions`.', {
    required: { ...KEY, transition: filledText('ID of the transition.', '31') },
    ...NO_OUTPUT,
    request: (input) => ({
      method: 'POST',
      url: urlPath`/issue/${input.issue}/transitions`,
      body: { transition: { id: input.transition ?? null } },
    }),
  }),
];

export const jira = defineConnector({
  name: 'jira',
  title: 'Jira',
  description: 'Search, create, update, comment on and transition Jira Cloud issues.',
  category: 'Project management',
  docs: 'https://developer.atlassian.com/cloud/jira/platform/rest/v3/',

  fields: [
    urlField('url', 'Address', 'Address of your Jira site.', 'https://acme.atlassian.net'),
    plainField('email', 'E-mail address', 'Of the account.', 'ada@example.com', { format: 'email' }),
    secretField('api_token', 'API token', 'Created at id.atlassian.com > Security.', 'ATATT3xFfGF0abcdef'),
  ],
  base: (account) => `${baseUrlFrom(account, 'url')}/rest/api/3`,
  sign: oauthOr(basic('email', 'api_token')),
  fault: faultFrom({ message: [messageAt('errorMessages', 0), fieldErrorsAt('errors')] }),
  connectionTest: 'get_me',
  actions,
});

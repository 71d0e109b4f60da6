import type { Json, JsonObject } from '../../../lib/json';
import { basic } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byCursor } from '../http/pages';
import { urlPath } from '../http/path';
import { siteOf } from '../http/site';
import { fieldErrorsAt, faultFrom } from '../http/error-text';
import { filledText, list, outputOf, record, text } from '../../schema';
import { plainField, secretField, urlField } from '../credentials';
import { commaSeparated, pick, queryFrom } from '../input';
import { NO_OUTPUT, defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const KEY = { issue: filledText('Its key or id.', 'SHOP-42') };
const FIELDS = list({ type: 'string' }, 'Which fields to answer.', ['summary', 'status', 'assignee']);
const WRITTEN = {
  description: text('Plain text; empty lines part paragraphs.', 'It is empty since yesterday.'),
  labels: list({ type: 'string' }, 'Words without spaces.', ['checkout']),
  priority: text('Its name.', 'High'),
  assignee_id: text('The account id of a user.', '5b10ac8d82e05b22cc7d4ef5'),
  fields: record('Any other fields, by their ids.', { customfield_10010: 'web' }),
};
const SUMMARY = filledText('What it is about, in one line.', 'The cart is empty');

const ISSUE = outputOf({
  id: text('Of the issue.', '10002'),
  key: text('As people call it.', 'SHOP-42'),
  fields: record('Those that were asked for.', { summary: 'The cart is empty' }),
});

/** Text as a document of Atlassian's format, which this version of the API wants. */
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
  readAction('get_me', 'The user that the connection acts for.', {
    output: outputOf({
      accountId: text('The id of the user.', '5b10ac8d82e05b22cc7d4ef5'),
      displayName: text('As people read it.', 'Ada Lovelace'),
    }),
    call: 'GET /myself',
  }),
  readAction('search_issues', 'Issues that a query in JQL finds. The query must name some restriction.', {
    required: { jql: text('The query.', 'project = SHOP AND status = "To Do" ORDER BY created DESC') },
    optional: { fields: FIELDS },
    item: ISSUE,
    request: (input) => ({
      method: 'GET',
      url: '/search/jql',
      query: { ...queryFrom(input, 'jql'), maxResults: 100, fields: commaSeparated(input.fields) ?? '*navigable' },
    }),
    pages: byCursor({ items: 'issues', cursor: 'nextPageToken', parameter: 'nextPageToken' }),
  }),
  readAction('get_issue', 'One issue with its fields.', {
    required: KEY,
    optional: { fields: FIELDS },
    output: ISSUE,
    request: (input) => ({
      method: 'GET',
      url: urlPath`/issue/${input.issue}`,
      query: { fields: commaSeparated(input.fields) },
    }),
  }),
  writeAction('create_issue', 'Opens an issue in a project.', {
    required: {
      project: filledText('Its key.', 'SHOP'),
      issue_type: filledText('The name of the issue type.', 'Bug'),
      summary: SUMMARY,
    },
    optional: WRITTEN,
    output: outputOf({
      id: text('Of the issue.', '10002'),
      key: text('As people call it.', 'SHOP-42'),
      self: text('Of the issue in the API.', 'https://acme.atlassian.net/rest/api/3/issue/10002'),
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
  idempotentWrite('update_issue', 'Sets what is given of an issue; labels are replaced as a whole.', {
    required: KEY,
    optional: { summary: SUMMARY, ...WRITTEN },
    ...NO_OUTPUT,
    request: (input) => ({ method: 'PUT', url: urlPath`/issue/${input.issue}`, body: { fields: fieldsOf(input) } }),
  }),
  writeAction('comment', 'Writes below an issue.', {
    required: { ...KEY, text: filledText('Plain text; empty lines part paragraphs.', 'Fixed.') },
    output: outputOf({
      id: text('Of the comment.', '10000'),
      created: text('When it was written.', '2026-01-02T03:04:05.000+0000'),
    }),
    request: (input) => ({
      method: 'POST',
      url: urlPath`/issue/${input.issue}/comment`,
      body: { body: documentOf(input.text) },
    }),
  }),
  readAction('list_transitions', 'The ways from the state of an issue to others, with their ids.', {
    required: KEY,
    output: outputOf({
      transitions: list({ type: 'object' }, 'Each with `id`, `name` and `to`.', [{ id: '31', name: 'Done' }]),
    }),
    call: 'GET /issue/{issue}/transitions',
  }),
  writeAction('transition_issue', 'Takes an issue on one of the ways that `list_transitions` tells.', {
    required: { ...KEY, transition: filledText('The id of the way.', '31') },
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
  description: 'Issues of Jira Cloud: search, create, change, comment, move through their workflow.',
  category: 'Project management',
  docs: 'https://developer.atlassian.com/cloud/jira/platform/rest/v3/',

  fields: [
    urlField('url', 'Address', 'Where your Jira is.', 'https://acme.atlassian.net'),
    plainField('email', 'E-mail address', 'Of the account.', 'ada@example.com', { format: 'email' }),
    secretField('api_token', 'API token', 'Made under id.atlassian.com, Security.', 'ATATT3xFfGF0abcdef'),
  ],
  base: (account) => `${siteOf(account, 'url')}/rest/api/3`,
  sign: basic('email', 'api_token'),
  fault: faultFrom({ message: [messageAt('errorMessages', 0), fieldErrorsAt('errors')] }),
  probe: 'get_me',
  actions,
});

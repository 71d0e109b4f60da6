import type { Json, JsonObject } from '../../../lib/json';
import { basic } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { ask, asks, commas, does, hidden, NOTHING, nothing, pick, settles, shown, site } from '../define';
import { messageAt } from '../http/fault';
import { byCursor } from '../http/pages';
import { at } from '../http/path';
import { siteOf } from '../http/site';
import { fieldsAt, worded } from '../http/error-text';
import { list, outputOf, record, text } from '../schemas';

const KEY = { issue: text('Issue', 'Its key or id.', 'SHOP-42', { minLength: 1 }) };
const FIELDS = list({ type: 'string' }, 'Fields', 'Which fields to answer.', ['summary', 'status', 'assignee']);
const WRITTEN = {
  description: text('Description', 'Plain text; empty lines part paragraphs.', 'It is empty since yesterday.'),
  labels: list({ type: 'string' }, 'Labels', 'Words without spaces.', ['checkout']),
  priority: text('Priority', 'Its name.', 'High'),
  assignee_id: text('Assignee', 'The account id of a user.', '5b10ac8d82e05b22cc7d4ef5'),
  fields: record('Further fields', 'Any other fields, by their ids.', { customfield_10010: 'web' }),
};
const SUMMARY = text('Summary', 'What it is about, in one line.', 'The cart is empty', { minLength: 1 });

const ISSUE = outputOf({
  id: text('Id', 'Of the issue.', '10002'),
  key: text('Key', 'As people call it.', 'SHOP-42'),
  fields: record('Fields', 'Those that were asked for.', { summary: 'The cart is empty' }),
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
  asks('get_me', 'Get my account', 'The user that the connection acts for.', {
    output: outputOf({
      accountId: text('Account', 'The id of the user.', '5b10ac8d82e05b22cc7d4ef5'),
      displayName: text('Name', 'As people read it.', 'Ada Lovelace'),
    }),
    call: 'GET /myself',
  }),
  asks('search_issues', 'Search issues', 'Issues that a query in JQL finds. The query must name some restriction.', {
    needs: { jql: text('JQL', 'The query.', 'project = SHOP AND status = "To Do" ORDER BY created DESC') },
    may: { fields: FIELDS },
    item: ISSUE,
    request: (input) => ({
      method: 'GET',
      url: '/search/jql',
      query: { ...ask(input, 'jql'), maxResults: 100, fields: commas(input.fields) ?? '*navigable' },
    }),
    pages: byCursor({ items: 'issues', cursor: 'nextPageToken', parameter: 'nextPageToken' }),
  }),
  asks('get_issue', 'Get an issue', 'One issue with its fields.', {
    needs: KEY,
    may: { fields: FIELDS },
    output: ISSUE,
    request: (input) => ({ method: 'GET', url: at`/issue/${input.issue}`, query: { fields: commas(input.fields) } }),
  }),
  does('create_issue', 'Create an issue', 'Opens an issue in a project.', {
    needs: {
      project: text('Project', 'Its key.', 'SHOP', { minLength: 1 }),
      issue_type: text('Type', 'The name of the issue type.', 'Bug', { minLength: 1 }),
      summary: SUMMARY,
    },
    may: WRITTEN,
    output: outputOf({
      id: text('Id', 'Of the issue.', '10002'),
      key: text('Key', 'As people call it.', 'SHOP-42'),
      self: text('Address', 'Of the issue in the API.', 'https://acme.atlassian.net/rest/api/3/issue/10002'),
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
  settles('update_issue', 'Change an issue', 'Sets what is given of an issue; labels are replaced as a whole.', {
    needs: KEY,
    may: { summary: SUMMARY, ...WRITTEN },
    output: NOTHING,
    request: (input) => ({ method: 'PUT', url: at`/issue/${input.issue}`, body: { fields: fieldsOf(input) } }),
    read: nothing,
  }),
  does('comment', 'Comment', 'Writes below an issue.', {
    needs: { ...KEY, text: text('Text', 'Plain text; empty lines part paragraphs.', 'Fixed.', { minLength: 1 }) },
    output: outputOf({
      id: text('Id', 'Of the comment.', '10000'),
      created: text('Made at', 'When it was written.', '2026-01-02T03:04:05.000+0000'),
    }),
    request: (input) => ({
      method: 'POST',
      url: at`/issue/${input.issue}/comment`,
      body: { body: documentOf(input.text) },
    }),
  }),
  asks('list_transitions', 'List transitions', 'The ways from the state of an issue to others, with their ids.', {
    needs: KEY,
    output: outputOf({
      transitions: list({ type: 'object' }, 'Transitions', 'Each with `id`, `name` and `to`.', [
        { id: '31', name: 'Done' },
      ]),
    }),
    call: 'GET /issue/{issue}/transitions',
  }),
  does('transition_issue', 'Move an issue', 'Takes an issue on one of the ways that `list_transitions` tells.', {
    needs: { ...KEY, transition: text('Transition', 'The id of the way.', '31', { minLength: 1 }) },
    output: NOTHING,
    request: (input) => ({
      method: 'POST',
      url: at`/issue/${input.issue}/transitions`,
      body: { transition: { id: input.transition ?? null } },
    }),
    read: nothing,
  }),
];

export const jira: Connector = {
  name: 'jira',
  title: 'Jira',
  description: 'Issues of Jira Cloud: search, create, change, comment, move through their workflow.',
  category: 'Project management',
  docs: 'https://developer.atlassian.com/cloud/jira/platform/rest/v3/',
  auth: {
    required: true,
    fields: [
      site('url', 'Address', 'Where your Jira is.', 'https://acme.atlassian.net'),
      shown('email', 'E-mail address', 'Of the account.', 'ada@example.com', { format: 'email' }),
      hidden('api_token', 'API token', 'Made under id.atlassian.com, Security.', 'ATATT3xFfGF0abcdef'),
    ],
  },
  base: (account) => `${siteOf(account, 'url')}/rest/api/3`,
  sign: basic('email', 'api_token'),
  fault: worded({ message: [messageAt('errorMessages', 0), fieldsAt('errors')] }),
  probe: { action: 'get_me', input: {} },
  actions,
};

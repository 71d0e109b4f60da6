import { headerKey, oauthOr } from '../auth';
import type { HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byLink } from '../http/pages';
import { urlPath } from '../http/path';
import { baseUrlFrom } from '../http/base-url';
import { codeAt, fieldErrorsAt, timeInHeader, faultFrom } from '../http/error-text';
import { anyId, choice, filledText, integer, list, object, outputOf, text } from '../../schema';
import { secretField, urlField } from '../credentials';
import { commaSeparated, pick, queryFrom } from '../input';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const PROJECT = { project: anyId('ID or full path of the project.', 'acme/shop') };
const IID = integer('Number of the issue in its project.', 11, { minimum: 1 });
const TITLE = filledText('Subject or title.', 'The cart is empty');
const TEXT = text('Text in Markdown.', 'It is empty since **yesterday**.');
const LABELS = list({ type: 'string' }, 'Names of labels.', ['bug']);
const DUE = text('Date as YYYY-MM-DD.', '2026-12-31');
const ASSIGNEES = list({ type: 'integer' }, 'IDs of users.', [42]);
const BRANCH = { source_branch: text('Branch with the changes.', 'new-cart') };

const ISSUE = outputOf({
  id: integer('ID, unique on this GitLab server.', 76),
  iid: IID,
  title: TITLE,
  state: text('`opened` or `closed`.', 'opened'),
  web_url: text('URL of the page in the web app.', 'https://gitlab.example.com/acme/shop/-/issues/11'),
});
const MERGE_REQUEST = outputOf({
  id: integer('ID, unique on this GitLab server.', 1),
  iid: integer('Number in the project.', 7),
  title: TITLE,
  state: text('`opened`, `closed`, `locked` or `merged`.', 'opened'),
  web_url: text('URL of the page in the web app.', 'https://gitlab.example.com/acme/shop/-/merge_requests/7'),
});

const actions: readonly HttpAction[] = [
  readAction('get_me', 'Returns the user of the connection.', {
    output: outputOf({
      id: integer('ID of the user.', 42),
      username: text('User name as in mentions.', 'ada'),
      name: text('Display name.', 'Ada Lovelace'),
    }),
    call: 'GET /user',
  }),
  readAction('list_issues', 'Lists issues of a project, newest first.', {
    required: PROJECT,
    optional: {
      state: choice(['opened', 'closed', 'all'], 'Filter.', { default: 'all' }),
      labels: LABELS,
      search: text('Search terms for title and description.', 'cart'),
      updated_after: text('Time in ISO 8601 format.', '2026-01-01T00:00:00Z'),
    },
    item: ISSUE,
    request: (input) => ({
      method: 'GET',
      url: urlPath`/projects/${input.project}/issues`,
      query: {
        per_page: 100,
        ...queryFrom(input, 'state', 'search', 'updated_after'),
        labels: commaSeparated(input.labels),
      },
    }),
    pages: byLink(),
  }),
  readAction('get_issue', 'Returns an issue of a project.', {
    required: { ...PROJECT, iid: IID },
    output: ISSUE,
    call: 'GET /projects/{project}/issues/{iid}',
  }),
  writeAction('create_issue', 'Creates an issue in a project.', {
    required: { ...PROJECT, title: TITLE },
    optional: { description: TEXT, labels: LABELS, assignee_ids: ASSIGNEES, due_date: DUE },
    output: ISSUE,
    request: (input) => ({
      method: 'POST',
      url: urlPath`/projects/${input.project}/issues`,
      body: { ...pick(input, 'title', 'description', 'assignee_ids', 'due_date'), ...labelsOf(input.labels) },
    }),
  }),
  idempotentWrite('update_issue', 'Updates the given fields of an issue; lists are replaced.', {
    required: { ...PROJECT, iid: IID },
    optional: {
      title: TITLE,
      description: TEXT,
      labels: LABELS,
      assignee_ids: ASSIGNEES,
      due_date: DUE,
      state_event: choice(['close', 'reopen'], 'Closes or reopens the issue.'),
    },
    output: ISSUE,
    request: (input) => ({
      method: 'PUT',
      url: urlPath`/projects/${input.project}/issues/${input.iid}`,
      body: {
        ...pick(input, 'title', 'description', 'assignee_ids', 'due_date', 'state_event'),
        ...labelsOf(input.labels),
      },
    }),
  }),
  writeAction('comment', 'Adds a comment to an issue.', {
    required: { ...PROJECT, iid: IID, body: TEXT },
    output: outputOf({ id: integer('ID of the comment.', 301), body: TEXT }),
    call: 'POST /projects/{project}/issues/{iid}/notes',
  }),
  writeAction('create_merge_request', 'Creates a request to merge one branch into another.', {
    required: { ...PROJECT, ...BRANCH, target_branch: text('Branch to merge into.', 'main'), title: TITLE },
    optional: { description: TEXT },
    output: MERGE_REQUEST,
    call: 'POST /projects/{project}/merge_requests',
  }),
  writeAction('run_pipeline', 'Runs a pipeline for a branch or tag.', {
    required: { ...PROJECT, ref: text('Branch or tag.', 'main') },
    optional: {
      variables: list(
        object(
          { key: text('Key or value of the variable.', 'STAGE'), value: text('Key or value of the variable.', 'test') },
          'A variable.',
          { required: ['key', 'value'] },
        ),
        'Variables of the pipeline.',
        [{ key: 'STAGE', value: 'test' }],
      ),
    },
    output: outputOf({
      id: integer('ID of the pipeline.', 61),
      status: text('Such as `created` or `running`.', 'created'),
      web_url: text('URL of the page in the web app.', 'https://gitlab.example.com/acme/shop/-/pipelines/61'),
    }),
    call: 'POST /projects/{project}/pipeline',
  }),
];

/** Labels as one comma-separated text. */
function labelsOf(list: Parameters<typeof commaSeparated>[0]): { labels?: string } {
  const labels = commaSeparated(list);
  return labels === undefined ? {} : { labels };
}

export const gitlab = defineConnector({
  name: 'gitlab',
  title: 'GitLab',
  description: 'Manage issues, merge requests and pipelines on gitlab.com or your own server.',
  category: 'Development',
  docs: 'https://docs.gitlab.com/api/rest/',

  fields: [
    urlField('url', 'Address', 'Address of the GitLab server.', 'https://gitlab.example.com', {
      required: false,
      default: 'https://gitlab.com',
    }),
    secretField(
      'token',
      'Access token',
      'Personal, project or group access token with the scope `api`.',
      'glpat-0123456789',
    ),
  ],
  base: (account) => `${baseUrlFrom(account, 'url', 'https://gitlab.com')}/api/v4`,
  sign: oauthOr(headerKey('private-token', 'token')),
  fault: faultFrom({
    message: [messageAt('message'), fieldErrorsAt('message'), messageAt('error_description')],
    code: codeAt('error_code'),
    retryAfterMs: timeInHeader('ratelimit-reset'),
  }),
  connectionTest: 'get_me',
  actions,
});

import { headerKey } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byLink } from '../http/pages';
import { urlPath } from '../http/path';
import { siteOf } from '../http/site';
import { codeAt, fieldErrorsAt, timeInHeader, faultFrom } from '../http/error-text';
import { anyId, choice, filledText, integer, list, object, outputOf, text } from '../../schema';
import { secretField, urlField } from '../credentials';
import { commaSeparated, pick, queryFrom } from '../input';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const PROJECT = { project: anyId('Its number, or its path with all groups.', 'acme/shop') };
const IID = integer('Of the issue in its project.', 11, { minimum: 1 });
const TITLE = filledText('What it is about, in one line.', 'The cart is empty');
const TEXT = text('In Markdown.', 'It is empty since **yesterday**.');
const LABELS = list({ type: 'string' }, 'Names of labels.', ['bug']);
const DUE = text('A date.', '2026-12-31');
const ASSIGNEES = list({ type: 'integer' }, 'Numbers of users.', [42]);
const BRANCH = { source_branch: text('The branch with the changes.', 'new-cart') };

const ISSUE = outputOf({
  id: integer('Of all of this GitLab.', 76),
  iid: IID,
  title: TITLE,
  state: text('`opened` or `closed`.', 'opened'),
  web_url: text('Where people see it.', 'https://gitlab.example.com/acme/shop/-/issues/11'),
});
const MERGE_REQUEST = outputOf({
  id: integer('Of all of this GitLab.', 1),
  iid: integer('In its project.', 7),
  title: TITLE,
  state: text('`opened`, `closed`, `locked` or `merged`.', 'opened'),
  web_url: text('Where people see it.', 'https://gitlab.example.com/acme/shop/-/merge_requests/7'),
});

const actions: readonly HttpAction[] = [
  readAction('get_me', 'The user that the connection acts for.', {
    output: outputOf({
      id: integer('The number of the user.', 42),
      username: text('As in mentions.', 'ada'),
      name: text('As people read it.', 'Ada Lovelace'),
    }),
    call: 'GET /user',
  }),
  readAction('list_issues', 'Issues of a project, newest first.', {
    required: PROJECT,
    optional: {
      state: choice(['opened', 'closed', 'all'], 'Which ones.', { default: 'all' }),
      labels: LABELS,
      search: text('Words in title and text.', 'cart'),
      updated_after: text('An instant.', '2026-01-01T00:00:00Z'),
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
  readAction('get_issue', 'One issue of a project.', {
    required: { ...PROJECT, iid: IID },
    output: ISSUE,
    call: 'GET /projects/{project}/issues/{iid}',
  }),
  writeAction('create_issue', 'Opens an issue in a project.', {
    required: { ...PROJECT, title: TITLE },
    optional: { description: TEXT, labels: LABELS, assignee_ids: ASSIGNEES, due_date: DUE },
    output: ISSUE,
    request: (input) => ({
      method: 'POST',
      url: urlPath`/projects/${input.project}/issues`,
      body: { ...pick(input, 'title', 'description', 'assignee_ids', 'due_date'), ...labelsOf(input.labels) },
    }),
  }),
  idempotentWrite('update_issue', 'Changes what is given of an issue; lists are replaced as a whole.', {
    required: { ...PROJECT, iid: IID },
    optional: {
      title: TITLE,
      description: TEXT,
      labels: LABELS,
      assignee_ids: ASSIGNEES,
      due_date: DUE,
      state_event: choice(['close', 'reopen'], 'Closes it, or opens it again.'),
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
  writeAction('comment', 'Writes below an issue.', {
    required: { ...PROJECT, iid: IID, body: TEXT },
    output: outputOf({ id: integer('Of the comment.', 301), body: TEXT }),
    call: 'POST /projects/{project}/issues/{iid}/notes',
  }),
  writeAction('create_merge_request', 'Asks for the changes of one branch to go into another.', {
    required: {
      ...PROJECT,
      ...BRANCH,
      target_branch: text('The branch that is to get them.', 'main'),
      title: TITLE,
    },
    optional: { description: TEXT },
    output: MERGE_REQUEST,
    call: 'POST /projects/{project}/merge_requests',
  }),
  writeAction('run_pipeline', 'Starts the pipeline of a branch or tag.', {
    required: { ...PROJECT, ref: text('A branch or tag.', 'main') },
    optional: {
      variables: list(
        object(
          { key: text('Of the variable.', 'STAGE'), value: text('Of the variable.', 'test') },
          'A variable of the pipeline.',
          { required: ['key', 'value'] },
        ),
        'What its jobs find in their environment.',
        [{ key: 'STAGE', value: 'test' }],
      ),
    },
    output: outputOf({
      id: integer('Of the pipeline.', 61),
      status: text('Such as `created` or `running`.', 'created'),
      web_url: text('Where people see it.', 'https://gitlab.example.com/acme/shop/-/pipelines/61'),
    }),
    call: 'POST /projects/{project}/pipeline',
  }),
];

/** Labels in one text, as this API wants them. */
function labelsOf(list: Parameters<typeof commaSeparated>[0]): { labels?: string } {
  const labels = commaSeparated(list);
  return labels === undefined ? {} : { labels };
}

export const gitlab = defineConnector({
  name: 'gitlab',
  title: 'GitLab',
  description: 'Issues, merge requests and pipelines of projects, on gitlab.com or a server of your own.',
  category: 'Development',
  docs: 'https://docs.gitlab.com/api/rest/',

  fields: [
    urlField('url', 'Address', 'Where GitLab runs.', 'https://gitlab.example.com', {
      required: false,
      default: 'https://gitlab.com',
    }),
    secretField(
      'token',
      'Access token',
      'Personal, of a project or a group, with the scope `api`.',
      'glpat-0123456789',
    ),
  ],
  base: (account) => `${siteOf(account, 'url', 'https://gitlab.com')}/api/v4`,
  sign: headerKey('private-token', 'token'),
  fault: faultFrom({
    message: [messageAt('message'), fieldErrorsAt('message'), messageAt('error_description')],
    code: codeAt('error_code'),
    retryAfterMs: timeInHeader('ratelimit-reset'),
  }),
  probe: 'get_me',
  actions,
});

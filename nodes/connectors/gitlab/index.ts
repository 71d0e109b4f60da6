import { headerKey } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { ask, asks, commas, does, hidden, pick, settles, site } from '../define';
import { messageAt } from '../http/fault';
import { byLink } from '../http/pages';
import { at } from '../http/path';
import { siteOf } from '../http/site';
import { codeAt, fieldsAt, untilIn, worded } from '../http/error-text';
import { choice, idOf, integer, list, object, outputOf, text } from '../schemas';

const PROJECT = { project: idOf('Project', 'Its number, or its path with all groups.', 'acme/shop') };
const IID = integer('Number', 'Of the issue in its project.', 11, { minimum: 1 });
const TITLE = text('Title', 'What it is about, in one line.', 'The cart is empty', { minLength: 1 });
const TEXT = text('Text', 'In Markdown.', 'It is empty since **yesterday**.');
const LABELS = list({ type: 'string' }, 'Labels', 'Names of labels.', ['bug']);
const DUE = text('Due', 'A date.', '2026-12-31');
const ASSIGNEES = list({ type: 'integer' }, 'Assignees', 'Numbers of users.', [42]);
const BRANCH = { source_branch: text('From', 'The branch with the changes.', 'new-cart') };

const ISSUE = outputOf({
  id: integer('Id', 'Of all of this GitLab.', 76),
  iid: IID,
  title: TITLE,
  state: text('State', '`opened` or `closed`.', 'opened'),
  web_url: text('Page', 'Where people see it.', 'https://gitlab.example.com/acme/shop/-/issues/11'),
});
const MERGE_REQUEST = outputOf({
  id: integer('Id', 'Of all of this GitLab.', 1),
  iid: integer('Number', 'In its project.', 7),
  title: TITLE,
  state: text('State', '`opened`, `closed`, `locked` or `merged`.', 'opened'),
  web_url: text('Page', 'Where people see it.', 'https://gitlab.example.com/acme/shop/-/merge_requests/7'),
});

const actions: readonly HttpAction[] = [
  asks('get_me', 'Get my account', 'The user that the connection acts for.', {
    output: outputOf({
      id: integer('Id', 'The number of the user.', 42),
      username: text('User name', 'As in mentions.', 'ada'),
      name: text('Name', 'As people read it.', 'Ada Lovelace'),
    }),
    call: 'GET /user',
  }),
  asks('list_issues', 'List issues', 'Issues of a project, newest first.', {
    needs: PROJECT,
    may: {
      state: choice(['opened', 'closed', 'all'], 'State', 'Which ones.', { default: 'all' }),
      labels: LABELS,
      search: text('Search', 'Words in title and text.', 'cart'),
      updated_after: text('Changed after', 'An instant.', '2026-01-01T00:00:00Z'),
    },
    item: ISSUE,
    request: (input) => ({
      method: 'GET',
      url: at`/projects/${input.project}/issues`,
      query: { per_page: 100, ...ask(input, 'state', 'search', 'updated_after'), labels: commas(input.labels) },
    }),
    pages: byLink(),
  }),
  asks('get_issue', 'Get an issue', 'One issue of a project.', {
    needs: { ...PROJECT, iid: IID },
    output: ISSUE,
    call: 'GET /projects/{project}/issues/{iid}',
  }),
  does('create_issue', 'Create an issue', 'Opens an issue in a project.', {
    needs: { ...PROJECT, title: TITLE },
    may: { description: TEXT, labels: LABELS, assignee_ids: ASSIGNEES, due_date: DUE },
    output: ISSUE,
    request: (input) => ({
      method: 'POST',
      url: at`/projects/${input.project}/issues`,
      body: { ...pick(input, 'title', 'description', 'assignee_ids', 'due_date'), ...labelsOf(input.labels) },
    }),
  }),
  settles('update_issue', 'Change an issue', 'Changes what is given of an issue; lists are replaced as a whole.', {
    needs: { ...PROJECT, iid: IID },
    may: {
      title: TITLE,
      description: TEXT,
      labels: LABELS,
      assignee_ids: ASSIGNEES,
      due_date: DUE,
      state_event: choice(['close', 'reopen'], 'State', 'Closes it, or opens it again.'),
    },
    output: ISSUE,
    request: (input) => ({
      method: 'PUT',
      url: at`/projects/${input.project}/issues/${input.iid}`,
      body: {
        ...pick(input, 'title', 'description', 'assignee_ids', 'due_date', 'state_event'),
        ...labelsOf(input.labels),
      },
    }),
  }),
  does('comment', 'Comment', 'Writes below an issue.', {
    needs: { ...PROJECT, iid: IID, body: TEXT },
    output: outputOf({ id: integer('Id', 'Of the comment.', 301), body: TEXT }),
    call: 'POST /projects/{project}/issues/{iid}/notes',
  }),
  does('create_merge_request', 'Create a merge request', 'Asks for the changes of one branch to go into another.', {
    needs: {
      ...PROJECT,
      ...BRANCH,
      target_branch: text('Into', 'The branch that is to get them.', 'main'),
      title: TITLE,
    },
    may: { description: TEXT },
    output: MERGE_REQUEST,
    call: 'POST /projects/{project}/merge_requests',
  }),
  does('run_pipeline', 'Run a pipeline', 'Starts the pipeline of a branch or tag.', {
    needs: { ...PROJECT, ref: text('Ref', 'A branch or tag.', 'main') },
    may: {
      variables: list(
        object(
          { key: text('Name', 'Of the variable.', 'STAGE'), value: text('Value', 'Of the variable.', 'test') },
          'Variable',
          'A variable of the pipeline.',
          { required: ['key', 'value'] },
        ),
        'Variables',
        'What its jobs find in their environment.',
        [{ key: 'STAGE', value: 'test' }],
      ),
    },
    output: outputOf({
      id: integer('Id', 'Of the pipeline.', 61),
      status: text('Status', 'Such as `created` or `running`.', 'created'),
      web_url: text('Page', 'Where people see it.', 'https://gitlab.example.com/acme/shop/-/pipelines/61'),
    }),
    call: 'POST /projects/{project}/pipeline',
  }),
];

/** Labels in one text, as this API wants them. */
function labelsOf(labels: Parameters<typeof commas>[0]): { labels?: string } {
  const text = commas(labels);
  return text === undefined ? {} : { labels: text };
}

export const gitlab: Connector = {
  name: 'gitlab',
  title: 'GitLab',
  description: 'Issues, merge requests and pipelines of projects, on gitlab.com or a server of your own.',
  category: 'Development',
  docs: 'https://docs.gitlab.com/api/rest/',
  auth: {
    required: true,
    fields: [
      site('url', 'Address', 'Where GitLab runs.', 'https://gitlab.example.com', {
        required: false,
        default: 'https://gitlab.com',
      }),
      hidden('token', 'Access token', 'Personal, of a project or a group, with the scope `api`.', 'glpat-0123456789'),
    ],
  },
  base: (account) => `${siteOf(account, 'url', 'https://gitlab.com')}/api/v4`,
  sign: headerKey('private-token', 'token'),
  fault: worded({
    message: [messageAt('message'), fieldsAt('message'), messageAt('error_description')],
    code: codeAt('error_code'),
    wait: untilIn('ratelimit-reset'),
  }),
  probe: { action: 'get_me', input: {} },
  actions,
};

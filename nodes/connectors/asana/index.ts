import { bearer } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { asks, does, hidden, settles } from '../define';
import { messageAt } from '../http/fault';
import { byCursor } from '../http/pages';
import { inside } from '../http/read';
import { worded } from '../http/error-text';
import { flag, list, outputOf, record, text } from '../schemas';

const TASK_ID = { task: text('Task', 'Its id.', '1204619611402340', { minLength: 1 }) };
const NAME = text('Name', 'What is to be done, in one line.', 'Call the supplier', { minLength: 1 });
const WORKSPACE = text('Workspace', 'Its id.', '1199999999999990', { minLength: 1 });
const WRITTEN = {
  notes: text('Notes', 'Plain text.', 'Ask for the delivery date.'),
  assignee: text('Assignee', 'Id or e-mail address of a user, or `me`.', 'me'),
  due_on: text('Due', 'A date.', '2026-12-31'),
  custom_fields: record('Custom fields', 'Values by the ids of the fields.', { '1200000000000001': 'urgent' }),
};
const TASK = outputOf({
  gid: text('Id', 'Of the task.', '1204619611402340'),
  name: NAME,
  permalink_url: text('Page', 'Where people see it.', 'https://app.asana.com/0/0/1204619611402340'),
  completed: flag('Done', 'Whether it is completed.'),
});
const THING = outputOf({
  gid: text('Id', 'Of the thing.', '1199999999999991'),
  name: text('Name', 'As people read it.', 'Autumn'),
});
const TASK_FIELDS = 'name,completed,assignee.name,due_on,modified_at,permalink_url';
const pages = byCursor({ items: 'data', cursor: 'next_page.offset', parameter: 'offset' });
const read = inside('data');

const actions: readonly HttpAction[] = [
  asks('get_me', 'Get my account', 'The user that the connection acts for, with workspaces.', {
    output: THING,
    call: 'GET /users/me',
    read,
  }),
  asks('list_projects', 'List projects', 'Projects of a workspace.', {
    needs: { workspace: WORKSPACE },
    may: { archived: flag('Archived', 'Only those that are archived, or only others.') },
    item: THING,
    call: 'GET /projects',
    query: { limit: 100 },
    pages,
  }),
  asks('list_tasks', 'List tasks', 'Tasks of a project.', {
    needs: { project: text('Project', 'Its id.', '1199999999999991', { minLength: 1 }) },
    may: {
      completed_since: text('Open or done since', 'An instant; `now` leaves out all that are done.', 'now'),
      modified_since: text('Changed since', 'An instant.', '2026-01-01T00:00:00Z'),
    },
    item: TASK,
    call: 'GET /tasks',
    query: { limit: 100, opt_fields: TASK_FIELDS },
    pages,
  }),
  asks('get_task', 'Get a task', 'One task.', { needs: TASK_ID, output: TASK, call: 'GET /tasks/{task}', read }),
  does('create_task', 'Create a task', 'Makes a task in a workspace, and in projects of it.', {
    needs: { workspace: WORKSPACE, name: NAME },
    may: { ...WRITTEN, projects: list({ type: 'string' }, 'Projects', 'Ids of projects.', ['1199999999999991']) },
    output: TASK,
    call: 'POST /tasks',
    within: 'data',
    read,
  }),
  settles('update_task', 'Change a task', 'Sets what is given of a task, or completes it.', {
    needs: TASK_ID,
    may: { name: NAME, ...WRITTEN, completed: flag('Done', 'Completes it, or opens it again.') },
    output: TASK,
    call: 'PUT /tasks/{task}',
    within: 'data',
    read,
  }),
  does('comment', 'Comment', 'Writes below a task.', {
    needs: { ...TASK_ID, text: text('Text', 'Plain text.', 'Delivered.', { minLength: 1 }) },
    output: outputOf({ gid: text('Id', 'Of the comment.', '1204619611402350'), text: text('Text', 'As written.') }),
    call: 'POST /tasks/{task}/stories',
    within: 'data',
    read,
  }),
];

export const asana: Connector = {
  name: 'asana',
  title: 'Asana',
  description: 'Tasks and projects: list, create, change, comment.',
  category: 'Project management',
  docs: 'https://developers.asana.com/reference/rest-api-reference',
  auth: {
    required: true,
    fields: [
      hidden('token', 'Access token', 'A personal one, of the developer console.', '2/1199999999/120:0123456789'),
    ],
  },
  base: () => 'https://app.asana.com/api/1.0',
  sign: bearer('token'),
  fault: worded({ message: [messageAt('errors', 0, 'message')] }),
  probe: { action: 'get_me', input: {} },
  actions,
};

import { bearer } from '../auth';
import type { HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byCursor } from '../http/pages';
import { outputAt } from '../http/read';
import { faultFrom } from '../http/error-text';
import { filledText, flag, list, outputOf, record, text } from '../../schema';
import { secretField } from '../credentials';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const TASK_ID = { task: filledText('ID of the task.', '1204619611402340') };
const NAME = filledText('Name of the task.', 'Call the supplier');
const WORKSPACE = filledText('ID of the workspace.', '1199999999999990');
const WRITTEN = {
  notes: text('Plain text.', 'Ask for the delivery date.'),
  assignee: text('ID or email address of a user, or `me`.', 'me'),
  due_on: text('Date as YYYY-MM-DD.', '2026-12-31'),
  custom_fields: record('Values by field ID.', { '1200000000000001': 'urgent' }),
};
const TASK = outputOf({
  gid: text('ID of the task.', '1204619611402340'),
  name: NAME,
  permalink_url: text('URL of the page in the web app.', 'https://app.asana.com/0/0/1204619611402340'),
  completed: flag('Whether it is completed.'),
});
const THING = outputOf({ gid: text('ID of the resource.', '1199999999999991'), name: text('Display name.', 'Autumn') });
const TASK_FIELDS = 'name,completed,assignee.name,due_on,modified_at,permalink_url';
const pages = byCursor({ items: 'data', cursor: 'next_page.offset', parameter: 'offset' });
const read = outputAt('data');

const actions: readonly HttpAction[] = [
  readAction('get_me', 'Returns the user of the connection and its workspaces.', {
    output: THING,
    call: 'GET /users/me',
    read,
  }),
  readAction('list_projects', 'Lists projects of a workspace.', {
    required: { workspace: WORKSPACE },
    optional: { archived: flag('Returns only archived projects (true) or only active ones (false).') },
    item: THING,
    call: 'GET /projects',
    query: { limit: 100 },
    pages,
  }),
  readAction('list_tasks', 'Lists tasks of a project.', {
    required: { project: filledText('ID of the project.', '1199999999999991') },
    optional: {
      completed_since: text(
        'Returns tasks that are open or were completed after this time (ISO 8601); `now`: only open tasks.',
        'now',
      ),
      modified_since: text('Time in ISO 8601 format.', '2026-01-01T00:00:00Z'),
    },
    item: TASK,
    call: 'GET /tasks',
    query: { limit: 100, opt_fields: TASK_FIELDS },
    pages,
  }),
  readAction('get_task', 'Returns a task.', { required: TASK_ID, output: TASK, call: 'GET /tasks/{task}', read }),
  writeAction('create_task', 'Creates a task in a workspace and, optionally, in projects.', {
    required: { workspace: WORKSPACE, name: NAME },
    optional: { ...WRITTEN, projects: list({ type: 'string' }, 'IDs of projects.', ['1199999999999991']) },
    output: TASK,
    call: 'POST /tasks',
    bodyKey: 'data',
    read,
  }),
  idempotentWrite('update_task', 'Updates the given fields of a task, or completes it.', {
    required: TASK_ID,
    optional: { name: NAME, ...WRITTEN, completed: flag('Completes or reopens the task.') },
    output: TASK,
    call: 'PUT /tasks/{task}',
    bodyKey: 'data',
    read,
  }),
  writeAction('comment', 'Adds a comment to a task.', {
    required: { ...TASK_ID, text: filledText('Plain text.', 'Delivered.') },
    output: outputOf({ gid: text('ID of the comment.', '1204619611402350'), text: text('Text of the comment.') }),
    call: 'POST /tasks/{task}/stories',
    bodyKey: 'data',
    read,
  }),
];

export const asana = defineConnector({
  name: 'asana',
  title: 'Asana',
  description: 'List, create, update and comment on tasks; list projects.',
  category: 'Project management',
  docs: 'https://developers.asana.com/reference/rest-api-reference',

  fields: [
    secretField(
      'token',
      'Access token',
      'Personal access token from the developer console.',
      '2/1199999999/120:0123456789',
    ),
  ],
  base: 'https://app.asana.com/api/1.0',
  sign: bearer('token'),
  fault: faultFrom({ message: [messageAt('errors', 0, 'message')] }),
  connectionTest: 'get_me',
  actions,
});

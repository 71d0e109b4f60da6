import { bearer } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byCursor } from '../http/pages';
import { outputAt } from '../http/read';
import { faultFrom } from '../http/error-text';
import { filledText, flag, list, outputOf, record, text } from '../../schema';
import { secretField } from '../credentials';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const TASK_ID = { task: filledText('Its id.', '1204619611402340') };
const NAME = filledText('What is to be done, in one line.', 'Call the supplier');
const WORKSPACE = filledText('Its id.', '1199999999999990');
const WRITTEN = {
  notes: text('Plain text.', 'Ask for the delivery date.'),
  assignee: text('Id or e-mail address of a user, or `me`.', 'me'),
  due_on: text('A date.', '2026-12-31'),
  custom_fields: record('Values by the ids of the fields.', { '1200000000000001': 'urgent' }),
};
const TASK = outputOf({
  gid: text('Of the task.', '1204619611402340'),
  name: NAME,
  permalink_url: text('Where people see it.', 'https://app.asana.com/0/0/1204619611402340'),
  completed: flag('Whether it is completed.'),
});
const THING = outputOf({
  gid: text('Of the thing.', '1199999999999991'),
  name: text('As people read it.', 'Autumn'),
});
const TASK_FIELDS = 'name,completed,assignee.name,due_on,modified_at,permalink_url';
const pages = byCursor({ items: 'data', cursor: 'next_page.offset', parameter: 'offset' });
const read = outputAt('data');

const actions: readonly HttpAction[] = [
  readAction('get_me', 'The user that the connection acts for, with workspaces.', {
    output: THING,
    call: 'GET /users/me',
    read,
  }),
  readAction('list_projects', 'Projects of a workspace.', {
    required: { workspace: WORKSPACE },
    optional: { archived: flag('Only those that are archived, or only others.') },
    item: THING,
    call: 'GET /projects',
    query: { limit: 100 },
    pages,
  }),
  readAction('list_tasks', 'Tasks of a project.', {
    required: { project: filledText('Its id.', '1199999999999991') },
    optional: {
      completed_since: text('An instant; `now` leaves out all that are done.', 'now'),
      modified_since: text('An instant.', '2026-01-01T00:00:00Z'),
    },
    item: TASK,
    call: 'GET /tasks',
    query: { limit: 100, opt_fields: TASK_FIELDS },
    pages,
  }),
  readAction('get_task', 'One task.', { required: TASK_ID, output: TASK, call: 'GET /tasks/{task}', read }),
  writeAction('create_task', 'Makes a task in a workspace, and in projects of it.', {
    required: { workspace: WORKSPACE, name: NAME },
    optional: { ...WRITTEN, projects: list({ type: 'string' }, 'Ids of projects.', ['1199999999999991']) },
    output: TASK,
    call: 'POST /tasks',
    bodyKey: 'data',
    read,
  }),
  idempotentWrite('update_task', 'Sets what is given of a task, or completes it.', {
    required: TASK_ID,
    optional: { name: NAME, ...WRITTEN, completed: flag('Completes it, or opens it again.') },
    output: TASK,
    call: 'PUT /tasks/{task}',
    bodyKey: 'data',
    read,
  }),
  writeAction('comment', 'Writes below a task.', {
    required: { ...TASK_ID, text: filledText('Plain text.', 'Delivered.') },
    output: outputOf({ gid: text('Of the comment.', '1204619611402350'), text: text('As written.') }),
    call: 'POST /tasks/{task}/stories',
    bodyKey: 'data',
    read,
  }),
];

export const asana = defineConnector({
  name: 'asana',
  title: 'Asana',
  description: 'Tasks and projects: list, create, change, comment.',
  category: 'Project management',
  docs: 'https://developers.asana.com/reference/rest-api-reference',

  fields: [
    secretField('token', 'Access token', 'A personal one, of the developer console.', '2/1199999999/120:0123456789'),
  ],
  base: 'https://app.asana.com/api/1.0',
  sign: bearer('token'),
  fault: faultFrom({ message: [messageAt('errors', 0, 'message')] }),
  probe: 'get_me',
  actions,
});

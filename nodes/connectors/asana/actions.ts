import type { HttpAction } from '../contract';
import { ask, asks, does, pick, settles } from '../define';
import { byCursor } from '../http/pages';
import { inside } from '../http/read';
import { at } from '../http/path';
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

export const actions: readonly HttpAction[] = [
  asks('get_me', 'Get my account', 'The user that the connection acts for, with workspaces.', {
    output: THING,
    request: () => ({ method: 'GET', url: '/users/me' }),
    read,
  }),
  asks('list_projects', 'List projects', 'Projects of a workspace.', {
    needs: { workspace: WORKSPACE },
    may: { archived: flag('Archived', 'Only those that are archived, or only others.') },
    item: THING,
    request: (input) => ({
      method: 'GET',
      url: '/projects',
      query: { limit: 100, ...ask(input, 'workspace', 'archived') },
    }),
    pages,
  }),
  asks('list_tasks', 'List tasks', 'Tasks of a project.', {
    needs: { project: text('Project', 'Its id.', '1199999999999991', { minLength: 1 }) },
    may: {
      completed_since: text('Open or done since', 'An instant; `now` leaves out all that are done.', 'now'),
      modified_since: text('Changed since', 'An instant.', '2026-01-01T00:00:00Z'),
    },
    item: TASK,
    request: (input) => ({
      method: 'GET',
      url: '/tasks',
      query: { limit: 100, opt_fields: TASK_FIELDS, ...ask(input, 'project', 'completed_since', 'modified_since') },
    }),
    pages,
  }),
  asks('get_task', 'Get a task', 'One task.', {
    needs: TASK_ID,
    output: TASK,
    request: ({ task }) => ({ method: 'GET', url: at`/tasks/${task}` }),
    read,
  }),
  does('create_task', 'Create a task', 'Makes a task in a workspace, and in projects of it.', {
    needs: { workspace: WORKSPACE, name: NAME },
    may: { ...WRITTEN, projects: list({ type: 'string' }, 'Projects', 'Ids of projects.', ['1199999999999991']) },
    output: TASK,
    request: (input) => ({
      method: 'POST',
      url: '/tasks',
      body: { data: pick(input, 'workspace', 'name', 'projects', ...Object.keys(WRITTEN)) },
    }),
    read,
  }),
  settles('update_task', 'Change a task', 'Sets what is given of a task, or completes it.', {
    needs: TASK_ID,
    may: { name: NAME, ...WRITTEN, completed: flag('Done', 'Completes it, or opens it again.') },
    output: TASK,
    request: (input) => ({
      method: 'PUT',
      url: at`/tasks/${input.task}`,
      body: { data: pick(input, 'name', 'completed', ...Object.keys(WRITTEN)) },
    }),
    read,
  }),
  does('comment', 'Comment', 'Writes below a task.', {
    needs: { ...TASK_ID, text: text('Text', 'Plain text.', 'Delivered.', { minLength: 1 }) },
    output: outputOf({ gid: text('Id', 'Of the comment.', '1204619611402350'), text: text('Text', 'As written.') }),
    request: (input) => ({
      method: 'POST',
      url: at`/tasks/${input.task}/stories`,
      body: { data: pick(input, 'text') },
    }),
    read,
  }),
];

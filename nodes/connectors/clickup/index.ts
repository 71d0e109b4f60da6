import type { Json, JsonObject } from '../../../lib/json';
import { headerKey } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { ask, asks, does, hidden, NOTHING, nothing, pick, settles } from '../define';
import { messageAt } from '../http/fault';
import { byPage } from '../http/pages';
import { at } from '../http/path';
import { inside } from '../http/read';
import { codeAt, untilIn, worded } from '../http/error-text';
import { flag, idOf, integer, list, outputOf, text } from '../schemas';
import { Unusable } from '../unusable';

const LIST_ID = { list_id: idOf('List', 'Its id.', '901100123456') };
const TASK_ID = { task_id: text('Task', 'Its id.', '86c1x2y3z', { minLength: 1 }) };
const NAME = text('Name', 'What is to be done, in one line.', 'Call the supplier', { minLength: 1 });
const WRITTEN = {
  markdown_content: text('Description', 'In Markdown.', 'Ask for the **delivery date**.'),
  status: text('Status', 'One of those that the list has.', 'in progress'),
  priority: integer('Priority', '1 urgent, 2 high, 3 normal, 4 low.', 3, { minimum: 1, maximum: 4 }),
  due: text('Due', 'An instant.', '2026-12-31T12:00:00Z'),
};
const USERS = list({ type: 'integer' }, 'Assignees', 'Numbers of users.', [183]);
const TASK = outputOf({
  id: text('Id', 'Of the task.', '86c1x2y3z'),
  name: NAME,
  url: text('Page', 'Where people see it.', 'https://app.clickup.com/t/86c1x2y3z'),
});
const THING = outputOf({ id: text('Id', 'Of the thing.', '90110'), name: text('Name', 'As people read it.', 'Shop') });

/** An instant in milliseconds, as this API counts. @throws Unusable */
function dueOf(due: Json | undefined): JsonObject {
  if (due === undefined) return {};
  const instant = Date.parse(String(due));
  if (Number.isNaN(instant)) throw new Unusable('"due" must look like 2026-12-31T12:00:00Z');
  return { due_date: instant, due_date_time: true };
}

const written = (input: JsonObject): JsonObject => ({
  ...pick(input, 'name', 'markdown_content', 'status', 'priority'),
  ...dueOf(input.due),
});

const actions: readonly HttpAction[] = [
  asks('get_me', 'Get my account', 'The user that the connection acts for.', {
    output: outputOf({
      id: integer('Id', 'The number of the user.', 183),
      username: text('Name', 'As people read it.', 'Ada Lovelace'),
    }),
    call: 'GET /user',
    read: inside('user'),
  }),
  asks('list_workspaces', 'List workspaces', 'Workspaces that the connection sees.', {
    output: outputOf({ teams: list(THING, 'Workspaces', 'With ids and names.') }),
    call: 'GET /team',
  }),
  asks('list_tasks', 'List tasks', 'Tasks of a list.', {
    needs: LIST_ID,
    may: {
      statuses: list({ type: 'string' }, 'Statuses', 'Only those that have one of these.', ['to do']),
      include_closed: flag('Closed too', 'Those that are closed as well.', { default: false }),
      subtasks: flag('Subtasks too', 'Tasks in tasks as well.', { default: false }),
      order_by: text('Order', '`id`, `created`, `updated` or `due_date`.', 'updated'),
    },
    item: TASK,
    request: (input) => ({
      method: 'GET',
      url: at`/list/${input.list_id}/task`,
      query: {
        page: 0,
        ...ask(input, 'include_closed', 'subtasks', 'order_by'),
        'statuses[]': ask(input, 'statuses').statuses,
      },
    }),
    pages: byPage({ items: 'tasks', page: 'page', first: 0, ended: 'last_page' }),
  }),
  asks('get_task', 'Get a task', 'One task.', { needs: TASK_ID, output: TASK, call: 'GET /task/{task_id}' }),
  does('create_task', 'Create a task', 'Puts a task into a list.', {
    needs: { ...LIST_ID, name: NAME },
    may: { ...WRITTEN, assignees: USERS, tags: list({ type: 'string' }, 'Tags', 'Names of tags.', ['supplier']) },
    output: TASK,
    request: (input) => ({
      method: 'POST',
      url: at`/list/${input.list_id}/task`,
      body: { ...written(input), ...pick(input, 'assignees', 'tags') },
    }),
  }),
  settles('update_task', 'Change a task', 'Sets what is given of a task.', {
    needs: TASK_ID,
    may: {
      name: NAME,
      ...WRITTEN,
      add_assignees: { ...USERS, title: 'Assign', description: 'Numbers of users that it is given to as well.' },
      remove_assignees: { ...USERS, title: 'Take from', description: 'Numbers of users that it is taken from.' },
      archived: flag('Archived', 'Archives it, or brings it back.'),
    },
    output: TASK,
    request: (input) => ({
      method: 'PUT',
      url: at`/task/${input.task_id}`,
      body: { ...written(input), ...pick(input, 'archived'), ...assigneesOf(input) },
    }),
  }),
  does('comment', 'Comment', 'Writes below a task.', {
    needs: { ...TASK_ID, comment_text: text('Text', 'Plain text.', 'Delivered.', { minLength: 1 }) },
    may: { notify_all: flag('Tell everybody', 'Tells those who follow the task.', { default: false }) },
    output: outputOf({ id: idOf('Id', 'Of the comment.', '458315') }),
    call: 'POST /task/{task_id}/comment',
    body: { notify_all: false },
  }),
  settles('delete_task', 'Delete a task', 'Moves a task to the trash.', {
    needs: TASK_ID,
    output: NOTHING,
    call: 'DELETE /task/{task_id}',
    read: nothing,
  }),
];

function assigneesOf({ add_assignees: add, remove_assignees: rem }: JsonObject): JsonObject {
  if (add === undefined && rem === undefined) return {};
  return { assignees: { add: add ?? [], rem: rem ?? [] } };
}

export const clickup: Connector = {
  name: 'clickup',
  title: 'ClickUp',
  description: 'Tasks of lists: find, create, change, comment.',
  category: 'Project management',
  docs: 'https://developer.clickup.com/reference',
  auth: {
    required: true,
    fields: [hidden('api_token', 'API token', 'A personal one: Settings, Apps.', 'pk_1234567_0123456789ABCDEF')],
  },
  base: () => 'https://api.clickup.com/api/v2',
  sign: headerKey('authorization', 'api_token'),
  fault: worded({ message: [messageAt('err')], code: codeAt('ECODE'), wait: untilIn('x-ratelimit-reset') }),
  probe: { action: 'get_me', input: {} },
  actions,
};

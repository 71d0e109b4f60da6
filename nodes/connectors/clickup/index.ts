import type { Json, JsonObject } from '../../../lib/json';
import { headerKey } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byPage } from '../http/pages';
import { urlPath } from '../http/path';
import { outputAt } from '../http/read';
import { codeAt, timeInHeader, faultFrom } from '../http/error-text';

import { Unusable } from '../unusable';
import { anyId, filledText, flag, integer, list, outputOf, text } from '../../schema';
import { secretField } from '../credentials';
import { pick, queryFrom } from '../input';
import { NO_OUTPUT, defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const LIST_ID = { list_id: anyId('Its id.', '901100123456') };
const TASK_ID = { task_id: filledText('Its id.', '86c1x2y3z') };
const NAME = filledText('What is to be done, in one line.', 'Call the supplier');
const WRITTEN = {
  markdown_content: text('In Markdown.', 'Ask for the **delivery date**.'),
  status: text('One of those that the list has.', 'in progress'),
  priority: integer('1 urgent, 2 high, 3 normal, 4 low.', 3, { minimum: 1, maximum: 4 }),
  due: text('An instant.', '2026-12-31T12:00:00Z'),
};
const USERS = list({ type: 'integer' }, 'Numbers of users.', [183]);
const TASK = outputOf({
  id: text('Of the task.', '86c1x2y3z'),
  name: NAME,
  url: text('Where people see it.', 'https://app.clickup.com/t/86c1x2y3z'),
});
const THING = outputOf({ id: text('Of the thing.', '90110'), name: text('As people read it.', 'Shop') });

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
  readAction('get_me', 'The user that the connection acts for.', {
    output: outputOf({
      id: integer('The number of the user.', 183),
      username: text('As people read it.', 'Ada Lovelace'),
    }),
    call: 'GET /user',
    read: outputAt('user'),
  }),
  readAction('list_workspaces', 'Workspaces that the connection sees.', {
    output: outputOf({ teams: list(THING, 'With ids and names.') }),
    call: 'GET /team',
  }),
  readAction('list_tasks', 'Tasks of a list.', {
    required: LIST_ID,
    optional: {
      statuses: list({ type: 'string' }, 'Only those that have one of these.', ['to do']),
      include_closed: flag('Those that are closed as well.', { default: false }),
      subtasks: flag('Tasks in tasks as well.', { default: false }),
      order_by: text('`id`, `created`, `updated` or `due_date`.', 'updated'),
    },
    item: TASK,
    request: (input) => ({
      method: 'GET',
      url: urlPath`/list/${input.list_id}/task`,
      query: {
        page: 0,
        ...queryFrom(input, 'include_closed', 'subtasks', 'order_by'),
        'statuses[]': queryFrom(input, 'statuses').statuses,
      },
    }),
    pages: byPage({ items: 'tasks', page: 'page', first: 0, ended: 'last_page' }),
  }),
  readAction('get_task', 'One task.', { required: TASK_ID, output: TASK, call: 'GET /task/{task_id}' }),
  writeAction('create_task', 'Puts a task into a list.', {
    required: { ...LIST_ID, name: NAME },
    optional: { ...WRITTEN, assignees: USERS, tags: list({ type: 'string' }, 'Names of tags.', ['supplier']) },
    output: TASK,
    request: (input) => ({
      method: 'POST',
      url: urlPath`/list/${input.list_id}/task`,
      body: { ...written(input), ...pick(input, 'assignees', 'tags') },
    }),
  }),
  idempotentWrite('update_task', 'Sets what is given of a task.', {
    required: TASK_ID,
    optional: {
      name: NAME,
      ...WRITTEN,
      add_assignees: { ...USERS, title: 'Assign', description: 'Numbers of users that it is given to as well.' },
      remove_assignees: { ...USERS, title: 'Take from', description: 'Numbers of users that it is taken from.' },
      archived: flag('Archives it, or brings it back.'),
    },
    output: TASK,
    request: (input) => ({
      method: 'PUT',
      url: urlPath`/task/${input.task_id}`,
      body: { ...written(input), ...pick(input, 'archived'), ...assigneesOf(input) },
    }),
  }),
  writeAction('comment', 'Writes below a task.', {
    required: { ...TASK_ID, comment_text: filledText('Plain text.', 'Delivered.') },
    optional: { notify_all: flag('Tells those who follow the task.', { default: false }) },
    output: outputOf({ id: anyId('Of the comment.', '458315') }),
    call: 'POST /task/{task_id}/comment',
    body: { notify_all: false },
  }),
  idempotentWrite('delete_task', 'Moves a task to the trash.', {
    required: TASK_ID,
    ...NO_OUTPUT,
    call: 'DELETE /task/{task_id}',
  }),
];

function assigneesOf({ add_assignees: add, remove_assignees: rem }: JsonObject): JsonObject {
  if (add === undefined && rem === undefined) return {};
  return { assignees: { add: add ?? [], rem: rem ?? [] } };
}

export const clickup = defineConnector({
  name: 'clickup',
  title: 'ClickUp',
  description: 'Tasks of lists: find, create, change, comment.',
  category: 'Project management',
  docs: 'https://developer.clickup.com/reference',

  fields: [secretField('api_token', 'API token', 'A personal one: Settings, Apps.', 'pk_1234567_0123456789ABCDEF')],
  base: 'https://api.clickup.com/api/v2',
  sign: headerKey('authorization', 'api_token'),
  fault: faultFrom({
    message: [messageAt('err')],
    code: codeAt('ECODE'),
    retryAfterMs: timeInHeader('x-ratelimit-reset'),
  }),
  probe: 'get_me',
  actions,
});

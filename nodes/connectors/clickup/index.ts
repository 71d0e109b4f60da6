import type { Json, JsonObject } from '../../../lib/json';
import { headerKey } from '../auth';
import type { HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byPage } from '../http/pages';
import { urlPath } from '../http/path';
import { outputAt } from '../http/read';
import { codeAt, timeInHeader, faultFrom } from '../http/error-text';

import { InvalidInputError } from '../invalid-input-error';
import { anyId, filledText, flag, integer, list, outputOf, text } from '../../schema';
import { secretField } from '../credentials';
import { pick, queryFrom } from '../input';
import { NO_OUTPUT, defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const LIST_ID = { list_id: anyId('ID of the list.', '901100123456') };
const TASK_ID = { task_id: filledText('ID of the task.', '86c1x2y3z') };
const NAME = filledText('Name of the task.', 'Call the supplier');
const WRITTEN = {
  markdown_content: text('Text in Markdown.', 'Ask for the **delivery date**.'),
  status: text('Status of the list.', 'in progress'),
  priority: integer('1 urgent, 2 high, 3 normal, 4 low.', 3, { minimum: 1, maximum: 4 }),
  due: text('Time in ISO 8601 format.', '2026-12-31T12:00:00Z'),
};
const USERS = list({ type: 'integer' }, 'IDs of users.', [183]);
const TASK = outputOf({
  id: text('ID of the task.', '86c1x2y3z'),
  name: NAME,
  url: text('URL of the page in the web app.', 'https://app.clickup.com/t/86c1x2y3z'),
});
const THING = outputOf({ id: text('ID of the resource.', '90110'), name: text('Display name.', 'Shop') });

/** A time in epoch milliseconds, as this API uses. @throws InvalidInputError */
function dueOf(due: Json | undefined): JsonObject {
  if (due === undefined) return {};
  const instant = Date.parse(String(due));
  if (Number.isNaN(instant)) throw new InvalidInputError('"due" must look like 2026-12-31T12:00:00Z');
  return { due_date: instant, due_date_time: true };
}

const written = (input: JsonObject): JsonObject => ({
  ...pick(input, 'name', 'markdown_content', 'status', 'priority'),
  ...dueOf(input.due),
});

const actions: readonly HttpAction[] = [
  readAction('get_me', 'Returns the user of the connection.', {
    output: outputOf({ id: integer('ID of the user.', 183), username: text('Display name.', 'Ada Lovelace') }),
    call: 'GET /user',
    read: outputAt('user'),
  }),
  readAction('list_workspaces', 'Lists workspaces that the connection can access.', {
    output: outputOf({ teams: list(THING, 'IDs and names.') }),
    call: 'GET /team',
  }),
  readAction('list_tasks', 'Lists tasks of a list.', {
    required: LIST_ID,
    optional: {
      statuses: list({ type: 'string' }, 'Only tasks with one of these statuses.', ['to do']),
      include_closed: flag('Includes closed tasks.', { default: false }),
      subtasks: flag('Includes subtasks.', { default: false }),
      order_by: text('Sort by `id`, `created`, `updated` or `due_date`.', 'updated'),
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
  readAction('get_task', 'Returns a task.', { required: TASK_ID, output: TASK, call: 'GET /task/{task_id}' }),
  writeAction('create_task', 'Creates a task in a list.', {
    required: { ...LIST_ID, name: NAME },
    optional: { ...WRITTEN, assignees: USERS, tags: list({ type: 'string' }, 'Names of tags.', ['supplier']) },
    output: TASK,
    request: (input) => ({
      method: 'POST',
      url: urlPath`/list/${input.list_id}/task`,
      body: { ...written(input), ...pick(input, 'assignees', 'tags') },
    }),
  }),
  idempotentWrite('update_task', 'Updates the given fields of a task.', {
    required: TASK_ID,
    optional: {
      name: NAME,
      ...WRITTEN,
      add_assignees: { ...USERS, title: 'Assign', description: 'IDs of users to assign.' },
      remove_assignees: { ...USERS, title: 'Unassign', description: 'IDs of users to unassign.' },
      archived: flag('Archives or restores it.'),
    },
    output: TASK,
    request: (input) => ({
      method: 'PUT',
      url: urlPath`/task/${input.task_id}`,
      body: { ...written(input), ...pick(input, 'archived'), ...assigneesOf(input) },
    }),
  }),
  writeAction('comment', 'Adds a comment to a task.', {
    required: { ...TASK_ID, comment_text: filledText('Plain text.', 'Delivered.') },
    optional: { notify_all: flag('Notifies watchers of the task.', { default: false }) },
    output: outputOf({ id: anyId('ID of the comment.', '458315') }),
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
  description: 'List, create, update and comment on tasks.',
  category: 'Project management',
  docs: 'https://developer.clickup.com/reference',

  fields: [secretField('api_token', 'API token', 'Personal token: Settings > Apps.', 'pk_1234567_0123456789ABCDEF')],
  base: 'https://api.clickup.com/api/v2',
  sign: headerKey('authorization', 'api_token'),
  fault: faultFrom({
    message: [messageAt('err')],
    code: codeAt('ECODE'),
    retryAfterMs: timeInHeader('x-ratelimit-reset'),
  }),
  connectionTest: 'get_me',
  actions,
});

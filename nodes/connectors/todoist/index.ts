import { bearer } from '../auth';
import type { HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byCursor } from '../http/pages';
import { codeAt, secondsInBody, faultFrom } from '../http/error-text';
import { filledText, flag, integer, list, outputOf, text } from '../../schema';
import { secretField } from '../credentials';
import { NO_OUTPUT, defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const TASK_ID = { task_id: filledText('ID of the task.', '6X7rM8997g3RQmvh') };
const CONTENT = filledText('Content of the task in Markdown.', 'Call the supplier');
const PROJECT = text('ID of the project.', '6Jf8VQXxpwv56VQ7');
const WRITTEN = {
  description: text('Description.', 'Ask for the delivery date.'),
  labels: list({ type: 'string' }, 'Names of labels.', ['phone']),
  priority: integer('Priority from 1 (normal) to 4 (urgent).', 4, { minimum: 1, maximum: 4 }),
  due_string: text('Due date in words; English unless another language is set.', 'tomorrow at 12:00'),
  due_date: text('Due date, instead of words.', '2026-12-31'),
  due_datetime: text('Due time, instead of words.', '2026-12-31T12:00:00Z'),
};
const TASK = outputOf({
  id: text('ID of the task.', '6X7rM8997g3RQmvh'),
  content: CONTENT,
  project_id: PROJECT,
  checked: flag('Whether it is completed.'),
});
const pages = byCursor({ items: 'results', cursor: 'next_cursor', parameter: 'cursor' });

const actions: readonly HttpAction[] = [
  readAction('list_projects', 'Lists projects of the account.', {
    item: outputOf({ id: text('ID of the project.', '6Jf8VQXxpwv56VQ7'), name: text('Display name.', 'Home') }),
    call: 'GET /projects',
    query: { limit: 200 },
    pages,
  }),
  readAction('list_tasks', 'Lists open tasks of one project or all.', {
    optional: { project_id: PROJECT, label: text('Name of a label.', 'phone') },
    item: TASK,
    call: 'GET /tasks',
    query: { limit: 200 },
    pages,
  }),
  readAction('find_tasks', 'Lists open tasks that match a Todoist filter.', {
    required: { query: filledText("Filter in Todoist's syntax.", 'today & @phone') },
    item: TASK,
    call: 'GET /tasks/filter',
    query: { limit: 200 },
    pages,
  }),
  readAction('get_task', 'Returns an open task.', { required: TASK_ID, output: TASK, call: 'GET /tasks/{task_id}' }),
  writeAction('create_task', 'Creates a task; without a project in the inbox.', {
    required: { content: CONTENT },
    optional: { ...WRITTEN, project_id: PROJECT, parent_id: text('ID of the parent task.', '6X7rM8997g3RQmvg') },
    output: TASK,
    call: 'POST /tasks',
  }),
  idempotentWrite('update_task', 'Updates the given fields of a task; labels are replaced.', {
    required: TASK_ID,
    optional: { content: CONTENT, ...WRITTEN },
    output: TASK,
    call: 'POST /tasks/{task_id}',
  }),
  writeAction('close_task', 'Completes a task. A recurring task moves to its next date, each time.', {
    required: TASK_ID,
    ...NO_OUTPUT,
    call: 'POST /tasks/{task_id}/close',
  }),
  writeAction('comment', 'Adds a comment to a task.', {
    required: { ...TASK_ID, content: filledText('Text in Markdown.', 'Delivered.') },
    output: outputOf({ id: text('ID of the comment.', '6X7rM8997g3RQmvi') }),
    call: 'POST /comments',
  }),
];

export const todoist = defineConnector({
  name: 'todoist',
  title: 'Todoist',
  description: 'List, create, update, complete and comment on tasks.',
  category: 'Productivity',
  docs: 'https://developer.todoist.com/api/v1/',

  fields: [
    secretField('api_token', 'API token', 'Settings > Integrations > Developer.', '0123456789abcdef0123456789abcdef'),
  ],
  base: 'https://api.todoist.com/api/v1',
  sign: bearer('api_token'),
  fault: faultFrom({
    message: [messageAt('error')],
    code: codeAt('error_tag'),
    retryAfterMs: secondsInBody('error_extra.retry_after'),
  }),
  connectionTest: { action: 'list_projects', input: { limit: 1 } },
  actions,
});

import { bearer } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byCursor } from '../http/pages';
import { codeAt, secondsInBody, faultFrom } from '../http/error-text';
import { filledText, flag, integer, list, outputOf, text } from '../../schema';
import { secretField } from '../credentials';
import { NO_OUTPUT, defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const TASK_ID = { task_id: filledText('Its id.', '6X7rM8997g3RQmvh') };
const CONTENT = filledText('What is to be done; Markdown counts.', 'Call the supplier');
const PROJECT = text('Its id.', '6Jf8VQXxpwv56VQ7');
const WRITTEN = {
  description: text('What there is to say beside it.', 'Ask for the delivery date.'),
  labels: list({ type: 'string' }, 'Names of labels.', ['phone']),
  priority: integer('1 normal to 4 urgent.', 4, { minimum: 1, maximum: 4 }),
  due_string: text('In English, where no other language is set.', 'tomorrow at 12:00'),
  due_date: text('A date, instead of words.', '2026-12-31'),
  due_datetime: text('An instant, instead of words.', '2026-12-31T12:00:00Z'),
};
const TASK = outputOf({
  id: text('Of the task.', '6X7rM8997g3RQmvh'),
  content: CONTENT,
  project_id: PROJECT,
  checked: flag('Whether it is completed.'),
});
const pages = byCursor({ items: 'results', cursor: 'next_cursor', parameter: 'cursor' });

const actions: readonly HttpAction[] = [
  readAction('list_projects', 'Projects of the account.', {
    item: outputOf({
      id: text('Of the project.', '6Jf8VQXxpwv56VQ7'),
      name: text('As people read it.', 'Home'),
    }),
    call: 'GET /projects',
    query: { limit: 200 },
    pages,
  }),
  readAction('list_tasks', 'Open tasks, of one project or of all.', {
    optional: { project_id: PROJECT, label: text('The name of a label.', 'phone') },
    item: TASK,
    call: 'GET /tasks',
    query: { limit: 200 },
    pages,
  }),
  readAction('find_tasks', 'Open tasks that a filter of Todoist finds.', {
    required: { query: filledText('In the words of filters in Todoist.', 'today & @phone') },
    item: TASK,
    call: 'GET /tasks/filter',
    query: { limit: 200 },
    pages,
  }),
  readAction('get_task', 'One open task.', { required: TASK_ID, output: TASK, call: 'GET /tasks/{task_id}' }),
  writeAction('create_task', 'Makes a task; in the inbox where no project is named.', {
    required: { content: CONTENT },
    optional: { ...WRITTEN, project_id: PROJECT, parent_id: text('The id of another task.', '6X7rM8997g3RQmvg') },
    output: TASK,
    call: 'POST /tasks',
  }),
  idempotentWrite('update_task', 'Sets what is given of a task; labels are replaced as a whole.', {
    required: TASK_ID,
    optional: { content: CONTENT, ...WRITTEN },
    output: TASK,
    call: 'POST /tasks/{task_id}',
  }),
  writeAction('close_task', 'Completes a task. One that recurs gets its next date, each time.', {
    required: TASK_ID,
    ...NO_OUTPUT,
    call: 'POST /tasks/{task_id}/close',
  }),
  writeAction('comment', 'Writes below a task.', {
    required: { ...TASK_ID, content: filledText('In Markdown.', 'Delivered.') },
    output: outputOf({ id: text('Of the comment.', '6X7rM8997g3RQmvi') }),
    call: 'POST /comments',
  }),
];

export const todoist = defineConnector({
  name: 'todoist',
  title: 'Todoist',
  description: 'Tasks and projects: list, create, change, complete, comment.',
  category: 'Productivity',
  docs: 'https://developer.todoist.com/api/v1/',

  fields: [
    secretField('api_token', 'API token', 'Settings, Integrations, Developer.', '0123456789abcdef0123456789abcdef'),
  ],
  base: 'https://api.todoist.com/api/v1',
  sign: bearer('api_token'),
  fault: faultFrom({
    message: [messageAt('error')],
    code: codeAt('error_tag'),
    retryAfterMs: secondsInBody('error_extra.retry_after'),
  }),
  probe: { action: 'list_projects', input: { limit: 1 } },
  actions,
});

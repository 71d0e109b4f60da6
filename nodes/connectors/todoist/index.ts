import { bearer } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { asks, does, hidden, NOTHING, nothing, settles } from '../define';
import { messageAt } from '../http/fault';
import { byCursor } from '../http/pages';
import { codeAt, secondsAt, worded } from '../http/error-text';
import { flag, integer, list, outputOf, text } from '../schemas';

const TASK_ID = { task_id: text('Task', 'Its id.', '6X7rM8997g3RQmvh', { minLength: 1 }) };
const CONTENT = text('Content', 'What is to be done; Markdown counts.', 'Call the supplier', { minLength: 1 });
const PROJECT = text('Project', 'Its id.', '6Jf8VQXxpwv56VQ7');
const WRITTEN = {
  description: text('Description', 'What there is to say beside it.', 'Ask for the delivery date.'),
  labels: list({ type: 'string' }, 'Labels', 'Names of labels.', ['phone']),
  priority: integer('Priority', '1 normal to 4 urgent.', 4, { minimum: 1, maximum: 4 }),
  due_string: text('Due in words', 'In English, where no other language is set.', 'tomorrow at 12:00'),
  due_date: text('Due on', 'A date, instead of words.', '2026-12-31'),
  due_datetime: text('Due at', 'An instant, instead of words.', '2026-12-31T12:00:00Z'),
};
const TASK = outputOf({
  id: text('Id', 'Of the task.', '6X7rM8997g3RQmvh'),
  content: CONTENT,
  project_id: PROJECT,
  checked: flag('Done', 'Whether it is completed.'),
});
const pages = byCursor({ items: 'results', cursor: 'next_cursor', parameter: 'cursor' });

const actions: readonly HttpAction[] = [
  asks('list_projects', 'List projects', 'Projects of the account.', {
    item: outputOf({
      id: text('Id', 'Of the project.', '6Jf8VQXxpwv56VQ7'),
      name: text('Name', 'As people read it.', 'Home'),
    }),
    call: 'GET /projects',
    query: { limit: 200 },
    pages,
  }),
  asks('list_tasks', 'List tasks', 'Open tasks, of one project or of all.', {
    may: { project_id: PROJECT, label: text('Label', 'The name of a label.', 'phone') },
    item: TASK,
    call: 'GET /tasks',
    query: { limit: 200 },
    pages,
  }),
  asks('find_tasks', 'Find tasks', 'Open tasks that a filter of Todoist finds.', {
    needs: { query: text('Filter', 'In the words of filters in Todoist.', 'today & @phone', { minLength: 1 }) },
    item: TASK,
    call: 'GET /tasks/filter',
    query: { limit: 200 },
    pages,
  }),
  asks('get_task', 'Get a task', 'One open task.', { needs: TASK_ID, output: TASK, call: 'GET /tasks/{task_id}' }),
  does('create_task', 'Create a task', 'Makes a task; in the inbox where no project is named.', {
    needs: { content: CONTENT },
    may: { ...WRITTEN, project_id: PROJECT, parent_id: text('Under', 'The id of another task.', '6X7rM8997g3RQmvg') },
    output: TASK,
    call: 'POST /tasks',
  }),
  settles('update_task', 'Change a task', 'Sets what is given of a task; labels are replaced as a whole.', {
    needs: TASK_ID,
    may: { content: CONTENT, ...WRITTEN },
    output: TASK,
    call: 'POST /tasks/{task_id}',
  }),
  does('close_task', 'Complete a task', 'Completes a task. One that recurs gets its next date, each time.', {
    needs: TASK_ID,
    output: NOTHING,
    call: 'POST /tasks/{task_id}/close',
    read: nothing,
  }),
  does('comment', 'Comment', 'Writes below a task.', {
    needs: { ...TASK_ID, content: text('Text', 'In Markdown.', 'Delivered.', { minLength: 1 }) },
    output: outputOf({ id: text('Id', 'Of the comment.', '6X7rM8997g3RQmvi') }),
    call: 'POST /comments',
  }),
];

export const todoist: Connector = {
  name: 'todoist',
  title: 'Todoist',
  description: 'Tasks and projects: list, create, change, complete, comment.',
  category: 'Productivity',
  docs: 'https://developer.todoist.com/api/v1/',
  auth: {
    required: true,
    fields: [
      hidden('api_token', 'API token', 'Settings, Integrations, Developer.', '0123456789abcdef0123456789abcdef'),
    ],
  },
  base: () => 'https://api.todoist.com/api/v1',
  sign: bearer('api_token'),
  fault: worded({
    message: [messageAt('error')],
    code: codeAt('error_tag'),
    wait: secondsAt('error_extra.retry_after'),
  }),
  probe: { action: 'list_projects', input: { limit: 1 } },
  actions,
};

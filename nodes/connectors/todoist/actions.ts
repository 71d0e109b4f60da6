import type { HttpAction } from '../contract';
import { ask, asks, does, nothing, NOTHING, pick, settles } from '../define';
import { byCursor } from '../http/pages';
import { at } from '../http/path';
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

export const actions: readonly HttpAction[] = [
  asks('list_projects', 'List projects', 'Projects of the account.', {
    item: outputOf({
      id: text('Id', 'Of the project.', '6Jf8VQXxpwv56VQ7'),
      name: text('Name', 'As people read it.', 'Errands'),
    }),
    request: () => ({ method: 'GET', url: '/projects', query: { limit: 200 } }),
    pages,
  }),
  asks('list_tasks', 'List tasks', 'Open tasks, of one project or of all.', {
    may: { project_id: PROJECT, label: text('Label', 'The name of a label.', 'phone') },
    item: TASK,
    request: (input) => ({
      method: 'GET',
      url: '/tasks',
      query: { limit: 200, ...ask(input, 'project_id', 'label') },
    }),
    pages,
  }),
  asks('find_tasks', 'Find tasks', 'Open tasks that a filter of Todoist finds.', {
    needs: { query: text('Filter', 'In the words of filters in Todoist.', 'today & @phone', { minLength: 1 }) },
    item: TASK,
    request: (input) => ({ method: 'GET', url: '/tasks/filter', query: { limit: 200, ...ask(input, 'query') } }),
    pages,
  }),
  asks('get_task', 'Get a task', 'One open task.', {
    needs: TASK_ID,
    output: TASK,
    request: ({ task_id }) => ({ method: 'GET', url: at`/tasks/${task_id}` }),
  }),
  does('create_task', 'Create a task', 'Makes a task; in the inbox where no project is named.', {
    needs: { content: CONTENT },
    may: { ...WRITTEN, project_id: PROJECT, parent_id: text('Under', 'The id of another task.', '6X7rM8997g3RQmvg') },
    output: TASK,
    request: (input) => ({
      method: 'POST',
      url: '/tasks',
      body: pick(input, 'content', 'project_id', 'parent_id', ...Object.keys(WRITTEN)),
    }),
  }),
  settles('update_task', 'Change a task', 'Sets what is given of a task; labels are replaced as a whole.', {
    needs: TASK_ID,
    may: { content: CONTENT, ...WRITTEN },
    output: TASK,
    request: (input) => ({
      method: 'POST',
      url: at`/tasks/${input.task_id}`,
      body: pick(input, 'content', ...Object.keys(WRITTEN)),
    }),
  }),
  does('close_task', 'Complete a task', 'Completes a task. One that recurs gets its next date, each time.', {
    needs: TASK_ID,
    output: NOTHING,
    request: ({ task_id }) => ({ method: 'POST', url: at`/tasks/${task_id}/close` }),
    read: nothing,
  }),
  does('comment', 'Comment', 'Writes below a task.', {
    needs: { ...TASK_ID, content: text('Text', 'In Markdown.', 'Delivered.', { minLength: 1 }) },
    output: outputOf({ id: text('Id', 'Of the comment.', '6X7rM8997g3RQmvi') }),
    request: (input) => ({ method: 'POST', url: '/comments', body: pick(input, 'task_id', 'content') }),
  }),
];

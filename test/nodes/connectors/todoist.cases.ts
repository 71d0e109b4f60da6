import { casesOf } from './case-builders';

const { gives, pages, fails, page } = casesOf(
  { api_token: '0123456789abcdef' },
  { authorization: 'Bearer 0123456789abcdef' },
);

const TASK = { id: '6X7r', content: 'Call', project_id: '6Jf8', checked: false };

export const cases = [
  pages(
    ['list_projects', 'pages follow the cursor'],
    {},
    [
      ['GET /projects?limit=200', { json: { results: [{ id: '6Jf8', name: 'Inbox' }], next_cursor: 'abc' } }],
      ['GET /projects?limit=200&cursor=abc', { json: { results: [{ id: '6Jf9', name: 'Home' }], next_cursor: null } }],
    ],
    [
      { id: '6Jf8', name: 'Inbox' },
      { id: '6Jf9', name: 'Home' },
    ],
  ),
  fails(
    ['list_projects', 'a wrong token is rejected'],
    {},
    'GET /projects?limit=200',
    { status: 401, json: { error: 'Unauthorized', error_code: 477, error_tag: 'UNAUTHORIZED', http_code: 401 } },
    { code: 'UNAUTHORIZED', message: 'Todoist answered 401: Unauthorized' },
  ),
  page(
    ['list_tasks', 'tasks of a project'],
    { project_id: '6Jf8', label: 'phone' },
    'GET /tasks?limit=200&project_id=6Jf8&label=phone',
    { results: [TASK], next_cursor: null },
    [TASK],
  ),
  page(
    ['find_tasks', 'tasks by a filter'],
    { query: 'today & @phone' },
    'GET /tasks/filter?limit=200&query=today+%26+@phone',
    { results: [TASK], next_cursor: null },
    [TASK],
  ),
  gives(['get_task', 'one task'], { task_id: '6X7r' }, 'GET /tasks/6X7r', TASK),
  gives(
    ['create_task', 'a task is made'],
    { content: 'Call', due_string: 'tomorrow', labels: ['phone'], priority: 4 },
    ['POST /tasks', { body: { content: 'Call', labels: ['phone'], priority: 4, due_string: 'tomorrow' } }],
    TASK,
  ),
  gives(
    ['update_task', 'only what is given changes'],
    { task_id: '6X7r', content: 'Call again' },
    ['POST /tasks/6X7r', { body: { content: 'Call again' } }],
    TASK,
  ),
  gives(['close_task', 'a task is done'], { task_id: '6X7r' }, 'POST /tasks/6X7r/close', null, {}),
  gives(
    ['comment', 'a comment is written'],
    { task_id: '6X7r', content: 'Delivered.' },
    ['POST /comments', { body: { task_id: '6X7r', content: 'Delivered.' } }],
    { id: '6X8' },
  ),
  fails(
    ['get_task', 'a limit is waited for as long as the answer says'],
    { task_id: '6X7r' },
    'GET /tasks/6X7r',
    {
      status: 429,
      json: { error: 'Too many requests', error_tag: 'LIMITS_REACHED', error_extra: { retry_after: 21 } },
    },
    { code: 'LIMITS_REACHED', message: 'Too many requests', retryable: true, retryAfterMs: 21_000 },
  ),
];

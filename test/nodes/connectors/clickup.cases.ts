import { ANSWERED, ANSWERED_SECONDS, casesOf } from './case-builders';

const { gives, pages, fails } = casesOf({ api_token: 'pk_1234567_ABCDEF' }, { authorization: 'pk_1234567_ABCDEF' });

const TASK = { id: '86c1', name: 'Call', url: 'https://app.clickup.com/t/86c1' };

export const cases = [
  gives(
    ['get_me', 'returns the account'],
    {},
    'GET /user',
    { user: { id: 183, username: 'Ada' } },
    { id: 183, username: 'Ada' },
  ),
  fails(
    ['get_me', 'a wrong token is rejected'],
    {},
    'GET /user',
    { status: 401, json: { err: 'Token invalid', ECODE: 'OAUTH_025' } },
    { code: 'OAUTH_025', message: 'ClickUp answered 401: Token invalid' },
  ),
  gives(['list_workspaces', 'workspaces'], {}, 'GET /team', { teams: [{ id: '90110', name: 'Shop' }] }),
  pages(
    ['list_tasks', 'pages are counted from 0, up to the last'],
    { list_id: '901', statuses: ['to do', 'open'], include_closed: true },
    [
      [
        'GET /list/901/task?page=0&include_closed=true&statuses[]=to+do&statuses[]=open',
        { json: { tasks: [TASK], last_page: false } },
      ],
      [
        'GET /list/901/task?page=1&include_closed=true&statuses[]=to+do&statuses[]=open',
        { json: { tasks: [{ ...TASK, id: '86c2' }], last_page: true } },
      ],
    ],
    [TASK, { ...TASK, id: '86c2' }],
  ),
  gives(['get_task', 'one task'], { task_id: '86c1' }, 'GET /task/86c1', TASK),
  gives(
    ['create_task', 'an instant is sent in milliseconds'],
    { list_id: '901', name: 'Call', priority: 2, due: '2030-01-01T00:00:00Z', assignees: [183], tags: ['supplier'] },
    [
      'POST /list/901/task',
      {
        body: {
          name: 'Call',
          priority: 2,
          due_date: 1_893_456_000_000,
          due_date_time: true,
          assignees: [183],
          tags: ['supplier'],
        },
      },
    ],
    TASK,
  ),
  gives(
    ['update_task', 'a task is assigned to another user'],
    { task_id: '86c1', status: 'in progress', add_assignees: [1], remove_assignees: [183] },
    ['PUT /task/86c1', { body: { status: 'in progress', assignees: { add: [1], rem: [183] } } }],
    TASK,
  ),
  gives(
    ['comment', 'a comment is written'],
    { task_id: '86c1', comment_text: 'Delivered.' },
    ['POST /task/86c1/comment', { body: { notify_all: false, comment_text: 'Delivered.' } }],
    { id: 458 },
  ),
  gives(['delete_task', 'a task goes'], { task_id: '86c1' }, 'DELETE /task/86c1', null, {}),
  fails(
    ['get_me', 'a limit is waited for'],
    {},
    'GET /user',
    {
      status: 429,
      headers: { ...ANSWERED, 'x-ratelimit-reset': String(ANSWERED_SECONDS + 45) },
      json: { err: 'Rate limit reached', ECODE: 'APP_002' },
    },
    { code: 'APP_002', message: 'Rate limit reached', retryable: true, retryAfterMs: 45_000 },
  ),
];

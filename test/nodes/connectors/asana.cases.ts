import { casesOf } from './case-builders';

const { gives, pages, fails, page } = casesOf(
  { token: '2/119/120:0123456789' },
  { authorization: 'Bearer 2/119/120:0123456789' },
);

const TASK = { gid: '12', name: 'Call', completed: false, permalink_url: 'https://app.asana.com/0/0/12' };
const FIELDS = 'name,completed,assignee.name,due_on,modified_at,permalink_url';

export const cases = [
  gives(
    ['get_me', 'returns the account'],
    {},
    'GET /users/me',
    { data: { gid: '1', name: 'Ada' } },
    { gid: '1', name: 'Ada' },
  ),
  fails(
    ['get_me', 'a wrong token is rejected'],
    {},
    'GET /users/me',
    { status: 401, json: { errors: [{ message: 'Not Authorized', help: 'For more information' }] } },
    { code: 'unauthorized', message: 'Asana answered 401: Not Authorized' },
  ),
  pages(
    ['list_projects', 'pages follow the offset'],
    { workspace: '119', archived: false },
    [
      [
        'GET /projects?limit=100&workspace=119&archived=false',
        {
          json: {
            data: [{ gid: '3', name: 'Autumn' }],
            next_page: { offset: 'eyJ0eXAi', path: '/projects', uri: 'x' },
          },
        },
      ],
      [
        'GET /projects?limit=100&workspace=119&archived=false&offset=eyJ0eXAi',
        { json: { data: [{ gid: '4', name: 'Winter' }], next_page: null } },
      ],
    ],
    [
      { gid: '3', name: 'Autumn' },
      { gid: '4', name: 'Winter' },
    ],
  ),
  page(
    ['list_tasks', 'tasks of a project, with the fields that people want'],
    { project: '3', completed_since: 'now' },
    `GET /tasks?limit=100&opt_fields=${FIELDS}&project=3&completed_since=now`,
    { data: [TASK], next_page: null },
    [TASK],
  ),
  gives(['get_task', 'one task'], { task: '12' }, 'GET /tasks/12', { data: TASK }, TASK),
  gives(
    ['create_task', 'a task is made'],
    { workspace: '119', name: 'Call', projects: ['3'], assignee: 'me', due_on: '2026-12-31' },
    [
      'POST /tasks',
      { body: { data: { workspace: '119', name: 'Call', projects: ['3'], assignee: 'me', due_on: '2026-12-31' } } },
    ],
    { data: TASK },
    TASK,
  ),
  gives(
    ['update_task', 'a task is completed'],
    { task: '12', completed: true },
    ['PUT /tasks/12', { body: { data: { completed: true } } }],
    { data: { ...TASK, completed: true } },
    { ...TASK, completed: true },
  ),
  gives(
    ['comment', 'a comment is written'],
    { task: '12', text: 'Delivered.' },
    ['POST /tasks/12/stories', { body: { data: { text: 'Delivered.' } } }],
    { data: { gid: '15', text: 'Delivered.' } },
    { gid: '15', text: 'Delivered.' },
  ),
  fails(
    ['get_task', 'a limit is waited for'],
    { task: '12' },
    'GET /tasks/12',
    {
      status: 429,
      headers: { 'retry-after': '30' },
      json: { errors: [{ message: 'You have made too many requests' }] },
    },
    { code: 'rate_limited', message: 'too many requests', retryable: true, retryAfterMs: 30_000 },
  ),
];

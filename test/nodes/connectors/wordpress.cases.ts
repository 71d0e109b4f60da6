import { casesOf } from './case-builders';

const { gives, pages, fails, page } = casesOf(
  { url: 'https://blog.example.com', username: 'ada', application_password: 'abcd EFGH 1234' },
  { authorization: `Basic ${Buffer.from('ada:abcd EFGH 1234').toString('base64')}` },
);

const POST = { id: 42, link: 'https://blog.example.com/lamp', status: 'publish', title: { rendered: 'Lamp' } };

export const cases = [
  gives(['get_me', 'returns the account'], {}, 'GET /users/me?context=edit', { id: 1, name: 'Ada' }),
  fails(
    ['get_me', 'a wrong password is rejected'],
    {},
    'GET /users/me?context=edit',
    {
      status: 401,
      json: { code: 'incorrect_password', message: 'The provided password is an invalid application password.' },
    },
    { code: 'incorrect_password', message: 'WordPress answered 401: The provided password is an invalid' },
  ),
  pages(
    ['list_posts', 'pages follow the link'],
    { search: 'lamp', status: ['publish', 'draft'], categories: [3, 4] },
    [
      [
        'GET /posts?per_page=100&search=lamp&status=publish,draft&categories=3,4',
        {
          headers: {
            link: '<https://blog.example.com/wp-json/wp/v2/posts?per_page=100&search=lamp&status=publish%2Cdraft&categories=3%2C4&page=2>; rel="next"',
          },
          json: [POST],
        },
      ],
      [
        'GET /posts?per_page=100&search=lamp&status=publish,draft&categories=3,4&page=2',
        { json: [{ ...POST, id: 43 }] },
      ],
    ],
    [POST, { ...POST, id: 43 }],
  ),
  gives(['get_post', 'one post'], { post: 42 }, 'GET /posts/42?context=edit', POST),
  gives(
    ['create_post', 'a post is written'],
    { title: 'Lamp', content: '<p>x</p>', status: 'draft', categories: [3] },
    ['POST /posts', { body: { title: 'Lamp', content: '<p>x</p>', status: 'draft', categories: [3] } }],
    POST,
  ),
  fails(
    ['create_post', 'a missing permission is reported'],
    { title: 'Lamp' },
    ['POST /posts', { body: { title: 'Lamp' } }],
    { status: 403, json: { code: 'rest_cannot_create', message: 'Sorry, you are not allowed to create posts.' } },
    { code: 'rest_cannot_create', message: 'Sorry, you are not allowed' },
  ),
  gives(
    ['update_post', 'a post appears'],
    { post: 42, status: 'publish' },
    ['POST /posts/42', { body: { status: 'publish' } }],
    POST,
  ),
  gives(['delete_post', 'a post goes'], { post: 42, force: true }, 'DELETE /posts/42?force=true', {
    deleted: true,
    previous: POST,
  }),
  page(
    ['list_categories', 'categories'],
    {},
    'GET /categories?per_page=100',
    [{ id: 3, name: 'News', slug: 'news' }],
    [{ id: 3, name: 'News', slug: 'news' }],
  ),
  gives(
    ['comment', 'a comment is written'],
    { post: 42, content: 'Thank you!', parent: 5 },
    ['POST /comments', { body: { post: 42, content: 'Thank you!', parent: 5 } }],
    { id: 6, status: 'approved' },
  ),
];

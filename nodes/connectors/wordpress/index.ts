import { basic } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { ask, asks, commas, does, hidden, settles, shown, site } from '../define';
import { byLink } from '../http/pages';
import { siteOf } from '../http/site';
import { codeAt, worded } from '../http/error-text';
import { choice, flag, integer, list, outputOf, record, text } from '../schemas';

const POST_ID = { post: integer('Post', 'Its id.', 42, { minimum: 1 }) };
const STATUS = choice(['publish', 'future', 'draft', 'pending', 'private'], 'Status', 'Who sees it.');
const IDS = (title: string, description: string) => list({ type: 'integer' }, title, description, [3]);
const TITLE = text('Title', 'Of the post.', 'A new lamp', { minLength: 1 });
const WRITTEN = {
  content: text('Content', 'In HTML, or blocks.', '<p>It is bright.</p>'),
  excerpt: text('Excerpt', 'What lists show.', 'It is bright.'),
  status: STATUS,
  date_gmt: text('Date', 'When it appears, in UTC.', '2026-12-31T12:00:00'),
  slug: text('Slug', 'Its name in links.', 'a-new-lamp'),
  categories: IDS('Categories', 'Ids of categories.'),
  tags: IDS('Tags', 'Ids of tags.'),
  featured_media: integer('Picture', 'The id of an image of the library.', 7),
};
const POST = outputOf({
  id: integer('Id', 'Of the post.', 42),
  link: text('Link', 'Where people read it.', 'https://blog.example.com/a-new-lamp'),
  status: STATUS,
  title: record('Title', 'As `rendered`.', { rendered: 'A new lamp' }),
});

const actions: readonly HttpAction[] = [
  asks('get_me', 'Get my account', 'The user that the connection acts for.', {
    output: outputOf({ id: integer('Id', 'Of the user.', 1), name: text('Name', 'As people read it.', 'Ada') }),
    call: 'GET /users/me',
    query: { context: 'edit' },
  }),
  asks('list_posts', 'List posts', 'Posts, newest first.', {
    may: {
      search: text('Search', 'Words.', 'lamp'),
      status: list(STATUS, 'Statuses', 'Published ones where it is left out.', ['publish']),
      categories: IDS('Categories', 'Ids of categories.'),
      after: text('After', 'An instant.', '2026-01-01T00:00:00'),
      modified_after: text('Changed after', 'An instant.', '2026-01-01T00:00:00'),
    },
    item: POST,
    request: (input) => ({
      method: 'GET',
      url: '/posts',
      query: {
        per_page: 100,
        ...ask(input, 'search', 'after', 'modified_after'),
        status: commas(input.status),
        categories: commas(input.categories),
      },
    }),
    pages: byLink(),
  }),
  asks('get_post', 'Get a post', 'One post.', {
    needs: POST_ID,
    output: POST,
    call: 'GET /posts/{post}',
    query: { context: 'edit' },
  }),
  does('create_post', 'Create a post', 'Writes a post; a draft by default.', {
    needs: { title: TITLE },
    may: WRITTEN,
    output: POST,
    call: 'POST /posts',
  }),
  settles('update_post', 'Change a post', 'Sets what is given of a post; lists are replaced as a whole.', {
    needs: POST_ID,
    may: { title: TITLE, ...WRITTEN },
    output: POST,
    call: 'POST /posts/{post}',
  }),
  settles('delete_post', 'Delete a post', 'Moves a post to the bin, or deletes it for good.', {
    needs: POST_ID,
    may: { force: flag('For good', 'Not to the bin.', { default: false }) },
    output: outputOf({ id: integer('Id', 'Of a post that is in the bin.', 42) }),
    call: 'DELETE /posts/{post}',
  }),
  asks('list_categories', 'List categories', 'Categories of the site.', {
    item: outputOf({
      id: integer('Id', 'Of the category.', 3),
      name: text('Name', 'As people read it.', 'News'),
      slug: text('Slug', 'Its name in links.', 'news'),
    }),
    call: 'GET /categories',
    query: { per_page: 100 },
    pages: byLink(),
  }),
  does('comment', 'Comment', 'Writes a comment to a post.', {
    needs: { ...POST_ID, content: text('Text', 'Of the comment.', 'Thank you!', { minLength: 1 }) },
    may: { parent: integer('In reply to', 'The id of a comment.', 5) },
    output: outputOf({
      id: integer('Id', 'Of the comment.', 6),
      status: text('Status', 'Whether it shows.', 'approved'),
    }),
    call: 'POST /comments',
  }),
];

export const wordpress: Connector = {
  name: 'wordpress',
  title: 'WordPress',
  description: 'Posts, categories and comments of a site.',
  category: 'Content',
  docs: 'https://developer.wordpress.org/rest-api/reference/',
  auth: {
    required: true,
    fields: [
      site('url', 'Address', 'Of the site.', 'https://blog.example.com'),
      shown('username', 'User name', 'Of an account of the site.', 'ada'),
      hidden(
        'application_password',
        'Application password',
        'Users, Profile, Application passwords.',
        'abcd EFGH 1234 ijkl MNOP 5678',
      ),
    ],
  },
  base: (account) => `${siteOf(account, 'url')}/wp-json/wp/v2`,
  sign: basic('username', 'application_password'),
  fault: worded({ code: codeAt('code') }),
  probe: { action: 'get_me', input: {} },
  actions,
};

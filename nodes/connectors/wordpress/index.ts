import { basic } from '../auth';
import type { HttpAction } from '../contract';
import { byLink } from '../http/pages';
import { baseUrlFrom } from '../http/base-url';
import { codeAt, faultFrom } from '../http/error-text';
import { choice, filledText, flag, integer, list, outputOf, record, text } from '../../schema';
import { plainField, secretField, urlField } from '../credentials';
import { commaSeparated, queryFrom } from '../input';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const POST_ID = { post: integer('ID of the post.', 42, { minimum: 1 }) };
const STATUS = choice(['publish', 'future', 'draft', 'pending', 'private'], 'Recipient.');
const IDS = (description: string) => list({ type: 'integer' }, description, [3]);
const TITLE = filledText('Title of the post.', 'A new lamp');
const WRITTEN = {
  content: text('Content as HTML or blocks.', '<p>It is bright.</p>'),
  excerpt: text('Excerpt for lists.', 'It is bright.'),
  status: STATUS,
  date_gmt: text('Publication time in UTC.', '2026-12-31T12:00:00'),
  slug: text('Slug.', 'a-new-lamp'),
  categories: IDS('IDs of categories.'),
  tags: IDS('IDs of tags.'),
  featured_media: integer('ID of an image of the media library.', 7),
};
const POST = outputOf({
  id: integer('ID of the post.', 42),
  link: text('URL of the post.', 'https://blog.example.com/a-new-lamp'),
  status: STATUS,
  title: record('Title, as `rendered`.', { rendered: 'A new lamp' }),
});

const actions: readonly HttpAction[] = [
  readAction('get_me', 'Returns the user of the connection.', {
    output: outputOf({ id: integer('ID of the user.', 1), name: text('Display name.', 'Ada') }),
    call: 'GET /users/me',
    query: { context: 'edit' },
  }),
  readAction('list_posts', 'Lists posts, newest first.', {
    optional: {
      search: text('Scopes or tags.', 'lamp'),
      status: list(STATUS, 'Filter by status. Default: published.', ['publish']),
      categories: IDS('IDs of categories.'),
      after: text('Time in ISO 8601 format.', '2026-01-01T00:00:00'),
      modified_after: text('Time in ISO 8601 format.', '2026-01-01T00:00:00'),
    },
    item: POST,
    request: (input) => ({
      method: 'GET',
      url: '/posts',
      query: {
        per_page: 100,
        ...queryFrom(input, 'search', 'after', 'modified_after'),
        status: commaSeparated(input.status),
        categories: commaSeparated(input.categories),
      },
    }),
    pages: byLink(),
  }),
  readAction('get_post', 'Returns a post.', {
    required: POST_ID,
    output: POST,
    call: 'GET /posts/{post}',
    query: { context: 'edit' },
  }),
  writeAction('create_post', 'Creates a post; a draft by default.', {
    required: { title: TITLE },
    optional: WRITTEN,
    output: POST,
    call: 'POST /posts',
  }),
  idempotentWrite('update_post', 'Updates the given fields of a post; lists are replaced.', {
    required: POST_ID,
    optional: { title: TITLE, ...WRITTEN },
    output: POST,
    call: 'POST /posts/{post}',
  }),
  idempotentWrite('delete_post', 'Moves a post to the trash, or deletes it permanently.', {
    required: POST_ID,
    optional: { force: flag('Deletes permanently.', { default: false }) },
    output: outputOf({ id: integer('ID of the trashed post.', 42) }),
    call: 'DELETE /posts/{post}',
  }),
  readAction('list_categories', 'Lists categories of the site.', {
    item: outputOf({
      id: integer('ID of the category.', 3),
      name: text('Display name.', 'News'),
      slug: text('Slug.', 'news'),
    }),
    call: 'GET /categories',
    query: { per_page: 100 },
    pages: byLink(),
  }),
  writeAction('comment', 'Adds a comment to a post.', {
    required: { ...POST_ID, content: filledText('Content of the comment.', 'Thank you!') },
    optional: { parent: integer('ID of the parent comment.', 5) },
    output: outputOf({ id: integer('ID of the comment.', 6), status: text('Status of the comment.', 'approved') }),
    call: 'POST /comments',
  }),
];

export const wordpress = defineConnector({
  name: 'wordpress',
  title: 'WordPress',
  description: 'Manage posts, categories and comments of a WordPress site.',
  category: 'Content',
  docs: 'https://developer.wordpress.org/rest-api/reference/',

  fields: [
    urlField('url', 'Address', 'Address of the site.', 'https://blog.example.com'),
    plainField('username', 'User name', 'User name on the site.', 'ada'),
    secretField(
      'application_password',
      'Application password',
      'Users > Profile > Application Passwords.',
      'abcd EFGH 1234 ijkl MNOP 5678',
    ),
  ],
  base: (account) => `${baseUrlFrom(account, 'url')}/wp-json/wp/v2`,
  sign: basic('username', 'application_password'),
  fault: faultFrom({ code: codeAt('code') }),
  connectionTest: 'get_me',
  actions,
});

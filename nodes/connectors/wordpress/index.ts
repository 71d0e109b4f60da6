import { basic } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { byLink } from '../http/pages';
import { siteOf } from '../http/site';
import { codeAt, faultFrom } from '../http/error-text';
import { choice, filledText, flag, integer, list, outputOf, record, text } from '../../schema';
import { plainField, secretField, urlField } from '../credentials';
import { commaSeparated, queryFrom } from '../input';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const POST_ID = { post: integer('Its id.', 42, { minimum: 1 }) };
const STATUS = choice(['publish', 'future', 'draft', 'pending', 'private'], 'Who sees it.');
const IDS = (description: string) => list({ type: 'integer' }, description, [3]);
const TITLE = filledText('Of the post.', 'A new lamp');
const WRITTEN = {
  content: text('In HTML, or blocks.', '<p>It is bright.</p>'),
  excerpt: text('What lists show.', 'It is bright.'),
  status: STATUS,
  date_gmt: text('When it appears, in UTC.', '2026-12-31T12:00:00'),
  slug: text('Its name in links.', 'a-new-lamp'),
  categories: IDS('Ids of categories.'),
  tags: IDS('Ids of tags.'),
  featured_media: integer('The id of an image of the library.', 7),
};
const POST = outputOf({
  id: integer('Of the post.', 42),
  link: text('Where people read it.', 'https://blog.example.com/a-new-lamp'),
  status: STATUS,
  title: record('As `rendered`.', { rendered: 'A new lamp' }),
});

const actions: readonly HttpAction[] = [
  readAction('get_me', 'The user that the connection acts for.', {
    output: outputOf({ id: integer('Of the user.', 1), name: text('As people read it.', 'Ada') }),
    call: 'GET /users/me',
    query: { context: 'edit' },
  }),
  readAction('list_posts', 'Posts, newest first.', {
    optional: {
      search: text('Words.', 'lamp'),
      status: list(STATUS, 'Published ones where it is left out.', ['publish']),
      categories: IDS('Ids of categories.'),
      after: text('An instant.', '2026-01-01T00:00:00'),
      modified_after: text('An instant.', '2026-01-01T00:00:00'),
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
  readAction('get_post', 'One post.', {
    required: POST_ID,
    output: POST,
    call: 'GET /posts/{post}',
    query: { context: 'edit' },
  }),
  writeAction('create_post', 'Writes a post; a draft by default.', {
    required: { title: TITLE },
    optional: WRITTEN,
    output: POST,
    call: 'POST /posts',
  }),
  idempotentWrite('update_post', 'Sets what is given of a post; lists are replaced as a whole.', {
    required: POST_ID,
    optional: { title: TITLE, ...WRITTEN },
    output: POST,
    call: 'POST /posts/{post}',
  }),
  idempotentWrite('delete_post', 'Moves a post to the bin, or deletes it for good.', {
    required: POST_ID,
    optional: { force: flag('Not to the bin.', { default: false }) },
    output: outputOf({ id: integer('Of a post that is in the bin.', 42) }),
    call: 'DELETE /posts/{post}',
  }),
  readAction('list_categories', 'Categories of the site.', {
    item: outputOf({
      id: integer('Of the category.', 3),
      name: text('As people read it.', 'News'),
      slug: text('Its name in links.', 'news'),
    }),
    call: 'GET /categories',
    query: { per_page: 100 },
    pages: byLink(),
  }),
  writeAction('comment', 'Writes a comment to a post.', {
    required: { ...POST_ID, content: filledText('Of the comment.', 'Thank you!') },
    optional: { parent: integer('The id of a comment.', 5) },
    output: outputOf({
      id: integer('Of the comment.', 6),
      status: text('Whether it shows.', 'approved'),
    }),
    call: 'POST /comments',
  }),
];

export const wordpress = defineConnector({
  name: 'wordpress',
  title: 'WordPress',
  description: 'Posts, categories and comments of a site.',
  category: 'Content',
  docs: 'https://developer.wordpress.org/rest-api/reference/',

  fields: [
    urlField('url', 'Address', 'Of the site.', 'https://blog.example.com'),
    plainField('username', 'User name', 'Of an account of the site.', 'ada'),
    secretField(
      'application_password',
      'Application password',
      'Users, Profile, Application passwords.',
      'abcd EFGH 1234 ijkl MNOP 5678',
    ),
  ],
  base: (account) => `${siteOf(account, 'url')}/wp-json/wp/v2`,
  sign: basic('username', 'application_password'),
  fault: faultFrom({ code: codeAt('code') }),
  probe: 'get_me',
  actions,
});

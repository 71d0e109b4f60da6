import { isObject } from '../../../lib/json';
import { bearer } from '../auth';
import type { Connector, HttpAction, Pages } from '../contract';
import { asks, hidden, NOTHING, nothing, pick, settles, site } from '../define';
import { messageAt } from '../http/fault';
import { bodyAt, byPage } from '../http/pages';
import { at } from '../http/path';
import { siteOf } from '../http/site';
import { codeAt, worded } from '../http/error-text';
import { flag, list, outputOf, record, text } from '../schemas';

const FORM = { form: text('Form', 'Its id, which is in its link.', 'u6nXL7', { minLength: 1 }) };
const WEBHOOK = { tag: text('Tag', 'Your name of the webhook.', 'everstep', { minLength: 1 }) };
const PAGE = 1000;

/** Newest first: the next page is what comes before the last of this one. */
const before: Pages = {
  items(answer) {
    const items = bodyAt(answer, 'items');
    return Array.isArray(items) ? items : [];
  },
  next(answer, request) {
    const items = bodyAt(answer, 'items');
    const last = Array.isArray(items) && items.length >= PAGE ? items.at(-1) : null;
    return isObject(last) && typeof last.token === 'string'
      ? { ...request, query: { ...request.query, before: last.token } }
      : null;
  },
};

const actions: readonly HttpAction[] = [
  asks('get_me', 'Get my account', 'The account that the token belongs to.', {
    output: outputOf({
      alias: text('Name', 'Of the account.', 'Ada'),
      email: text('E-mail address', 'Of the account.', 'ada@example.com'),
    }),
    call: 'GET /me',
  }),
  asks('list_forms', 'List forms', 'Forms, those that changed last first.', {
    may: {
      search: text('Search', 'Words in the title.', 'order'),
      workspace_id: text('Workspace', 'Its id.', 'a1b2c3'),
    },
    item: outputOf({ id: text('Id', 'Of the form.', 'u6nXL7'), title: text('Title', 'Of the form.', 'How was it?') }),
    call: 'GET /forms',
    query: { page: 1, page_size: 200 },
    pages: byPage({ items: 'items', page: 'page', first: 1, last: 'page_count' }),
  }),
  asks('get_form', 'Get a form', 'A form with its fields.', {
    needs: FORM,
    output: outputOf({
      id: text('Id', 'Of the form.', 'u6nXL7'),
      title: text('Title', 'Of the form.', 'How was it?'),
      fields: list(record('Field', 'With `id`, `ref`, `title` and `type`.'), 'Fields', 'In their order.'),
    }),
    call: 'GET /forms/{form}',
  }),
  asks('list_responses', 'List responses', 'What people answered, newest first.', {
    needs: FORM,
    may: {
      since: text('Since', 'An instant.', '2026-01-01T00:00:00Z'),
      until: text('Until', 'An instant.', '2026-02-01T00:00:00Z'),
      query: text('Words', 'That an answer holds.', 'lamp'),
    },
    item: outputOf({
      token: text('Response', 'What it is called.', '21085286190ffad1248d17c4135ee56f'),
      submitted_at: text('Sent at', 'When it was sent.', '2026-01-01T10:00:00Z'),
      answers: list(record('Answer', 'With its field, its type and its value.'), 'Answers', 'To the fields.'),
    }),
    call: 'GET /forms/{form}/responses',
    query: { page_size: PAGE },
    pages: before,
  }),
  settles(
    'delete_responses',
    'Delete responses',
    'Takes up to 1,000 responses away; Typeform does so within minutes.',
    {
      needs: {
        ...FORM,
        responses: list(
          { type: 'string' },
          'Responses',
          'What they are called.',
          ['21085286190ffad1248d17c4135ee56f'],
          { minItems: 1, maxItems: 1000 },
        ),
      },
      output: NOTHING,
      request: ({ form, responses }) => ({
        method: 'DELETE',
        url: at`/forms/${form}/responses`,
        query: { included_response_ids: Array.isArray(responses) ? responses.join(',') : undefined },
      }),
      read: nothing,
    },
  ),
  settles('set_webhook', 'Set a webhook', 'Has Typeform send new responses to a URL.', {
    needs: {
      ...FORM,
      ...WEBHOOK,
      url: text('URL', 'Where responses go.', 'https://everstep.example.com/webhooks/abc', { minLength: 1 }),
      enabled: flag('On', 'Whether responses are sent.'),
    },
    may: { secret: text('Secret', 'With which Typeform signs.', 'a long text of your own') },
    output: outputOf({ id: text('Id', 'Of the webhook.', '01D1ZFZ5X8') }),
    call: 'PUT /forms/{form}/webhooks/{tag}',
    read: ({ body }) => (isObject(body) ? pick(body, 'id', 'tag', 'url', 'enabled') : {}),
  }),
];

const HOME = 'https://api.typeform.com';

export const typeform: Connector = {
  name: 'typeform',
  title: 'Typeform',
  description: 'Forms and what people answered.',
  category: 'Productivity',
  docs: 'https://www.typeform.com/developers/',
  auth: {
    required: true,
    fields: [
      hidden('token', 'Personal token', 'Account, Personal tokens.', 'tfp_0123456789abcdef'),
      site(
        'url',
        'Address of the API',
        'Of the European centre where your account is kept there.',
        'https://api.eu.typeform.com',
        { required: false, default: HOME },
      ),
    ],
  },
  base: (account) => siteOf(account, 'url', HOME),
  sign: bearer('token'),
  fault: worded({ message: [messageAt('description')], code: codeAt('code') }),
  // Tokens that may only read forms and responses cannot read their account.
  probe: { action: 'list_forms', input: { limit: 1 } },
  actions,
};

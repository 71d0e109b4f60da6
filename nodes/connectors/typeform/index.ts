import { isObject } from '../../../lib/json';
import { bearer } from '../auth';
import type { Connector, HttpAction, Pages } from '../contract';
import { messageAt } from '../http/fault';
import { bodyAt, byPage } from '../http/pages';
import { urlPath } from '../http/path';
import { siteOf } from '../http/site';
import { codeAt, faultFrom } from '../http/error-text';
import { filledText, flag, list, outputOf, record, text } from '../../schema';
import { secretField, urlField } from '../credentials';
import { pick } from '../input';
import { NO_OUTPUT, defineConnector, idempotentWrite, readAction } from '../define';

const FORM = { form: filledText('Its id, which is in its link.', 'u6nXL7') };
const WEBHOOK = { tag: filledText('Your name of the webhook.', 'everstep') };
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
  readAction('get_me', 'The account that the token belongs to.', {
    output: outputOf({
      alias: text('Of the account.', 'Ada'),
      email: text('Of the account.', 'ada@example.com'),
    }),
    call: 'GET /me',
  }),
  readAction('list_forms', 'Forms, those that changed last first.', {
    optional: {
      search: text('Words in the title.', 'order'),
      workspace_id: text('Its id.', 'a1b2c3'),
    },
    item: outputOf({ id: text('Of the form.', 'u6nXL7'), title: text('Of the form.', 'How was it?') }),
    call: 'GET /forms',
    query: { page: 1, page_size: 200 },
    pages: byPage({ items: 'items', page: 'page', first: 1, last: 'page_count' }),
  }),
  readAction('get_form', 'A form with its fields.', {
    required: FORM,
    output: outputOf({
      id: text('Of the form.', 'u6nXL7'),
      title: text('Of the form.', 'How was it?'),
      fields: list(record('With `id`, `ref`, `title` and `type`.'), 'In their order.'),
    }),
    call: 'GET /forms/{form}',
  }),
  readAction('list_responses', 'What people answered, newest first.', {
    required: FORM,
    optional: {
      since: text('An instant.', '2026-01-01T00:00:00Z'),
      until: text('An instant.', '2026-02-01T00:00:00Z'),
      query: text('That an answer holds.', 'lamp'),
    },
    item: outputOf({
      token: text('What it is called.', '21085286190ffad1248d17c4135ee56f'),
      submitted_at: text('When it was sent.', '2026-01-01T10:00:00Z'),
      answers: list(record('With its field, its type and its value.'), 'To the fields.'),
    }),
    call: 'GET /forms/{form}/responses',
    query: { page_size: PAGE },
    pages: before,
  }),
  idempotentWrite('delete_responses', 'Takes up to 1,000 responses away; Typeform does so within minutes.', {
    required: {
      ...FORM,
      responses: list({ type: 'string' }, 'What they are called.', ['21085286190ffad1248d17c4135ee56f'], {
        minItems: 1,
        maxItems: 1000,
      }),
    },
    ...NO_OUTPUT,
    request: ({ form, responses }) => ({
      method: 'DELETE',
      url: urlPath`/forms/${form}/responses`,
      query: { included_response_ids: Array.isArray(responses) ? responses.join(',') : undefined },
    }),
  }),
  idempotentWrite('set_webhook', 'Has Typeform send new responses to a URL.', {
    required: {
      ...FORM,
      ...WEBHOOK,
      url: filledText('Where responses go.', 'https://everstep.example.com/webhooks/abc'),
      enabled: flag('Whether responses are sent.'),
    },
    optional: { secret: text('With which Typeform signs.', 'a long text of your own') },
    output: outputOf({ id: text('Of the webhook.', '01D1ZFZ5X8') }),
    call: 'PUT /forms/{form}/webhooks/{tag}',
    read: ({ body }) => (isObject(body) ? pick(body, 'id', 'tag', 'url', 'enabled') : {}),
  }),
];

const HOME = 'https://api.typeform.com';

export const typeform = defineConnector({
  name: 'typeform',
  title: 'Typeform',
  description: 'Forms and what people answered.',
  category: 'Productivity',
  docs: 'https://www.typeform.com/developers/',

  fields: [
    secretField('token', 'Personal token', 'Account, Personal tokens.', 'tfp_0123456789abcdef'),
    urlField(
      'url',
      'Address of the API',
      'Of the European centre where your account is kept there.',
      'https://api.eu.typeform.com',
      { required: false, default: HOME },
    ),
  ],
  base: (account) => siteOf(account, 'url', HOME),
  sign: bearer('token'),
  fault: faultFrom({ message: [messageAt('description')], code: codeAt('code') }),
  // Tokens that may only read forms and responses cannot read their account.
  probe: { action: 'list_forms', input: { limit: 1 } },
  actions,
});

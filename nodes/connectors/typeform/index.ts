import { isObject } from '../../../lib/json';
import { bearer } from '../auth';
import type { HttpAction, Pages } from '../contract';
import { messageAt } from '../http/fault';
import { bodyAt, byPage } from '../http/pages';
import { urlPath } from '../http/path';
import { baseUrlFrom } from '../http/base-url';
import { codeAt, faultFrom } from '../http/error-text';
import { filledText, flag, list, outputOf, record, text } from '../../schema';
import { secretField, urlField } from '../credentials';
import { pick } from '../input';
import { NO_OUTPUT, defineConnector, idempotentWrite, readAction } from '../define';

const FORM = { form: filledText('ID of the form, as in its URL.', 'u6nXL7') };
const WEBHOOK = { tag: filledText('Your name for the webhook.', 'everstep') };
const PAGE = 1000;

/** Newest first: the next page is before the last item of this one. */
const before: Pages = {
  items(response) {
    const items = bodyAt(response, 'items');
    return Array.isArray(items) ? items : [];
  },
  next(response, request) {
    const items = bodyAt(response, 'items');
    const last = Array.isArray(items) && items.length >= PAGE ? items.at(-1) : null;
    return isObject(last) && typeof last.token === 'string'
      ? { ...request, query: { ...request.query, before: last.token } }
      : null;
  },
};

const actions: readonly HttpAction[] = [
  readAction('get_me', 'Returns the account that the token belongs to.', {
    output: outputOf({
      alias: text('Alias of the account.', 'Ada'),
      email: text('Email of the account.', 'ada@example.com'),
    }),
    call: 'GET /me',
  }),
  readAction('list_forms', 'Lists forms, most recently updated first.', {
    optional: {
      search: text('Search terms for the title.', 'order'),
      workspace_id: text('ID of the workspace.', 'a1b2c3'),
    },
    item: outputOf({ id: text('ID of the form.', 'u6nXL7'), title: text('Title of the form.', 'How was it?') }),
    call: 'GET /forms',
    query: { page: 1, page_size: 200 },
    pages: byPage({ items: 'items', page: 'page', first: 1, last: 'page_count' }),
  }),
  readAction('get_form', 'Returns a form with its fields.', {
    required: FORM,
    output: outputOf({
      id: text('ID of the form.', 'u6nXL7'),
      title: text('Title of the form.', 'How was it?'),
      fields: list(record('`id`, `ref`, `title` and `type`.'), 'Items in order.'),
    }),
    call: 'GET /forms/{form}',
  }),
  readAction('list_responses', 'Lists responses, newest first.', {
    required: FORM,
    optional: {
      since: text('Time in ISO 8601 format.', '2026-01-01T00:00:00Z'),
      until: text('Time in ISO 8601 format.', '2026-02-01T00:00:00Z'),
      query: text('Text that a response contains.', 'lamp'),
    },
    item: outputOf({
      token: text('Name or URI.', '21085286190ffad1248d17c4135ee56f'),
      submitted_at: text('Submission time.', '2026-01-01T10:00:00Z'),
      answers: list(record('Field, type and value.'), 'Answers by field.'),
    }),
    call: 'GET /forms/{form}/responses',
    query: { page_size: PAGE },
    pages: before,
  }),
  idempotentWrite('delete_responses', 'Deletes up to 1,000 responses; processed within minutes.', {
    required: {
      ...FORM,
      responses: list({ type: 'string' }, 'IDs of the responses.', ['21085286190ffad1248d17c4135ee56f'], {
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
  idempotentWrite('set_webhook', 'Creates or updates the webhook to which Typeform sends responses.', {
    required: {
      ...FORM,
      ...WEBHOOK,
      url: filledText('URL of the webhook.', 'https://everstep.example.com/webhooks/abc'),
      enabled: flag('Whether the webhook is active.'),
    },
    optional: { secret: text('Secret for the webhook signature.', 'a long text of your own') },
    output: outputOf({ id: text('ID of the webhook.', '01D1ZFZ5X8') }),
    call: 'PUT /forms/{form}/webhooks/{tag}',
    read: ({ body }) => (isObject(body) ? pick(body, 'id', 'tag', 'url', 'enabled') : {}),
  }),
];

const HOME = 'https://api.typeform.com';

export const typeform = defineConnector({
  name: 'typeform',
  title: 'Typeform',
  description: 'Manage forms, responses and webhooks.',
  category: 'Productivity',
  docs: 'https://www.typeform.com/developers/',

  fields: [
    secretField('token', 'Personal token', 'Account > Personal tokens.', 'tfp_0123456789abcdef'),
    urlField(
      'url',
      'Address of the API',
      'API address of the EU data center, for EU accounts.',
      'https://api.eu.typeform.com',
      { required: false, default: HOME },
    ),
  ],
  base: (account) => baseUrlFrom(account, 'url', HOME),
  sign: bearer('token'),
  fault: faultFrom({ message: [messageAt('description')], code: codeAt('code') }),
  // Tokens that may only read forms and responses cannot read their account.
  connectionTest: { action: 'list_forms', input: { limit: 1 } },
  actions,
});

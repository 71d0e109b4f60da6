import type { Json, JsonObject } from '../../../lib/json';
import { bearer, field, fieldOr, withHeaders } from '../auth';
import type { HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byCursor } from '../http/pages';
import { urlPath } from '../http/path';
import { outputAt } from '../http/read';
import { baseUrlFrom } from '../http/base-url';
import { codeAt, faultFrom } from '../http/error-text';
import { choice, filledText, flag, integer, list, outputOf, record, text } from '../../schema';
import { plainField, secretField, urlField } from '../credentials';
import { pick } from '../input';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const TICKET_ID = { ticket: integer('ID of the ticket.', 35_436, { minimum: 1 }) };
const SUBJECT = filledText('Subject or title.', 'My printer is on fire');
const WRITTEN = {
  priority: choice(['urgent', 'high', 'normal', 'low'], 'Priority.'),
  status: choice(['new', 'open', 'pending', 'hold', 'solved', 'closed'], 'Status of the incident.'),
  type: choice(['problem', 'incident', 'question', 'task'], 'Type.'),
  tags: list({ type: 'string' }, 'All tags or labels.', ['printer']),
  assignee_id: integer('ID of an agent or user.', 235_323),
  group_id: integer('ID of a group.', 98_738),
  custom_fields: list(record('`id` and `value`.', { id: 27_642, value: '745' }), 'Custom fields.', [
    { id: 27_642, value: '745' },
  ]),
};
const COMMENT = filledText('Plain text.', 'The smoke is very colorful.');
const TICKET = outputOf({
  id: integer('ID of the ticket.', 35_436),
  subject: text('Subject.', 'My printer is on fire'),
  status: text('Status of the incident.', 'open'),
});
const USER = outputOf({ id: integer('ID of the user.', 35_436), name: text('Name of the user.', 'Ada Lovelace') });
/** Cursor pagination is requested with `page[size]`. */
const PAGES = { cursor: 'meta.after_cursor', parameter: 'page[after]', more: 'meta.has_more' };

const requesterOf = ({ requester_email: email, requester_name: name }: JsonObject): JsonObject =>
  email === undefined ? {} : { requester: { email, name: name ?? email } };

const commentOf = (body: Json | undefined, isPublic: Json | undefined): JsonObject =>
  body === undefined ? {} : { comment: { body, ...(isPublic === undefined ? {} : { public: isPublic }) } };

const actions: readonly HttpAction[] = [
  readAction('get_me', 'Returns the agent of the connection.', {
    output: USER,
    call: 'GET /users/me',
    read: outputAt('user'),
  }),
  readAction('list_tickets', 'Lists all tickets by ID.', {
    item: TICKET,
    call: 'GET /tickets',
    query: { 'page[size]': 100 },
    pages: byCursor({ items: 'tickets', ...PAGES }),
  }),
  readAction('search_tickets', 'Searches tickets.', {
    required: { query: filledText("Query in Zendesk's search syntax.", 'status:open priority:urgent') },
    item: TICKET,
    call: 'GET /search/export',
    query: { 'filter[type]': 'ticket', 'page[size]': 100 },
    pages: byCursor({ items: 'results', ...PAGES }),
  }),
  readAction('get_ticket', 'Returns a ticket.', {
    required: TICKET_ID,
    output: TICKET,
    call: 'GET /tickets/{ticket}',
    read: outputAt('ticket'),
  }),
  // This is the request for which Zendesk knows idempotency keys.
  idempotentWrite('create_ticket', 'Creates a ticket, optionally for a requester.', {
    required: { subject: SUBJECT, comment: COMMENT },
    optional: {
      ...WRITTEN,
      requester_email: text('Email address of the requester; an unknown one becomes a user.', 'bob@example.com'),
      requester_name: text('Name for a new requester.', 'Bob'),
    },
    output: TICKET,
    request: (input) => ({
      method: 'POST',
      url: '/tickets',
      body: {
        ticket: {
          ...pick(input, 'subject', ...Object.keys(WRITTEN)),
          ...commentOf(input.comment, undefined),
          ...requesterOf(input),
        },
      },
    }),
    read: outputAt('ticket'),
  }),
  writeAction('update_ticket', 'Updates the given fields of a ticket and adds a comment.', {
    required: TICKET_ID,
    optional: {
      ...WRITTEN,
      comment: COMMENT,
      public: flag('False: the comment is visible only to agents.', { default: true }),
    },
    output: TICKET,
    request: (input) => ({
      method: 'PUT',
      url: urlPath`/tickets/${input.ticket}`,
      body: { ticket: { ...pick(input, ...Object.keys(WRITTEN)), ...commentOf(input.comment, input.public) } },
    }),
    read: outputAt('ticket'),
  }),
  idempotentWrite('upsert_user', 'Creates a user, or updates the user with this email address.', {
    required: {
      email: filledText('Email of the user.', 'bob@example.com'),
      name: filledText('Name of the user.', 'Bob'),
    },
    optional: {
      phone: text('Phone number.', '+4930123456'),
      external_id: text('ID of the user in your system.', 'customer-4711'),
    },
    output: USER,
    call: 'POST /users/create_or_update',
    bodyKey: 'user',
    read: outputAt('user'),
  }),
];

export const zendesk = defineConnector({
  name: 'zendesk',
  title: 'Zendesk',
  description: 'Manage support tickets and users.',
  category: 'Support',
  docs: 'https://developer.zendesk.com/api-reference/',

  fields: [
    urlField('url', 'Address', 'Address of your Zendesk.', 'https://acme.zendesk.com'),
    secretField(
      'token',
      'Access token',
      'OAuth access token of your client: Admin Center > Apps and integrations > APIs.',
      'gErypPlm4dOVgGRvA1ZzMH5MQ3nLo8bo',
      { required: false },
    ),
    plainField(
      'email',
      'E-mail address',
      'Email address of an agent, for API token authentication.',
      'ada@example.com',
      { format: 'email', required: false },
    ),
    secretField(
      'api_token',
      'API token',
      'Existing API token: Zendesk issues no new ones and accepts none from 30 April 2027.',
      '6wiIBWbGkBMo1mRDMuVwkw1EPsNkeUj95PIz2akv',
      { required: false },
    ),
  ],
  base: (account) => `${baseUrlFrom(account, 'url')}/api/v2`,
  sign(request, account) {
    if (fieldOr(account, 'token') !== '') return bearer('token')(request, account);
    const pair = `${field(account, 'email')}/token:${field(account, 'api_token')}`;
    return withHeaders(request, { authorization: `Basic ${Buffer.from(pair).toString('base64')}` });
  },
  fault: faultFrom({
    message: [messageAt('description'), messageAt('error', 'message')],
    code: (response) => codeAt('error.title')(response) ?? codeAt('error')(response),
  }),
  connectionTest: 'get_me',
  actions,
});

import type { Json, JsonObject } from '../../../lib/json';
import { bearer, field, fieldOr, withHeaders } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byCursor } from '../http/pages';
import { urlPath } from '../http/path';
import { outputAt } from '../http/read';
import { siteOf } from '../http/site';
import { codeAt, faultFrom } from '../http/error-text';
import { choice, filledText, flag, integer, list, outputOf, record, text } from '../../schema';
import { plainField, secretField, urlField } from '../credentials';
import { pick } from '../input';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const TICKET_ID = { ticket: integer('Its number.', 35_436, { minimum: 1 }) };
const SUBJECT = filledText('What it is about, in one line.', 'My printer is on fire');
const WRITTEN = {
  priority: choice(['urgent', 'high', 'normal', 'low'], 'How soon.'),
  status: choice(['new', 'open', 'pending', 'hold', 'solved', 'closed'], 'How it stands.'),
  type: choice(['problem', 'incident', 'question', 'task'], 'What it is.'),
  tags: list({ type: 'string' }, 'All of them.', ['printer']),
  assignee_id: integer('The id of an agent.', 235_323),
  group_id: integer('The id of a group.', 98_738),
  custom_fields: list(record('Its `id` and `value`.', { id: 27_642, value: '745' }), 'Values.', [
    { id: 27_642, value: '745' },
  ]),
};
const COMMENT = filledText('Plain text.', 'The smoke is very colorful.');
const TICKET = outputOf({
  id: integer('Of the ticket.', 35_436),
  subject: text('What it is about.', 'My printer is on fire'),
  status: text('How it stands.', 'open'),
});
const USER = outputOf({
  id: integer('Of the user.', 35_436),
  name: text('Of the user.', 'Ada Lovelace'),
});
/** Cursors are asked for by `page[size]`. */
const PAGES = { cursor: 'meta.after_cursor', parameter: 'page[after]', more: 'meta.has_more' };

const requesterOf = ({ requester_email: email, requester_name: name }: JsonObject): JsonObject =>
  email === undefined ? {} : { requester: { email, name: name ?? email } };

const commentOf = (body: Json | undefined, isPublic: Json | undefined): JsonObject =>
  body === undefined ? {} : { comment: { body, ...(isPublic === undefined ? {} : { public: isPublic }) } };

const actions: readonly HttpAction[] = [
  readAction('get_me', 'The agent that the connection acts for.', {
    output: USER,
    call: 'GET /users/me',
    read: outputAt('user'),
  }),
  readAction('list_tickets', 'All tickets, by their numbers.', {
    item: TICKET,
    call: 'GET /tickets',
    query: { 'page[size]': 100 },
    pages: byCursor({ items: 'tickets', ...PAGES }),
  }),
  readAction('search_tickets', 'Tickets that meet conditions.', {
    required: {
      query: filledText('In the words of the search of Zendesk.', 'status:open priority:urgent'),
    },
    item: TICKET,
    call: 'GET /search/export',
    query: { 'filter[type]': 'ticket', 'page[size]': 100 },
    pages: byCursor({ items: 'results', ...PAGES }),
  }),
  readAction('get_ticket', 'One ticket.', {
    required: TICKET_ID,
    output: TICKET,
    call: 'GET /tickets/{ticket}',
    read: outputAt('ticket'),
  }),
  // This is the request for which Zendesk knows idempotency keys.
  idempotentWrite('create_ticket', 'Opens a ticket, in the name of its requester where one is given.', {
    required: { subject: SUBJECT, comment: COMMENT },
    optional: {
      ...WRITTEN,
      requester_email: text('An e-mail address; who is not known is made a user.', 'bob@example.com'),
      requester_name: text('For who is not known.', 'Bob'),
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
  writeAction('update_ticket', 'Sets what is given of a ticket, and writes below it.', {
    required: TICKET_ID,
    optional: {
      ...WRITTEN,
      comment: COMMENT,
      public: flag('False: only agents see the comment.', { default: true }),
    },
    output: TICKET,
    request: (input) => ({
      method: 'PUT',
      url: urlPath`/tickets/${input.ticket}`,
      body: { ticket: { ...pick(input, ...Object.keys(WRITTEN)), ...commentOf(input.comment, input.public) } },
    }),
    read: outputAt('ticket'),
  }),
  idempotentWrite('upsert_user', 'Changes the user with an e-mail address, or makes it.', {
    required: {
      email: filledText('Of the user.', 'bob@example.com'),
      name: filledText('Of the user.', 'Bob'),
    },
    optional: {
      phone: text('A number.', '+4930123456'),
      external_id: text('What your own systems call the user.', 'customer-4711'),
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
  description: 'Tickets and users of the support desk.',
  category: 'Support',
  docs: 'https://developer.zendesk.com/api-reference/',

  fields: [
    urlField('url', 'Address', 'Of your Zendesk.', 'https://acme.zendesk.com'),
    secretField(
      'token',
      'Access token',
      'Of OAuth: of a client of your own, Admin Center, Apps and integrations, APIs.',
      'gErypPlm4dOVgGRvA1ZzMH5MQ3nLo8bo',
      { required: false },
    ),
    plainField('email', 'E-mail address', 'Of an agent, for an API token instead.', 'ada@example.com', {
      format: 'email',
      required: false,
    }),
    secretField(
      'api_token',
      'API token',
      'One that is there: Zendesk makes no new ones, and takes none from 30 April 2027.',
      '6wiIBWbGkBMo1mRDMuVwkw1EPsNkeUj95PIz2akv',
      { required: false },
    ),
  ],
  base: (account) => `${siteOf(account, 'url')}/api/v2`,
  sign(request, account) {
    if (fieldOr(account, 'token') !== '') return bearer('token')(request, account);
    const pair = `${field(account, 'email')}/token:${field(account, 'api_token')}`;
    return withHeaders(request, { authorization: `Basic ${Buffer.from(pair).toString('base64')}` });
  },
  fault: faultFrom({
    message: [messageAt('description'), messageAt('error', 'message')],
    code: (answer) => codeAt('error.title')(answer) ?? codeAt('error')(answer),
  }),
  probe: 'get_me',
  actions,
});

import type { Json, JsonObject } from '../../../lib/json';
import { bearer, field, fieldOr, withHeaders } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { asks, does, hidden, pick, settles, shown, site } from '../define';
import { messageAt } from '../http/fault';
import { byCursor } from '../http/pages';
import { at } from '../http/path';
import { inside } from '../http/read';
import { siteOf } from '../http/site';
import { codeAt, worded } from '../http/error-text';
import { choice, flag, integer, list, outputOf, record, text } from '../schemas';

const TICKET_ID = { ticket: integer('Ticket', 'Its number.', 35_436, { minimum: 1 }) };
const SUBJECT = text('Subject', 'What it is about, in one line.', 'My printer is on fire', { minLength: 1 });
const WRITTEN = {
  priority: choice(['urgent', 'high', 'normal', 'low'], 'Priority', 'How soon.'),
  status: choice(['new', 'open', 'pending', 'hold', 'solved', 'closed'], 'Status', 'How it stands.'),
  type: choice(['problem', 'incident', 'question', 'task'], 'Type', 'What it is.'),
  tags: list({ type: 'string' }, 'Tags', 'All of them.', ['printer']),
  assignee_id: integer('Assignee', 'The id of an agent.', 235_323),
  group_id: integer('Group', 'The id of a group.', 98_738),
  custom_fields: list(
    record('Field', 'Its `id` and `value`.', { id: 27_642, value: '745' }),
    'Custom fields',
    'Values.',
    [{ id: 27_642, value: '745' }],
  ),
};
const COMMENT = text('Text', 'Plain text.', 'The smoke is very colorful.', { minLength: 1 });
const TICKET = outputOf({
  id: integer('Number', 'Of the ticket.', 35_436),
  subject: text('Subject', 'What it is about.', 'My printer is on fire'),
  status: text('Status', 'How it stands.', 'open'),
});
const USER = outputOf({
  id: integer('Id', 'Of the user.', 35_436),
  name: text('Name', 'Of the user.', 'Ada Lovelace'),
});
/** Cursors are asked for by `page[size]`. */
const PAGES = { cursor: 'meta.after_cursor', parameter: 'page[after]', more: 'meta.has_more' };

const requesterOf = ({ requester_email: email, requester_name: name }: JsonObject): JsonObject =>
  email === undefined ? {} : { requester: { email, name: name ?? email } };

const commentOf = (body: Json | undefined, isPublic: Json | undefined): JsonObject =>
  body === undefined ? {} : { comment: { body, ...(isPublic === undefined ? {} : { public: isPublic }) } };

const actions: readonly HttpAction[] = [
  asks('get_me', 'Get my account', 'The agent that the connection acts for.', {
    output: USER,
    call: 'GET /users/me',
    read: inside('user'),
  }),
  asks('list_tickets', 'List tickets', 'All tickets, by their numbers.', {
    item: TICKET,
    call: 'GET /tickets',
    query: { 'page[size]': 100 },
    pages: byCursor({ items: 'tickets', ...PAGES }),
  }),
  asks('search_tickets', 'Search tickets', 'Tickets that meet conditions.', {
    needs: {
      query: text('Query', 'In the words of the search of Zendesk.', 'status:open priority:urgent', { minLength: 1 }),
    },
    item: TICKET,
    call: 'GET /search/export',
    query: { 'filter[type]': 'ticket', 'page[size]': 100 },
    pages: byCursor({ items: 'results', ...PAGES }),
  }),
  asks('get_ticket', 'Get a ticket', 'One ticket.', {
    needs: TICKET_ID,
    output: TICKET,
    call: 'GET /tickets/{ticket}',
    read: inside('ticket'),
  }),
  // This is the request for which Zendesk knows idempotency keys.
  settles('create_ticket', 'Create a ticket', 'Opens a ticket, in the name of its requester where one is given.', {
    needs: { subject: SUBJECT, comment: COMMENT },
    may: {
      ...WRITTEN,
      requester_email: text('Requester', 'An e-mail address; who is not known is made a user.', 'bob@example.com'),
      requester_name: text('Name of the requester', 'For who is not known.', 'Bob'),
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
    read: inside('ticket'),
  }),
  does('update_ticket', 'Change a ticket', 'Sets what is given of a ticket, and writes below it.', {
    needs: TICKET_ID,
    may: {
      ...WRITTEN,
      comment: COMMENT,
      public: flag('For the requester', 'False: only agents see the comment.', { default: true }),
    },
    output: TICKET,
    request: (input) => ({
      method: 'PUT',
      url: at`/tickets/${input.ticket}`,
      body: { ticket: { ...pick(input, ...Object.keys(WRITTEN)), ...commentOf(input.comment, input.public) } },
    }),
    read: inside('ticket'),
  }),
  settles('upsert_user', 'Create or change a user', 'Changes the user with an e-mail address, or makes it.', {
    needs: {
      email: text('E-mail address', 'Of the user.', 'bob@example.com', { minLength: 1 }),
      name: text('Name', 'Of the user.', 'Bob', { minLength: 1 }),
    },
    may: {
      phone: text('Telephone', 'A number.', '+4930123456'),
      external_id: text('Own id', 'What your own systems call the user.', 'customer-4711'),
    },
    output: USER,
    call: 'POST /users/create_or_update',
    within: 'user',
    read: inside('user'),
  }),
];

export const zendesk: Connector = {
  name: 'zendesk',
  title: 'Zendesk',
  description: 'Tickets and users of the support desk.',
  category: 'Support',
  docs: 'https://developer.zendesk.com/api-reference/',
  auth: {
    required: true,
    fields: [
      site('url', 'Address', 'Of your Zendesk.', 'https://acme.zendesk.com'),
      hidden(
        'token',
        'Access token',
        'Of OAuth: of a client of your own, Admin Center, Apps and integrations, APIs.',
        'gErypPlm4dOVgGRvA1ZzMH5MQ3nLo8bo',
        { required: false },
      ),
      shown('email', 'E-mail address', 'Of an agent, for an API token instead.', 'ada@example.com', {
        format: 'email',
        required: false,
      }),
      hidden(
        'api_token',
        'API token',
        'One that is there: Zendesk makes no new ones, and takes none from 30 April 2027.',
        '6wiIBWbGkBMo1mRDMuVwkw1EPsNkeUj95PIz2akv',
        { required: false },
      ),
    ],
  },
  base: (account) => `${siteOf(account, 'url')}/api/v2`,
  sign(request, account) {
    if (fieldOr(account, 'token') !== '') return bearer('token')(request, account);
    const pair = `${field(account, 'email')}/token:${field(account, 'api_token')}`;
    return withHeaders(request, { authorization: `Basic ${Buffer.from(pair).toString('base64')}` });
  },
  fault: worded({
    message: [messageAt('description'), messageAt('error', 'message')],
    code: (answer) => codeAt('error.title')(answer) ?? codeAt('error')(answer),
  }),
  probe: { action: 'get_me', input: {} },
  actions,
};

import { basic } from '../auth';
import type { HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { bodyAt, byLink } from '../http/pages';
import { baseUrlFrom } from '../http/base-url';
import { codeAt, faultFrom } from '../http/error-text';
import { filledText, flag, integer, list, outputOf, record, text } from '../../schema';
import { secretField, urlField } from '../credentials';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const TICKET_ID = { ticket: integer('ID of the ticket.', 20, { minimum: 1 }) };
const SUBJECT = filledText('Subject or title.', 'The lamp is broken');
const PRIORITY = integer('1 low, 2 medium, 3 high, 4 urgent.', 1, { minimum: 1, maximum: 4 });
const STATUS = integer('2 open, 3 pending, 4 resolved, 5 closed, or a custom status.', 2, { minimum: 2 });
const TAGS = list({ type: 'string' }, 'All tags or labels.', ['lamp']);
const FURTHER = {
  type: text('One of the ticket types of the help desk.', 'Question'),
  group_id: integer('ID of a group.', 5),
  responder_id: integer('ID of an agent or user.', 7),
  custom_fields: record('Values by field name.', { cf_order: '4711' }),
};
const HTML = filledText('Content in HTML.', 'It <b>flickers</b>.');
const TICKET = outputOf({
  id: integer('ID of the ticket.', 20),
  subject: text('Subject.', 'The lamp is broken'),
  status: STATUS,
  priority: PRIORITY,
});
const CONVERSATION = outputOf({ id: integer('ID of the conversation entry.', 43) });

const actions: readonly HttpAction[] = [
  readAction('get_me', 'Returns the agent of the connection.', {
    output: outputOf({ id: integer('ID of the agent.', 7) }),
    call: 'GET /agents/me',
  }),
  readAction('list_tickets', 'Lists tickets of the last thirty days, or updated since a time.', {
    optional: {
      updated_since: text('Time in ISO 8601 format.', '2026-01-01T00:00:00Z'),
      email: text('Email address of the requester.', 'bob@example.com'),
    },
    item: TICKET,
    call: 'GET /tickets',
    query: { per_page: 100 },
    pages: byLink(),
  }),
  readAction('get_ticket', 'Returns a ticket.', { required: TICKET_ID, output: TICKET, call: 'GET /tickets/{ticket}' }),
  writeAction('create_ticket', 'Creates a ticket for a requester.', {
    required: {
      subject: SUBJECT,
      description: HTML,
      email: text('Email address of the requester; an unknown one becomes a contact.', 'bob@example.com'),
    },
    optional: { priority: PRIORITY, status: STATUS, tags: TAGS, ...FURTHER },
    output: TICKET,
    call: 'POST /tickets',
    body: { priority: 1, status: 2 },
  }),
  idempotentWrite('update_ticket', 'Updates the given fields of a ticket; tags are replaced.', {
    required: TICKET_ID,
    optional: { priority: PRIORITY, status: STATUS, tags: TAGS, ...FURTHER },
    output: TICKET,
    call: 'PUT /tickets/{ticket}',
  }),
  writeAction('reply', 'Sends a reply to the requester of a ticket.', {
    required: { ...TICKET_ID, body: HTML },
    output: CONVERSATION,
    call: 'POST /tickets/{ticket}/reply',
  }),
  writeAction('create_note', 'Adds a note to a ticket.', {
    required: { ...TICKET_ID, body: HTML },
    optional: { private: flag('Private note. False: the requester sees it too.', { default: true }) },
    output: CONVERSATION,
    call: 'POST /tickets/{ticket}/notes',
  }),
];

export const freshdesk = defineConnector({
  name: 'freshdesk',
  title: 'Freshdesk',
  description: 'Manage support tickets.',
  category: 'Support',
  docs: 'https://developers.freshdesk.com/api/',

  fields: [
    urlField('url', 'Address', 'Address of your Freshdesk account.', 'https://acme.freshdesk.com'),
    secretField('api_key', 'API key', 'Profile Settings, below the picture.', 'BhB6bgm7wXyZ01234567'),
  ],
  base: (account) => `${baseUrlFrom(account, 'url')}/api/v2`,
  // The API key is the user name; the password is required but ignored.
  sign: basic('api_key', { text: 'X' }),
  fault: faultFrom({
    message: [
      (response) => {
        const field = bodyAt(response, 'errors[0].field');
        const message = messageAt('errors', 0, 'message')(response);
        return message === null ? null : `${String(field ?? 'request')}: ${message}`;
      },
      messageAt('message'),
      messageAt('description'),
    ],
    code: codeAt('code'),
  }),
  connectionTest: 'get_me',
  actions,
});

import { basic } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { asks, does, hidden, settles, site } from '../define';
import { messageAt } from '../http/fault';
import { bodyAt, byLink } from '../http/pages';
import { siteOf } from '../http/site';
import { codeAt, worded } from '../http/error-text';
import { flag, integer, list, outputOf, record, text } from '../schemas';

const TICKET_ID = { ticket: integer('Ticket', 'Its number.', 20, { minimum: 1 }) };
const SUBJECT = text('Subject', 'What it is about, in one line.', 'The lamp is broken', { minLength: 1 });
const PRIORITY = integer('Priority', '1 low, 2 medium, 3 high, 4 urgent.', 1, { minimum: 1, maximum: 4 });
const STATUS = integer('Status', '2 open, 3 pending, 4 resolved, 5 closed, and your own.', 2, { minimum: 2 });
const TAGS = list({ type: 'string' }, 'Tags', 'All of them.', ['lamp']);
const FURTHER = {
  type: text('Type', 'One of those that your desk has.', 'Question'),
  group_id: integer('Group', 'The id of a group.', 5),
  responder_id: integer('Agent', 'The id of an agent.', 7),
  custom_fields: record('Custom fields', 'Values by the names of the fields.', { cf_order: '4711' }),
};
const HTML = text('Text', 'In HTML.', 'It <b>flickers</b>.', { minLength: 1 });
const TICKET = outputOf({
  id: integer('Number', 'Of the ticket.', 20),
  subject: text('Subject', 'What it is about.', 'The lamp is broken'),
  status: STATUS,
  priority: PRIORITY,
});
const CONVERSATION = outputOf({ id: integer('Id', 'Of what was written.', 43) });

const actions: readonly HttpAction[] = [
  asks('get_me', 'Get my account', 'The agent that the connection acts for.', {
    output: outputOf({ id: integer('Id', 'Of the agent.', 7) }),
    call: 'GET /agents/me',
  }),
  asks('list_tickets', 'List tickets', 'Tickets of the last thirty days, or that changed since.', {
    may: {
      updated_since: text('Changed since', 'An instant.', '2026-01-01T00:00:00Z'),
      email: text('Requester', 'Only those of an e-mail address.', 'bob@example.com'),
    },
    item: TICKET,
    call: 'GET /tickets',
    query: { per_page: 100 },
    pages: byLink(),
  }),
  asks('get_ticket', 'Get a ticket', 'One ticket.', {
    needs: TICKET_ID,
    output: TICKET,
    call: 'GET /tickets/{ticket}',
  }),
  does('create_ticket', 'Create a ticket', 'Opens a ticket in the name of a requester.', {
    needs: {
      subject: SUBJECT,
      description: HTML,
      email: text('Requester', 'An e-mail address; who is not known is made a contact.', 'bob@example.com'),
    },
    may: { priority: PRIORITY, status: STATUS, tags: TAGS, ...FURTHER },
    output: TICKET,
    call: 'POST /tickets',
    body: { priority: 1, status: 2 },
  }),
  settles('update_ticket', 'Change a ticket', 'Sets what is given of a ticket; tags are replaced as a whole.', {
    needs: TICKET_ID,
    may: { priority: PRIORITY, status: STATUS, tags: TAGS, ...FURTHER },
    output: TICKET,
    call: 'PUT /tickets/{ticket}',
  }),
  does('reply', 'Reply', 'Answers the requester of a ticket.', {
    needs: { ...TICKET_ID, body: HTML },
    output: CONVERSATION,
    call: 'POST /tickets/{ticket}/reply',
  }),
  does('create_note', 'Write a note', 'Writes a note on a ticket.', {
    needs: { ...TICKET_ID, body: HTML },
    may: { private: flag('Only for agents', 'False: the requester sees it too.', { default: true }) },
    output: CONVERSATION,
    call: 'POST /tickets/{ticket}/notes',
  }),
];

export const freshdesk: Connector = {
  name: 'freshdesk',
  title: 'Freshdesk',
  description: 'Tickets and contacts of the support desk.',
  category: 'Support',
  docs: 'https://developers.freshdesk.com/api/',
  auth: {
    required: true,
    fields: [
      site('url', 'Address', 'Of your Freshdesk.', 'https://acme.freshdesk.com'),
      hidden('api_key', 'API key', 'Profile settings, under the picture.', 'BhB6bgm7wXyZ01234567'),
    ],
  },
  base: (account) => `${siteOf(account, 'url')}/api/v2`,
  // The key is the name; a password is asked for, but not looked at.
  sign: basic('api_key', { text: 'X' }),
  fault: worded({
    message: [
      (answer) => {
        const field = bodyAt(answer, 'errors[0].field');
        const message = messageAt('errors', 0, 'message')(answer);
        return message === null ? null : `${String(field ?? 'request')}: ${message}`;
      },
      messageAt('message'),
      messageAt('description'),
    ],
    code: codeAt('code'),
  }),
  probe: { action: 'get_me', input: {} },
  actions,
};

import { basic } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { bodyAt, byLink } from '../http/pages';
import { siteOf } from '../http/site';
import { codeAt, faultFrom } from '../http/error-text';
import { filledText, flag, integer, list, outputOf, record, text } from '../../schema';
import { secretField, urlField } from '../credentials';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const TICKET_ID = { ticket: integer('Its number.', 20, { minimum: 1 }) };
const SUBJECT = filledText('What it is about, in one line.', 'The lamp is broken');
const PRIORITY = integer('1 low, 2 medium, 3 high, 4 urgent.', 1, { minimum: 1, maximum: 4 });
const STATUS = integer('2 open, 3 pending, 4 resolved, 5 closed, and your own.', 2, { minimum: 2 });
const TAGS = list({ type: 'string' }, 'All of them.', ['lamp']);
const FURTHER = {
  type: text('One of those that your desk has.', 'Question'),
  group_id: integer('The id of a group.', 5),
  responder_id: integer('The id of an agent.', 7),
  custom_fields: record('Values by the names of the fields.', { cf_order: '4711' }),
};
const HTML = filledText('In HTML.', 'It <b>flickers</b>.');
const TICKET = outputOf({
  id: integer('Of the ticket.', 20),
  subject: text('What it is about.', 'The lamp is broken'),
  status: STATUS,
  priority: PRIORITY,
});
const CONVERSATION = outputOf({ id: integer('Of what was written.', 43) });

const actions: readonly HttpAction[] = [
  readAction('get_me', 'The agent that the connection acts for.', {
    output: outputOf({ id: integer('Of the agent.', 7) }),
    call: 'GET /agents/me',
  }),
  readAction('list_tickets', 'Tickets of the last thirty days, or that changed since.', {
    optional: {
      updated_since: text('An instant.', '2026-01-01T00:00:00Z'),
      email: text('Only those of an e-mail address.', 'bob@example.com'),
    },
    item: TICKET,
    call: 'GET /tickets',
    query: { per_page: 100 },
    pages: byLink(),
  }),
  readAction('get_ticket', 'One ticket.', {
    required: TICKET_ID,
    output: TICKET,
    call: 'GET /tickets/{ticket}',
  }),
  writeAction('create_ticket', 'Opens a ticket in the name of a requester.', {
    required: {
      subject: SUBJECT,
      description: HTML,
      email: text('An e-mail address; who is not known is made a contact.', 'bob@example.com'),
    },
    optional: { priority: PRIORITY, status: STATUS, tags: TAGS, ...FURTHER },
    output: TICKET,
    call: 'POST /tickets',
    body: { priority: 1, status: 2 },
  }),
  idempotentWrite('update_ticket', 'Sets what is given of a ticket; tags are replaced as a whole.', {
    required: TICKET_ID,
    optional: { priority: PRIORITY, status: STATUS, tags: TAGS, ...FURTHER },
    output: TICKET,
    call: 'PUT /tickets/{ticket}',
  }),
  writeAction('reply', 'Answers the requester of a ticket.', {
    required: { ...TICKET_ID, body: HTML },
    output: CONVERSATION,
    call: 'POST /tickets/{ticket}/reply',
  }),
  writeAction('create_note', 'Writes a note on a ticket.', {
    required: { ...TICKET_ID, body: HTML },
    optional: { private: flag('False: the requester sees it too.', { default: true }) },
    output: CONVERSATION,
    call: 'POST /tickets/{ticket}/notes',
  }),
];

export const freshdesk = defineConnector({
  name: 'freshdesk',
  title: 'Freshdesk',
  description: 'Tickets and contacts of the support desk.',
  category: 'Support',
  docs: 'https://developers.freshdesk.com/api/',

  fields: [
    urlField('url', 'Address', 'Of your Freshdesk.', 'https://acme.freshdesk.com'),
    secretField('api_key', 'API key', 'Profile settings, under the picture.', 'BhB6bgm7wXyZ01234567'),
  ],
  base: (account) => `${siteOf(account, 'url')}/api/v2`,
  // The key is the name; a password is asked for, but not looked at.
  sign: basic('api_key', { text: 'X' }),
  fault: faultFrom({
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
  probe: 'get_me',
  actions,
});

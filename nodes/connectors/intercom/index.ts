import { allOf, withDefaultHeaders, bearer, fieldOr } from '../auth';
import type { HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byCursor, byCursorWith, withMember } from '../http/pages';
import { codeAt, timeInHeader, faultFrom } from '../http/error-text';

import { InvalidInputError } from '../invalid-input-error';
import { anyId, anyValue, choice, filledText, outputOf, record, text } from '../../schema';
import { plainField, secretField } from '../credentials';
import { pick } from '../input';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const CONTACT_ID = { contact: filledText('ID of the contact.', '63a07ddf05a32042dffac965') };
const CONVERSATION = { conversation: anyId('ID of the conversation.', '123') };
const ADMIN = { admin_id: filledText('ID of the admin who acts.', '991267459') };
const TEXT = { body: filledText('Text or simple HTML.', 'We are on it.') };
const WRITTEN = {
  email: text('Email of the contact.', 'ada@example.com'),
  name: text('Name of the contact.', 'Ada Lovelace'),
  phone: text('Phone number.', '+4930123456'),
  external_id: text('ID of the contact in your system.', 'customer-4711'),
  custom_attributes: record('Custom attributes by name.', { plan: 'pro' }),
};
const CONTACT = outputOf({
  id: text('ID of the contact.', '63a07ddf05a32042dffac965'),
  role: text('`user` or `lead`.', 'user'),
});
const CONVERSATION_OUTPUT = outputOf({
  id: anyId('ID of the conversation.', '123'),
  state: text('`open`, `closed` or `snoozed`.', 'open'),
});

const actions: readonly HttpAction[] = [
  readAction('get_me', 'Returns the admin and app of the connection.', {
    output: outputOf({
      id: anyId('ID of the colleague.', '991267459'),
      name: text('Name of the colleague.', 'Grace Hopper'),
    }),
    call: 'GET /me',
  }),
  readAction('search_contacts', 'Searches contacts by an attribute.', {
    required: {
      field: filledText('Name of the field.', 'email'),
      operator: choice(['=', '!=', '>', '<', '~', '!~', '^', '$', 'IN', 'NIN'], 'Comparison operator.'),
      value: anyValue('Value to compare with; a list for IN and NIN.', 'ada@example.com'),
    },
    item: CONTACT,
    request: (input) => ({
      method: 'POST',
      url: '/contacts/search',
      body: { query: pick(input, 'field', 'operator', 'value'), pagination: { per_page: 150 } },
    }),
    pages: byCursorWith({ items: 'data', cursor: 'pages.next.starting_after' }, (request, mark) =>
      withMember(request, { pagination: { per_page: 150, starting_after: mark } }),
    ),
  }),
  writeAction('create_contact', 'Creates a contact: a user or a lead.', {
    required: { role: choice(['user', 'lead'], 'User or lead.') },
    optional: WRITTEN,
    output: CONTACT,
    call: 'POST /contacts',
  }),
  idempotentWrite('update_contact', 'Updates the given fields of a contact.', {
    required: CONTACT_ID,
    optional: WRITTEN,
    output: CONTACT,
    call: 'PUT /contacts/{contact}',
  }),
  writeAction('create_note', 'Adds an internal note to a contact.', {
    required: { ...CONTACT_ID, ...TEXT },
    optional: ADMIN,
    output: outputOf({ id: anyId('ID of the note.', '29') }),
    call: 'POST /contacts/{contact}/notes',
  }),
  readAction('list_conversations', 'Lists conversations, most recently updated first.', {
    item: CONVERSATION_OUTPUT,
    call: 'GET /conversations',
    query: { per_page: 150 },
    pages: byCursor({ items: 'conversations', cursor: 'pages.next.starting_after', parameter: 'starting_after' }),
  }),
  writeAction('reply', 'Replies to a conversation, or adds an internal note.', {
    required: { ...CONVERSATION, ...ADMIN, ...TEXT },
    optional: { message_type: choice(['comment', 'note'], 'Reply or note.', { default: 'comment' }) },
    output: CONVERSATION_OUTPUT,
    call: 'POST /conversations/{conversation}/reply',
    body: { message_type: 'comment', type: 'admin' },
  }),
  writeAction('close_conversation', 'Closes a conversation, optionally with a last message.', {
    required: { ...CONVERSATION, ...ADMIN },
    optional: TEXT,
    output: CONVERSATION_OUTPUT,
    call: 'POST /conversations/{conversation}/parts',
    body: { message_type: 'close', type: 'admin' },
  }),
];

const HOSTS: ReadonlyMap<string, string> = new Map([
  ['us', 'https://api.intercom.io'],
  ['eu', 'https://api.eu.intercom.io'],
  ['au', 'https://api.au.intercom.io'],
]);

export const intercom = defineConnector({
  name: 'intercom',
  title: 'Intercom',
  description: 'Manage contacts and conversations.',
  category: 'Support',
  docs: 'https://developers.intercom.com/docs/references/rest-api/api.intercom.io/',

  fields: [
    secretField(
      'token',
      'Access token',
      'Access token of your app: Developer Hub > Authentication.',
      'dG9rOjAxMjM0NTY3',
    ),
    plainField('region', 'Region', 'Region of the workspace: `us`, `eu` or `au`.', 'eu', {
      required: false,
      default: 'us',
    }),
  ],
  base(account) {
    const host = HOSTS.get(fieldOr(account, 'region', 'us').toLowerCase());
    if (host === undefined) throw new InvalidInputError('"region" of the connection must be us, eu or au');
    return host;
  },
  sign: allOf(withDefaultHeaders({ 'intercom-version': '2.14' }), bearer('token')),
  fault: faultFrom({
    message: [messageAt('errors', 0, 'message')],
    code: codeAt('errors[0].code'),
    retryAfterMs: timeInHeader('x-ratelimit-reset'),
  }),
  connectionTest: 'get_me',
  actions,
});

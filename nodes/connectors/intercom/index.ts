import { allOf, withDefaultHeaders, bearer, fieldOr } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byCursor, byMark, withMember } from '../http/pages';
import { codeAt, timeInHeader, faultFrom } from '../http/error-text';

import { Unusable } from '../unusable';
import { anyId, anyValue, choice, filledText, outputOf, record, text } from '../../schema';
import { plainField, secretField } from '../credentials';
import { pick } from '../input';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const CONTACT_ID = { contact: filledText('Its id.', '63a07ddf05a32042dffac965') };
const CONVERSATION = { conversation: anyId('Its id.', '123') };
const ADMIN = { admin_id: filledText('The id of the colleague who acts.', '991267459') };
const TEXT = { body: filledText('Text or simple HTML.', 'We are on it.') };
const WRITTEN = {
  email: text('Of the contact.', 'ada@example.com'),
  name: text('Of the contact.', 'Ada Lovelace'),
  phone: text('A number.', '+4930123456'),
  external_id: text('What your own systems call the contact.', 'customer-4711'),
  custom_attributes: record('Your own, by their names.', { plan: 'pro' }),
};
const CONTACT = outputOf({
  id: text('Of the contact.', '63a07ddf05a32042dffac965'),
  role: text('`user` or `lead`.', 'user'),
});
const CONVERSATION_OUTPUT = outputOf({
  id: anyId('Of the conversation.', '123'),
  state: text('`open`, `closed` or `snoozed`.', 'open'),
});

const actions: readonly HttpAction[] = [
  readAction('get_me', 'The colleague and the app that the connection acts for.', {
    output: outputOf({
      id: anyId('Of the colleague.', '991267459'),
      name: text('Of the colleague.', 'Grace Hopper'),
    }),
    call: 'GET /me',
  }),
  readAction('search_contacts', 'Contacts by one of their attributes.', {
    required: {
      field: filledText('Its name.', 'email'),
      operator: choice(['=', '!=', '>', '<', '~', '!~', '^', '$', 'IN', 'NIN'], 'How it is compared.'),
      value: anyValue('With what; a list for IN and NIN.', 'ada@example.com'),
    },
    item: CONTACT,
    request: (input) => ({
      method: 'POST',
      url: '/contacts/search',
      body: { query: pick(input, 'field', 'operator', 'value'), pagination: { per_page: 150 } },
    }),
    pages: byMark({ items: 'data', cursor: 'pages.next.starting_after' }, (request, mark) =>
      withMember(request, { pagination: { per_page: 150, starting_after: mark } }),
    ),
  }),
  writeAction('create_contact', 'Makes a contact, who is a user or a lead.', {
    required: { role: choice(['user', 'lead'], 'Who signed up, or might.') },
    optional: WRITTEN,
    output: CONTACT,
    call: 'POST /contacts',
  }),
  idempotentWrite('update_contact', 'Sets what is given of a contact.', {
    required: CONTACT_ID,
    optional: WRITTEN,
    output: CONTACT,
    call: 'PUT /contacts/{contact}',
  }),
  writeAction('create_note', 'Writes a note on a contact, which only colleagues see.', {
    required: { ...CONTACT_ID, ...TEXT },
    optional: ADMIN,
    output: outputOf({ id: anyId('Of the note.', '29') }),
    call: 'POST /contacts/{contact}/notes',
  }),
  readAction('list_conversations', 'Conversations, those that changed last first.', {
    item: CONVERSATION_OUTPUT,
    call: 'GET /conversations',
    query: { per_page: 150 },
    pages: byCursor({ items: 'conversations', cursor: 'pages.next.starting_after', parameter: 'starting_after' }),
  }),
  writeAction('reply', 'Answers in a conversation, or leaves a note there for colleagues.', {
    required: { ...CONVERSATION, ...ADMIN, ...TEXT },
    optional: { message_type: choice(['comment', 'note'], 'An answer or a note.', { default: 'comment' }) },
    output: CONVERSATION_OUTPUT,
    call: 'POST /conversations/{conversation}/reply',
    body: { message_type: 'comment', type: 'admin' },
  }),
  writeAction('close_conversation', 'Closes a conversation, with a last word where there is one.', {
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
  description: 'Contacts and conversations with customers.',
  category: 'Support',
  docs: 'https://developers.intercom.com/docs/references/rest-api/api.intercom.io/',

  fields: [
    secretField('token', 'Access token', 'Of an app of yours: Developer Hub, Authentication.', 'dG9rOjAxMjM0NTY3'),
    plainField('region', 'Region', 'Where the workspace is kept: `us`, `eu` or `au`.', 'eu', {
      required: false,
      default: 'us',
    }),
  ],
  base(account) {
    const host = HOSTS.get(fieldOr(account, 'region', 'us').toLowerCase());
    if (host === undefined) throw new Unusable('"region" of the connection must be us, eu or au');
    return host;
  },
  sign: allOf(withDefaultHeaders({ 'intercom-version': '2.14' }), bearer('token')),
  fault: faultFrom({
    message: [messageAt('errors', 0, 'message')],
    code: codeAt('errors[0].code'),
    retryAfterMs: timeInHeader('x-ratelimit-reset'),
  }),
  probe: 'get_me',
  actions,
});

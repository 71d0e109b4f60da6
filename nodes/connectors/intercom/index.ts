import { all, always, bearer, fieldOr } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { asks, does, hidden, pick, settles, shown } from '../define';
import { messageAt } from '../http/fault';
import { byCursor, byMark, withMember } from '../http/pages';
import { codeAt, untilIn, worded } from '../http/error-text';
import { anything, choice, idOf, outputOf, record, text } from '../schemas';
import { Unusable } from '../unusable';

const CONTACT_ID = { contact: text('Contact', 'Its id.', '63a07ddf05a32042dffac965', { minLength: 1 }) };
const CONVERSATION = { conversation: idOf('Conversation', 'Its id.', '123') };
const ADMIN = { admin_id: text('Admin', 'The id of the colleague who acts.', '991267459', { minLength: 1 }) };
const TEXT = { body: text('Text', 'Text or simple HTML.', 'We are on it.', { minLength: 1 }) };
const WRITTEN = {
  email: text('E-mail address', 'Of the contact.', 'ada@example.com'),
  name: text('Name', 'Of the contact.', 'Ada Lovelace'),
  phone: text('Telephone', 'A number.', '+4930123456'),
  external_id: text('Own id', 'What your own systems call the contact.', 'customer-4711'),
  custom_attributes: record('Attributes', 'Your own, by their names.', { plan: 'pro' }),
};
const CONTACT = outputOf({
  id: text('Id', 'Of the contact.', '63a07ddf05a32042dffac965'),
  role: text('Role', '`user` or `lead`.', 'user'),
});
const CONVERSATION_OUTPUT = outputOf({
  id: idOf('Id', 'Of the conversation.', '123'),
  state: text('State', '`open`, `closed` or `snoozed`.', 'open'),
});

const actions: readonly HttpAction[] = [
  asks('get_me', 'Get my account', 'The colleague and the app that the connection acts for.', {
    output: outputOf({
      id: idOf('Id', 'Of the colleague.', '991267459'),
      name: text('Name', 'Of the colleague.', 'Grace Hopper'),
    }),
    call: 'GET /me',
  }),
  asks('search_contacts', 'Search contacts', 'Contacts by one of their attributes.', {
    needs: {
      field: text('Attribute', 'Its name.', 'email', { minLength: 1 }),
      operator: choice(['=', '!=', '>', '<', '~', '!~', '^', '$', 'IN', 'NIN'], 'Operator', 'How it is compared.'),
      value: anything('Value', 'With what; a list for IN and NIN.', 'ada@example.com'),
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
  does('create_contact', 'Create a contact', 'Makes a contact, who is a user or a lead.', {
    needs: { role: choice(['user', 'lead'], 'Role', 'Who signed up, or might.') },
    may: WRITTEN,
    output: CONTACT,
    call: 'POST /contacts',
  }),
  settles('update_contact', 'Change a contact', 'Sets what is given of a contact.', {
    needs: CONTACT_ID,
    may: WRITTEN,
    output: CONTACT,
    call: 'PUT /contacts/{contact}',
  }),
  does('create_note', 'Write a note', 'Writes a note on a contact, which only colleagues see.', {
    needs: { ...CONTACT_ID, ...TEXT },
    may: ADMIN,
    output: outputOf({ id: idOf('Id', 'Of the note.', '29') }),
    call: 'POST /contacts/{contact}/notes',
  }),
  asks('list_conversations', 'List conversations', 'Conversations, those that changed last first.', {
    item: CONVERSATION_OUTPUT,
    call: 'GET /conversations',
    query: { per_page: 150 },
    pages: byCursor({ items: 'conversations', cursor: 'pages.next.starting_after', parameter: 'starting_after' }),
  }),
  does('reply', 'Reply', 'Answers in a conversation, or leaves a note there for colleagues.', {
    needs: { ...CONVERSATION, ...ADMIN, ...TEXT },
    may: { message_type: choice(['comment', 'note'], 'Kind', 'An answer or a note.', { default: 'comment' }) },
    output: CONVERSATION_OUTPUT,
    call: 'POST /conversations/{conversation}/reply',
    body: { message_type: 'comment', type: 'admin' },
  }),
  does('close_conversation', 'Close a conversation', 'Closes a conversation, with a last word where there is one.', {
    needs: { ...CONVERSATION, ...ADMIN },
    may: TEXT,
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

export const intercom: Connector = {
  name: 'intercom',
  title: 'Intercom',
  description: 'Contacts and conversations with customers.',
  category: 'Support',
  docs: 'https://developers.intercom.com/docs/references/rest-api/api.intercom.io/',
  auth: {
    required: true,
    fields: [
      hidden('token', 'Access token', 'Of an app of yours: Developer Hub, Authentication.', 'dG9rOjAxMjM0NTY3'),
      shown('region', 'Region', 'Where the workspace is kept: `us`, `eu` or `au`.', 'eu', {
        required: false,
        default: 'us',
      }),
    ],
  },
  base(account) {
    const host = HOSTS.get(fieldOr(account, 'region', 'us').toLowerCase());
    if (host === undefined) throw new Unusable('"region" of the connection must be us, eu or au');
    return host;
  },
  sign: all(always({ 'intercom-version': '2.14' }), bearer('token')),
  fault: worded({
    message: [messageAt('errors', 0, 'message')],
    code: codeAt('errors[0].code'),
    wait: untilIn('x-ratelimit-reset'),
  }),
  probe: { action: 'get_me', input: {} },
  actions,
};

import type { Json } from '../../../lib/json';
import { bearer } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { ask, asks, commas, does, hidden, NOTHING, nothing, pick, settles } from '../define';
import { messageAt } from '../http/fault';
import { byBody, byCursor } from '../http/pages';
import { at } from '../http/path';
import { inside } from '../http/read';
import { codeAt, worded } from '../http/error-text';
import { anything, choice, idOf, integer, list, object, outputOf, record, text } from '../schemas';

const TYPE = {
  object_type: text('Kind', 'Such as `contacts`, `companies`, `deals`, `tickets`.', 'contacts', { minLength: 1 }),
};
const ID = { id: idOf('Id', 'Of the object.', '512') };
const PROPERTIES = record('Properties', 'Values by the names of the properties.', {
  email: 'ada@example.com',
  firstname: 'Ada',
});
const WANTED = { properties: list({ type: 'string' }, 'Properties', 'Which ones to answer.', ['email', 'firstname']) };
const OBJECT = outputOf({
  id: text('Id', 'Of the object.', '512'),
  properties: PROPERTIES,
  createdAt: text('Made at', 'When it was made.', '2026-01-01T00:00:00.000Z'),
  updatedAt: text('Changed at', 'When it was changed last.', '2026-01-02T00:00:00.000Z'),
});
const OPERATORS = [
  'EQ',
  'NEQ',
  'LT',
  'LTE',
  'GT',
  'GTE',
  'IN',
  'NOT_IN',
  'HAS_PROPERTY',
  'NOT_HAS_PROPERTY',
  'CONTAINS_TOKEN',
  'NOT_CONTAINS_TOKEN',
];
const FILTERS = list(
  object(
    {
      propertyName: text('Property', 'Its name.', 'email'),
      operator: choice(OPERATORS, 'Operator', 'How it is compared.'),
      value: anything('Value', 'With what; a list under `values` for IN and NOT_IN.', 'ada@example.com'),
      values: list({ type: 'string' }, 'Values', 'With which ones.', ['a', 'b']),
    },
    'Filter',
    'One condition.',
    { required: ['propertyName', 'operator'] },
  ),
  'Filters',
  'Conditions that must all be met.',
  [{ propertyName: 'email', operator: 'EQ', value: 'ada@example.com' }],
  { maxItems: 6 },
);

const groupsOf = (filters: Json | undefined): Json => (filters === undefined ? [] : [{ filters }]);

const actions: readonly HttpAction[] = [
  asks('get_account', 'Get my account', 'The account of HubSpot that the connection belongs to.', {
    output: outputOf({
      portalId: integer('Account', 'Its number.', 1234567),
      timeZone: text('Time zone', 'Of the account.', 'Europe/Berlin'),
    }),
    call: 'GET /account-info/2026-03/details',
  }),
  asks('list_objects', 'List objects', 'Objects of a kind.', {
    needs: TYPE,
    may: WANTED,
    item: OBJECT,
    request: (input) => ({
      method: 'GET',
      url: at`/crm/objects/2026-03/${input.object_type}`,
      query: { limit: 100, properties: commas(input.properties) },
    }),
    pages: byCursor({ items: 'results', cursor: 'paging.next.after', parameter: 'after' }),
  }),
  asks(
    'search_objects',
    'Search objects',
    'Objects of a kind that meet conditions, or hold words. At most 10,000 can be found.',
    {
      needs: TYPE,
      may: {
        filters: FILTERS,
        query: text('Words', 'In the properties that are searched by default.', 'Lovelace'),
        sorts: list({ type: 'string' }, 'Order', 'By a property; with a minus in front, most first.', ['-createdate'], {
          maxItems: 1,
        }),
        ...WANTED,
      },
      item: OBJECT,
      request: (input) => ({
        method: 'POST',
        url: at`/crm/objects/2026-03/${input.object_type}/search`,
        body: { limit: 100, filterGroups: groupsOf(input.filters), ...pick(input, 'query', 'sorts', 'properties') },
      }),
      pages: byBody({ items: 'results', cursor: 'paging.next.after', member: 'after' }),
    },
  ),
  asks('get_object', 'Get an object', 'One object by its id, or by the value of a property that tells objects apart.', {
    needs: { ...TYPE, ...ID },
    may: { id_property: text('By', 'The property that `id` is a value of.', 'email'), ...WANTED },
    output: OBJECT,
    request: (input) => ({
      method: 'GET',
      url: at`/crm/objects/2026-03/${input.object_type}/${input.id}`,
      query: { properties: commas(input.properties), idProperty: ask(input, 'id_property').id_property },
    }),
  }),
  does('create_object', 'Create an object', 'Makes an object of a kind.', {
    needs: { ...TYPE, properties: PROPERTIES },
    output: OBJECT,
    call: 'POST /crm/objects/2026-03/{object_type}',
  }),
  settles('update_object', 'Change an object', 'Sets the properties that are given; others stay.', {
    needs: { ...TYPE, ...ID, properties: PROPERTIES },
    output: OBJECT,
    call: 'PATCH /crm/objects/2026-03/{object_type}/{id}',
  }),
  settles('upsert_contact', 'Create or change a contact', 'Changes the contact with an e-mail address, or makes it.', {
    needs: {
      email: text('E-mail address', 'Of the contact.', 'ada@example.com', { minLength: 1 }),
      properties: PROPERTIES,
    },
    output: OBJECT,
    request: ({ email, properties }) => ({
      method: 'POST',
      url: '/crm/objects/2026-03/contacts/batch/upsert',
      body: { inputs: [{ idProperty: 'email', id: email ?? null, properties: properties ?? {} }] },
    }),
    read: inside('results[0]'),
  }),
  settles('link_objects', 'Link two objects', 'Makes the usual association between two objects.', {
    needs: {
      ...TYPE,
      ...ID,
      to_type: text('To kind', 'Of the other object.', 'companies', { minLength: 1 }),
      to_id: idOf('To', 'The id of the other object.', '77'),
    },
    output: NOTHING,
    call: 'PUT /crm/objects/2026-03/{object_type}/{id}/associations/default/{to_type}/{to_id}',
    read: nothing,
  }),
];

export const hubspot: Connector = {
  name: 'hubspot',
  title: 'HubSpot',
  description: 'Contacts, companies, deals and other objects of the CRM.',
  category: 'CRM',
  docs: 'https://developers.hubspot.com/docs/api-reference/overview',
  auth: {
    required: true,
    fields: [
      hidden(
        'token',
        'Access token',
        'Of a private app, with the scopes that the actions need.',
        'pat-eu1-01234567-89ab',
      ),
    ],
  },
  base: () => 'https://api.hubapi.com',
  sign: bearer('token'),
  fault: worded({
    message: [messageAt('message')],
    code: codeAt('category'),
    // Ten seconds are what its limits are counted over.
    wait: ({ status }) => (status === 429 ? 10_000 : null),
  }),
  probe: { action: 'get_account', input: {} },
  actions,
};

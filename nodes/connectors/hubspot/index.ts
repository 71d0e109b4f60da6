import type { Json } from '../../../lib/json';
import { bearer } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byBody, byCursor } from '../http/pages';
import { urlPath } from '../http/path';
import { outputAt } from '../http/read';
import { codeAt, faultFrom } from '../http/error-text';
import { anyId, anyValue, choice, filledText, integer, list, object, outputOf, record, text } from '../../schema';
import { secretField } from '../credentials';
import { commaSeparated, pick, queryFrom } from '../input';
import { NO_OUTPUT, defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const TYPE = {
  object_type: filledText('Such as `contacts`, `companies`, `deals`, `tickets`.', 'contacts'),
};
const ID = { id: anyId('Of the object.', '512') };
const PROPERTIES = record('Values by the names of the properties.', {
  email: 'ada@example.com',
  firstname: 'Ada',
});
const WANTED = { properties: list({ type: 'string' }, 'Which ones to answer.', ['email', 'firstname']) };
const OBJECT = outputOf({
  id: text('Of the object.', '512'),
  properties: PROPERTIES,
  createdAt: text('When it was made.', '2026-01-01T00:00:00.000Z'),
  updatedAt: text('When it was changed last.', '2026-01-02T00:00:00.000Z'),
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
      propertyName: text('Its name.', 'email'),
      operator: choice(OPERATORS, 'How it is compared.'),
      value: anyValue('With what; a list under `values` for IN and NOT_IN.', 'ada@example.com'),
      values: list({ type: 'string' }, 'With which ones.', ['a', 'b']),
    },
    'One condition.',
    { required: ['propertyName', 'operator'] },
  ),
  'Conditions that must all be met.',
  [{ propertyName: 'email', operator: 'EQ', value: 'ada@example.com' }],
  { maxItems: 6 },
);

const groupsOf = (filters: Json | undefined): Json => (filters === undefined ? [] : [{ filters }]);

const actions: readonly HttpAction[] = [
  readAction('get_account', 'The account of HubSpot that the connection belongs to.', {
    output: outputOf({
      portalId: integer('Its number.', 1234567),
      timeZone: text('Of the account.', 'Europe/Berlin'),
    }),
    call: 'GET /account-info/2026-03/details',
  }),
  readAction('list_objects', 'Objects of a kind.', {
    required: TYPE,
    optional: WANTED,
    item: OBJECT,
    request: (input) => ({
      method: 'GET',
      url: urlPath`/crm/objects/2026-03/${input.object_type}`,
      query: { limit: 100, properties: commaSeparated(input.properties) },
    }),
    pages: byCursor({ items: 'results', cursor: 'paging.next.after', parameter: 'after' }),
  }),
  readAction('search_objects', 'Objects of a kind that meet conditions, or hold words. At most 10,000 can be found.', {
    required: TYPE,
    optional: {
      filters: FILTERS,
      query: text('In the properties that are searched by default.', 'Lovelace'),
      sorts: list({ type: 'string' }, 'By a property; with a minus in front, most first.', ['-createdate'], {
        maxItems: 1,
      }),
      ...WANTED,
    },
    item: OBJECT,
    request: (input) => ({
      method: 'POST',
      url: urlPath`/crm/objects/2026-03/${input.object_type}/search`,
      body: { limit: 100, filterGroups: groupsOf(input.filters), ...pick(input, 'query', 'sorts', 'properties') },
    }),
    pages: byBody({ items: 'results', cursor: 'paging.next.after', member: 'after' }),
  }),
  readAction('get_object', 'One object by its id, or by the value of a property that tells objects apart.', {
    required: { ...TYPE, ...ID },
    optional: { id_property: text('The property that `id` is a value of.', 'email'), ...WANTED },
    output: OBJECT,
    request: (input) => ({
      method: 'GET',
      url: urlPath`/crm/objects/2026-03/${input.object_type}/${input.id}`,
      query: { properties: commaSeparated(input.properties), idProperty: queryFrom(input, 'id_property').id_property },
    }),
  }),
  writeAction('create_object', 'Makes an object of a kind.', {
    required: { ...TYPE, properties: PROPERTIES },
    output: OBJECT,
    call: 'POST /crm/objects/2026-03/{object_type}',
  }),
  idempotentWrite('update_object', 'Sets the properties that are given; others stay.', {
    required: { ...TYPE, ...ID, properties: PROPERTIES },
    output: OBJECT,
    call: 'PATCH /crm/objects/2026-03/{object_type}/{id}',
  }),
  idempotentWrite('upsert_contact', 'Changes the contact with an e-mail address, or makes it.', {
    required: {
      email: filledText('Of the contact.', 'ada@example.com'),
      properties: PROPERTIES,
    },
    output: OBJECT,
    request: ({ email, properties }) => ({
      method: 'POST',
      url: '/crm/objects/2026-03/contacts/batch/upsert',
      body: { inputs: [{ idProperty: 'email', id: email ?? null, properties: properties ?? {} }] },
    }),
    read: outputAt('results[0]'),
  }),
  idempotentWrite('link_objects', 'Makes the usual association between two objects.', {
    required: {
      ...TYPE,
      ...ID,
      to_type: filledText('Of the other object.', 'companies'),
      to_id: anyId('The id of the other object.', '77'),
    },
    ...NO_OUTPUT,
    call: 'PUT /crm/objects/2026-03/{object_type}/{id}/associations/default/{to_type}/{to_id}',
  }),
];

export const hubspot = defineConnector({
  name: 'hubspot',
  title: 'HubSpot',
  description: 'Contacts, companies, deals and other objects of the CRM.',
  category: 'CRM',
  docs: 'https://developers.hubspot.com/docs/api-reference/overview',

  fields: [
    secretField(
      'token',
      'Access token',
      'Of a private app, with the scopes that the actions need.',
      'pat-eu1-01234567-89ab',
    ),
  ],
  base: 'https://api.hubapi.com',
  sign: bearer('token'),
  fault: faultFrom({
    message: [messageAt('message')],
    code: codeAt('category'),
    // Ten seconds are what its limits are counted over.
    retryAfterMs: ({ status }) => (status === 429 ? 10_000 : null),
  }),
  probe: 'get_account',
  actions,
});

import type { Json } from '../../../lib/json';
import { bearer } from '../auth';
import type { HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byBodyCursor, byCursor } from '../http/pages';
import { urlPath } from '../http/path';
import { outputAt } from '../http/read';
import { codeAt, faultFrom } from '../http/error-text';
import { anyId, anyValue, choice, filledText, integer, list, object, outputOf, record, text } from '../../schema';
import { secretField } from '../credentials';
import { commaSeparated, pick, queryFrom } from '../input';
import { NO_OUTPUT, defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const TYPE = {
  object_type: filledText('Object type, such as `contacts`, `companies`, `deals` or `tickets`.', 'contacts'),
};
const ID = { id: anyId('ID of the object.', '512') };
const PROPERTIES = record('Values by property name.', { email: 'ada@example.com', firstname: 'Ada' });
const WANTED = { properties: list({ type: 'string' }, 'Properties to return.', ['email', 'firstname']) };
const OBJECT = outputOf({
  id: text('ID of the object.', '512'),
  properties: PROPERTIES,
  createdAt: text('Creation time.', '2026-01-01T00:00:00.000Z'),
  updatedAt: text('Time of the last update.', '2026-01-02T00:00:00.000Z'),
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
      propertyName: text('Name of the property.', 'email'),
      operator: choice(OPERATORS, 'Comparison operator.'),
      value: anyValue('Value to compare with; for IN and NOT_IN use `values`.', 'ada@example.com'),
      values: list({ type: 'string' }, 'Values to compare with.', ['a', 'b']),
    },
    'A condition.',
    { required: ['propertyName', 'operator'] },
  ),
  'Conditions that must all match.',
  [{ propertyName: 'email', operator: 'EQ', value: 'ada@example.com' }],
  { maxItems: 6 },
);

const groupsOf = (filters: Json | undefined): Json => (filters === undefined ? [] : [{ filters }]);

const actions: readonly HttpAction[] = [
  readAction('get_account', 'Returns the HubSpot account of the connection.', {
    output: outputOf({
      portalId: integer('ID of the HubSpot account.', 1234567),
      timeZone: text('Time zone of the account.', 'Europe/Berlin'),
    }),
    call: 'GET /account-info/2026-03/details',
  }),
  readAction('list_objects', 'Lists objects of the given type.', {
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
  readAction('search_objects', 'Searches objects of the given type by filters or text. Returns at most 10,000.', {
    required: TYPE,
    optional: {
      filters: FILTERS,
      query: text('Text to search for in the default searchable properties.', 'Lovelace'),
      sorts: list(
        { type: 'string' },
        'Property to sort by; a leading minus sorts in descending order.',
        ['-createdate'],
        { maxItems: 1 },
      ),
      ...WANTED,
    },
    item: OBJECT,
    request: (input) => ({
      method: 'POST',
      url: urlPath`/crm/objects/2026-03/${input.object_type}/search`,
      body: { limit: 100, filterGroups: groupsOf(input.filters), ...pick(input, 'query', 'sorts', 'properties') },
    }),
    pages: byBodyCursor({ items: 'results', cursor: 'paging.next.after', member: 'after' }),
  }),
  readAction('get_object', 'Returns an object by its ID or by the value of a unique property.', {
    required: { ...TYPE, ...ID },
    optional: {
      id_property: text('Unique property that `id` is a value of. Default: the object ID.', 'email'),
      ...WANTED,
    },
    output: OBJECT,
    request: (input) => ({
      method: 'GET',
      url: urlPath`/crm/objects/2026-03/${input.object_type}/${input.id}`,
      query: { properties: commaSeparated(input.properties), idProperty: queryFrom(input, 'id_property').id_property },
    }),
  }),
  writeAction('create_object', 'Creates an object of the given type.', {
    required: { ...TYPE, properties: PROPERTIES },
    output: OBJECT,
    call: 'POST /crm/objects/2026-03/{object_type}',
  }),
  idempotentWrite('update_object', 'Updates the given properties; other properties are unchanged.', {
    required: { ...TYPE, ...ID, properties: PROPERTIES },
    output: OBJECT,
    call: 'PATCH /crm/objects/2026-03/{object_type}/{id}',
  }),
  idempotentWrite('upsert_contact', 'Creates a contact, or updates the contact with this email address.', {
    required: { email: filledText('Email of the contact.', 'ada@example.com'), properties: PROPERTIES },
    output: OBJECT,
    request: ({ email, properties }) => ({
      method: 'POST',
      url: '/crm/objects/2026-03/contacts/batch/upsert',
      body: { inputs: [{ idProperty: 'email', id: email ?? null, properties: properties ?? {} }] },
    }),
    read: outputAt('results[0]'),
  }),
  idempotentWrite('link_objects', 'Creates the default association between two objects.', {
    required: {
      ...TYPE,
      ...ID,
      to_type: filledText('Type of the other object.', 'companies'),
      to_id: anyId('ID of the other object.', '77'),
    },
    ...NO_OUTPUT,
    call: 'PUT /crm/objects/2026-03/{object_type}/{id}/associations/default/{to_type}/{to_id}',
  }),
];

export const hubspot = defineConnector({
  name: 'hubspot',
  title: 'HubSpot',
  description: 'Manage contacts, companies, deals and other CRM objects.',
  category: 'CRM',
  docs: 'https://developers.hubspot.com/docs/api-reference/overview',

  fields: [
    secretField(
      'token',
      'Access token',
      'Access token of a private app with the scopes that the actions need.',
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
  connectionTest: 'get_account',
  actions,
});

import type { Json, JsonObject } from '../../../lib/json';
import { headerKey, oauthOr } from '../auth';
import type { HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byCursor } from '../http/pages';
import { outputAt } from '../http/read';
import { secondsInHeader, faultFrom } from '../http/error-text';
import { choice, filledText, flag, integer, number, outputOf, record, text } from '../../schema';
import { secretField } from '../credentials';
import { pick } from '../input';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const DEAL_ID = { deal: integer('ID of the deal.', 42, { minimum: 1 }) };
const STATUS = choice(['open', 'won', 'lost'], 'Status of the incident.');
const TITLE = filledText('Name.', 'Order of 100 lamps');
const DEAL = {
  value: number('Value of the deal.', 5000),
  currency: text('ISO 4217 currency code.', 'EUR'),
  person_id: integer('ID of a person.', 7),
  org_id: integer('ID of an organization.', 9),
  owner_id: integer('ID of a user.', 3),
  stage_id: integer('ID of a pipeline stage.', 2),
  expected_close_date: text('Expected close date.', '2026-12-31'),
  status: STATUS,
  custom_fields: record('Values by field key.', { '8b2f': 'web' }),
};
const DEAL_OUTPUT = outputOf({ id: integer('ID of the deal.', 42), title: TITLE });
const PERSON_OUTPUT = outputOf({
  id: integer('ID of the person.', 7),
  name: text('Name of the person.', 'Ada Lovelace'),
});
const CURSOR = { cursor: 'additional_data.next_cursor', parameter: 'cursor' };
const read = outputAt('data');

/** An address or number as a list, which this API requires. */
const primary = (name: string, value: Json | undefined): JsonObject =>
  value === undefined ? {} : { [name]: [{ value, primary: true, label: 'work' }] };

const actions: readonly HttpAction[] = [
  readAction('get_me', 'Returns the user of the connection.', {
    output: outputOf({
      id: integer('ID of the user.', 3),
      name: text('Display name.', 'Grace Hopper'),
      company_name: text('Company name of the account.', 'Acme'),
    }),
    call: 'GET /api/v1/users/me',
    read,
  }),
  readAction('list_deals', 'Lists deals, most recently updated first.', {
    optional: {
      status: STATUS,
      stage_id: DEAL.stage_id,
      person_id: DEAL.person_id,
      updated_since: text('Time in ISO 8601 format.', '2026-01-01T00:00:00Z'),
    },
    item: DEAL_OUTPUT,
    call: 'GET /api/v2/deals',
    query: { limit: 500, sort_by: 'update_time', sort_direction: 'desc' },
    pages: byCursor({ items: 'data', ...CURSOR }),
  }),
  readAction('get_deal', 'Returns a deal.', {
    required: DEAL_ID,
    output: DEAL_OUTPUT,
    call: 'GET /api/v2/deals/{deal}',
    read,
  }),
  writeAction('create_deal', 'Creates a deal.', {
    required: { title: TITLE },
    optional: DEAL,
    output: DEAL_OUTPUT,
    call: 'POST /api/v2/deals',
    read,
  }),
  idempotentWrite('update_deal', 'Updates the given fields of a deal, such as its stage or status.', {
    required: DEAL_ID,
    optional: { title: TITLE, ...DEAL, lost_reason: text('Reason why the deal was lost.', 'Too late') },
    output: DEAL_OUTPUT,
    call: 'PATCH /api/v2/deals/{deal}',
    read,
  }),
  readAction('search_persons', 'Searches persons by name, email address, phone number or notes.', {
    required: { term: text('Search term of at least two characters.', 'ada@example.com', { minLength: 2 }) },
    optional: { exact_match: flag('Only exact matches.', { default: false }) },
    item: outputOf({ item: { ...PERSON_OUTPUT, title: 'Person', description: 'The person found.' } }),
    call: 'GET /api/v2/persons/search',
    query: { limit: 100 },
    pages: byCursor({ items: 'data.items', ...CURSOR }),
  }),
  writeAction('create_person', 'Creates a person.', {
    required: { name: filledText('Name of the person.', 'Ada Lovelace') },
    optional: {
      email: text('Email of the person.', 'ada@example.com'),
      phone: text('Phone number.', '+4930123456'),
      org_id: DEAL.org_id,
    },
    output: PERSON_OUTPUT,
    request: (input) => ({
      method: 'POST',
      url: '/api/v2/persons',
      body: { ...pick(input, 'name', 'org_id'), ...primary('emails', input.email), ...primary('phones', input.phone) },
    }),
    read,
  }),
  writeAction('create_note', 'Adds a note to a deal or person.', {
    required: { content: filledText('Content in HTML.', 'Wants a <b>discount</b>.') },
    optional: { deal_id: integer('ID of the deal.', 42), person_id: DEAL.person_id },
    output: outputOf({ id: integer('ID of the note.', 11) }),
    call: 'POST /api/v1/notes',
    read,
  }),
];

export const pipedrive = defineConnector({
  name: 'pipedrive',
  title: 'Pipedrive',
  description: 'Manage deals, persons and notes.',
  category: 'CRM',
  docs: 'https://developers.pipedrive.com/docs/api/v1',

  fields: [
    secretField('api_token', 'API token', 'Personal preferences > API.', '0123456789abcdef0123456789abcdef01234567'),
  ],
  base: 'https://api.pipedrive.com',
  sign: oauthOr(headerKey('x-api-token', 'api_token')),
  fault: faultFrom({ message: [messageAt('error')], retryAfterMs: secondsInHeader('x-ratelimit-reset') }),
  connectionTest: 'get_me',
  actions,
});

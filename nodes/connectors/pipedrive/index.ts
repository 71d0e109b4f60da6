import type { Json, JsonObject } from '../../../lib/json';
import { headerKey } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byCursor } from '../http/pages';
import { outputAt } from '../http/read';
import { secondsInHeader, faultFrom } from '../http/error-text';
import { choice, filledText, flag, integer, number, outputOf, record, text } from '../../schema';
import { secretField } from '../credentials';
import { pick } from '../input';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const DEAL_ID = { deal: integer('Its id.', 42, { minimum: 1 }) };
const STATUS = choice(['open', 'won', 'lost'], 'How it stands.');
const TITLE = filledText('What people read on it.', 'Order of 100 lamps');
const DEAL = {
  value: number('Of the deal.', 5000),
  currency: text('By ISO 4217.', 'EUR'),
  person_id: integer('The id of a person.', 7),
  org_id: integer('The id of an organization.', 9),
  owner_id: integer('The id of a user.', 3),
  stage_id: integer('The id of a stage of a pipeline.', 2),
  expected_close_date: text('The date on which it should be decided.', '2026-12-31'),
  status: STATUS,
  custom_fields: record('Values by the keys of the fields.', { '8b2f': 'web' }),
};
const DEAL_OUTPUT = outputOf({ id: integer('Of the deal.', 42), title: TITLE });
const PERSON_OUTPUT = outputOf({
  id: integer('Of the person.', 7),
  name: text('Of the person.', 'Ada Lovelace'),
});
const CURSOR = { cursor: 'additional_data.next_cursor', parameter: 'cursor' };
const read = outputAt('data');

/** One address or number as the list that this API wants. */
const primary = (name: string, value: Json | undefined): JsonObject =>
  value === undefined ? {} : { [name]: [{ value, primary: true, label: 'work' }] };

const actions: readonly HttpAction[] = [
  readAction('get_me', 'The user that the connection acts for.', {
    output: outputOf({
      id: integer('Of the user.', 3),
      name: text('As people read it.', 'Grace Hopper'),
      company_name: text('Of the account.', 'Acme'),
    }),
    call: 'GET /api/v1/users/me',
    read,
  }),
  readAction('list_deals', 'Deals, those that changed last first.', {
    optional: {
      status: STATUS,
      stage_id: DEAL.stage_id,
      person_id: DEAL.person_id,
      updated_since: text('An instant.', '2026-01-01T00:00:00Z'),
    },
    item: DEAL_OUTPUT,
    call: 'GET /api/v2/deals',
    query: { limit: 500, sort_by: 'update_time', sort_direction: 'desc' },
    pages: byCursor({ items: 'data', ...CURSOR }),
  }),
  readAction('get_deal', 'One deal.', {
    required: DEAL_ID,
    output: DEAL_OUTPUT,
    call: 'GET /api/v2/deals/{deal}',
    read,
  }),
  writeAction('create_deal', 'Makes a deal.', {
    required: { title: TITLE },
    optional: DEAL,
    output: DEAL_OUTPUT,
    call: 'POST /api/v2/deals',
    read,
  }),
  idempotentWrite('update_deal', 'Sets what is given of a deal, moves it, or says how it ended.', {
    required: DEAL_ID,
    optional: { title: TITLE, ...DEAL, lost_reason: text('Why it was lost.', 'Too late') },
    output: DEAL_OUTPUT,
    call: 'PATCH /api/v2/deals/{deal}',
    read,
  }),
  readAction('search_persons', 'Persons by name, e-mail address, telephone number or notes.', {
    required: { term: text('At least two characters.', 'ada@example.com', { minLength: 2 }) },
    optional: { exact_match: flag('Only what is just the same.', { default: false }) },
    item: outputOf({ item: { ...PERSON_OUTPUT, title: 'Person', description: 'Who was found.' } }),
    call: 'GET /api/v2/persons/search',
    query: { limit: 100 },
    pages: byCursor({ items: 'data.items', ...CURSOR }),
  }),
  writeAction('create_person', 'Makes a person.', {
    required: { name: filledText('Of the person.', 'Ada Lovelace') },
    optional: {
      email: text('Of the person.', 'ada@example.com'),
      phone: text('A number.', '+4930123456'),
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
  writeAction('create_note', 'Writes a note to a deal or a person.', {
    required: { content: filledText('In HTML.', 'Wants a <b>discount</b>.') },
    optional: { deal_id: integer('Its id.', 42), person_id: DEAL.person_id },
    output: outputOf({ id: integer('Of the note.', 11) }),
    call: 'POST /api/v1/notes',
    read,
  }),
];

export const pipedrive = defineConnector({
  name: 'pipedrive',
  title: 'Pipedrive',
  description: 'Deals, persons and notes of the CRM.',
  category: 'CRM',
  docs: 'https://developers.pipedrive.com/docs/api/v1',

  fields: [
    secretField('api_token', 'API token', 'Personal preferences, API.', '0123456789abcdef0123456789abcdef01234567'),
  ],
  base: 'https://api.pipedrive.com',
  sign: headerKey('x-api-token', 'api_token'),
  fault: faultFrom({ message: [messageAt('error')], retryAfterMs: secondsInHeader('x-ratelimit-reset') }),
  probe: 'get_me',
  actions,
});

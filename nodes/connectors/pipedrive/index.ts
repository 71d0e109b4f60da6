import type { Json, JsonObject } from '../../../lib/json';
import { headerKey } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { asks, does, hidden, pick, settles } from '../define';
import { messageAt } from '../http/fault';
import { byCursor } from '../http/pages';
import { inside } from '../http/read';
import { secondsIn, worded } from '../http/error-text';
import { choice, flag, integer, number, outputOf, record, text } from '../schemas';

const DEAL_ID = { deal: integer('Deal', 'Its id.', 42, { minimum: 1 }) };
const STATUS = choice(['open', 'won', 'lost'], 'Status', 'How it stands.');
const TITLE = text('Title', 'What people read on it.', 'Order of 100 lamps', { minLength: 1 });
const DEAL = {
  value: number('Value', 'Of the deal.', 5000),
  currency: text('Currency', 'By ISO 4217.', 'EUR'),
  person_id: integer('Person', 'The id of a person.', 7),
  org_id: integer('Organization', 'The id of an organization.', 9),
  owner_id: integer('Owner', 'The id of a user.', 3),
  stage_id: integer('Stage', 'The id of a stage of a pipeline.', 2),
  expected_close_date: text('Expected', 'The date on which it should be decided.', '2026-12-31'),
  status: STATUS,
  custom_fields: record('Custom fields', 'Values by the keys of the fields.', { '8b2f': 'web' }),
};
const DEAL_OUTPUT = outputOf({ id: integer('Id', 'Of the deal.', 42), title: TITLE });
const PERSON_OUTPUT = outputOf({
  id: integer('Id', 'Of the person.', 7),
  name: text('Name', 'Of the person.', 'Ada Lovelace'),
});
const CURSOR = { cursor: 'additional_data.next_cursor', parameter: 'cursor' };
const read = inside('data');

/** One address or number as the list that this API wants. */
const primary = (name: string, value: Json | undefined): JsonObject =>
  value === undefined ? {} : { [name]: [{ value, primary: true, label: 'work' }] };

const actions: readonly HttpAction[] = [
  asks('get_me', 'Get my account', 'The user that the connection acts for.', {
    output: outputOf({
      id: integer('Id', 'Of the user.', 3),
      name: text('Name', 'As people read it.', 'Grace Hopper'),
      company_name: text('Company', 'Of the account.', 'Acme'),
    }),
    call: 'GET /api/v1/users/me',
    read,
  }),
  asks('list_deals', 'List deals', 'Deals, those that changed last first.', {
    may: {
      status: STATUS,
      stage_id: DEAL.stage_id,
      person_id: DEAL.person_id,
      updated_since: text('Changed since', 'An instant.', '2026-01-01T00:00:00Z'),
    },
    item: DEAL_OUTPUT,
    call: 'GET /api/v2/deals',
    query: { limit: 500, sort_by: 'update_time', sort_direction: 'desc' },
    pages: byCursor({ items: 'data', ...CURSOR }),
  }),
  asks('get_deal', 'Get a deal', 'One deal.', {
    needs: DEAL_ID,
    output: DEAL_OUTPUT,
    call: 'GET /api/v2/deals/{deal}',
    read,
  }),
  does('create_deal', 'Create a deal', 'Makes a deal.', {
    needs: { title: TITLE },
    may: DEAL,
    output: DEAL_OUTPUT,
    call: 'POST /api/v2/deals',
    read,
  }),
  settles('update_deal', 'Change a deal', 'Sets what is given of a deal, moves it, or says how it ended.', {
    needs: DEAL_ID,
    may: { title: TITLE, ...DEAL, lost_reason: text('Reason', 'Why it was lost.', 'Too late') },
    output: DEAL_OUTPUT,
    call: 'PATCH /api/v2/deals/{deal}',
    read,
  }),
  asks('search_persons', 'Search persons', 'Persons by name, e-mail address, telephone number or notes.', {
    needs: { term: text('Words', 'At least two characters.', 'ada@example.com', { minLength: 2 }) },
    may: { exact_match: flag('Exact', 'Only what is just the same.', { default: false }) },
    item: outputOf({ item: { ...PERSON_OUTPUT, title: 'Person', description: 'Who was found.' } }),
    call: 'GET /api/v2/persons/search',
    query: { limit: 100 },
    pages: byCursor({ items: 'data.items', ...CURSOR }),
  }),
  does('create_person', 'Create a person', 'Makes a person.', {
    needs: { name: text('Name', 'Of the person.', 'Ada Lovelace', { minLength: 1 }) },
    may: {
      email: text('E-mail address', 'Of the person.', 'ada@example.com'),
      phone: text('Telephone', 'A number.', '+4930123456'),
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
  does('create_note', 'Write a note', 'Writes a note to a deal or a person.', {
    needs: { content: text('Text', 'In HTML.', 'Wants a <b>discount</b>.', { minLength: 1 }) },
    may: { deal_id: integer('Deal', 'Its id.', 42), person_id: DEAL.person_id },
    output: outputOf({ id: integer('Id', 'Of the note.', 11) }),
    call: 'POST /api/v1/notes',
    read,
  }),
];

export const pipedrive: Connector = {
  name: 'pipedrive',
  title: 'Pipedrive',
  description: 'Deals, persons and notes of the CRM.',
  category: 'CRM',
  docs: 'https://developers.pipedrive.com/docs/api/v1',
  auth: {
    required: true,
    fields: [
      hidden('api_token', 'API token', 'Personal preferences, API.', '0123456789abcdef0123456789abcdef01234567'),
    ],
  },
  base: () => 'https://api.pipedrive.com',
  sign: headerKey('x-api-token', 'api_token'),
  fault: worded({ message: [messageAt('error')], wait: secondsIn('x-ratelimit-reset') }),
  probe: { action: 'get_me', input: {} },
  actions,
};

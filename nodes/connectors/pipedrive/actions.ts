import type { Json, JsonObject } from '../../../lib/json';
import type { HttpAction } from '../contract';
import { ask, asks, does, pick, settles } from '../define';
import { byCursor } from '../http/pages';
import { at } from '../http/path';
import { inside } from '../http/read';
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

export const actions: readonly HttpAction[] = [
  asks('get_me', 'Get my account', 'The user that the connection acts for.', {
    output: outputOf({
      id: integer('Id', 'Of the user.', 3),
      name: text('Name', 'As people read it.', 'Grace Hopper'),
      company_name: text('Company', 'Of the account.', 'Acme'),
    }),
    request: () => ({ method: 'GET', url: '/api/v1/users/me' }),
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
    request: (input) => ({
      method: 'GET',
      url: '/api/v2/deals',
      query: {
        limit: 500,
        sort_by: 'update_time',
        sort_direction: 'desc',
        ...ask(input, 'status', 'stage_id', 'person_id', 'updated_since'),
      },
    }),
    pages: byCursor({ items: 'data', ...CURSOR }),
  }),
  asks('get_deal', 'Get a deal', 'One deal.', {
    needs: DEAL_ID,
    output: DEAL_OUTPUT,
    request: ({ deal }) => ({ method: 'GET', url: at`/api/v2/deals/${deal}` }),
    read,
  }),
  does('create_deal', 'Create a deal', 'Makes a deal.', {
    needs: { title: TITLE },
    may: DEAL,
    output: DEAL_OUTPUT,
    request: (input) => ({
      method: 'POST',
      url: '/api/v2/deals',
      body: pick(input, 'title', ...Object.keys(DEAL)),
    }),
    read,
  }),
  settles('update_deal', 'Change a deal', 'Sets what is given of a deal, moves it, or says how it ended.', {
    needs: DEAL_ID,
    may: { title: TITLE, ...DEAL, lost_reason: text('Reason', 'Why it was lost.', 'Too late') },
    output: DEAL_OUTPUT,
    request: (input) => ({
      method: 'PATCH',
      url: at`/api/v2/deals/${input.deal}`,
      body: pick(input, 'title', 'lost_reason', ...Object.keys(DEAL)),
    }),
    read,
  }),
  asks('search_persons', 'Search persons', 'Persons by name, e-mail address, telephone number or notes.', {
    needs: { term: text('Words', 'At least two characters.', 'ada@example.com', { minLength: 2 }) },
    may: { exact_match: flag('Exact', 'Only what is just the same.', { default: false }) },
    item: outputOf({ item: { ...PERSON_OUTPUT, title: 'Person', description: 'Who was found.' } }),
    request: (input) => ({
      method: 'GET',
      url: '/api/v2/persons/search',
      query: { limit: 100, ...ask(input, 'term', 'exact_match') },
    }),
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
    request: (input) => ({
      method: 'POST',
      url: '/api/v1/notes',
      body: pick(input, 'content', 'deal_id', 'person_id'),
    }),
    read,
  }),
];

import type { Json, JsonObject } from '../../../lib/json';
import { all, always, headerKey } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { ask, asks, does, hidden, pick, settles } from '../define';
import { messageAt } from '../http/fault';
import { bodyAt, byOffset } from '../http/pages';
import { at } from '../http/path';
import { inside } from '../http/read';
import { codeAt, secondsIn, worded } from '../http/error-text';
import { choice, integer, list, outputOf, text } from '../schemas';

const INCIDENT = { incident: text('Incident', 'Its id.', 'PT4KHLK', { minLength: 1 }) };
const FROM = {
  from: text('From', 'The e-mail address of a user, in whose name it is done.', 'ada@example.com', { minLength: 3 }),
};
const URGENCY = choice(['high', 'low'], 'Urgency', 'How soon someone must respond.');
const INCIDENT_OUTPUT = outputOf({
  id: text('Id', 'Of the incident.', 'PT4KHLK'),
  incident_number: integer('Number', 'As people call it.', 1234),
  title: text('Title', 'What it is about.', 'The shop is down'),
  status: text('Status', '`triggered`, `acknowledged` or `resolved`.', 'triggered'),
  html_url: text('Page', 'Where people see it.', 'https://acme.pagerduty.com/incidents/PT4KHLK'),
});
const THING = outputOf({ id: text('Id', 'Of the thing.', 'PIJ90N7') });
const PAGE = { limit: 100, offset: 0 };
const pagesOf = (items: string) => byOffset({ items, offset: 'offset', size: 'limit', more: 'more' });
const reference = (id: Json | undefined, type: string): JsonObject => ({ id: id ?? null, type });
const fromHeader = ({ from }: JsonObject) => ({ from: String(from) });
const listed = (input: JsonObject, name: string) => ({ [`${name}[]`]: ask(input, name)[name] });

const actions: readonly HttpAction[] = [
  asks('list_services', 'List services', 'Services of the account.', {
    may: { query: text('Search', 'Words in the name.', 'shop') },
    item: THING,
    call: 'GET /services',
    query: { ...PAGE },
    pages: pagesOf('services'),
  }),
  asks('list_incidents', 'List incidents', 'Incidents, newest first.', {
    may: {
      statuses: list(
        choice(['triggered', 'acknowledged', 'resolved'], 'Status', 'How it stands.'),
        'Statuses',
        'Those.',
        ['triggered'],
      ),
      service_ids: list({ type: 'string' }, 'Services', 'Ids of services.', ['PIJ90N7']),
      since: text('Since', 'An instant.', '2026-01-01T00:00:00Z'),
      until: text('Until', 'An instant.', '2026-02-01T00:00:00Z'),
    },
    item: INCIDENT_OUTPUT,
    request: (input) => ({
      method: 'GET',
      url: '/incidents',
      query: {
        ...PAGE,
        sort_by: 'created_at:desc',
        ...ask(input, 'since', 'until'),
        ...listed(input, 'statuses'),
        ...listed(input, 'service_ids'),
      },
    }),
    pages: pagesOf('incidents'),
  }),
  asks('get_incident', 'Get an incident', 'One incident.', {
    needs: INCIDENT,
    output: INCIDENT_OUTPUT,
    call: 'GET /incidents/{incident}',
    read: inside('incident'),
  }),
  does('create_incident', 'Create an incident', 'Creates an incident of a service and notifies the people on call.', {
    needs: {
      ...FROM,
      service: text('Service', 'Its id.', 'PIJ90N7', { minLength: 1 }),
      title: text('Title', 'What it is about, in one line.', 'The shop is down', { minLength: 1 }),
    },
    may: {
      details: text('Details', 'What is known.', 'No answer since 12:00.'),
      urgency: URGENCY,
      incident_key: text('Key', 'No second incident is open with the same.', 'shop-down', { maxLength: 255 }),
    },
    output: INCIDENT_OUTPUT,
    request: (input) => ({
      method: 'POST',
      url: '/incidents',
      headers: fromHeader(input),
      body: {
        incident: {
          type: 'incident',
          title: input.title ?? null,
          service: reference(input.service, 'service_reference'),
          ...pick(input, 'urgency', 'incident_key'),
          ...(input.details === undefined ? {} : { body: { type: 'incident_body', details: input.details } }),
        },
      },
    }),
    read: inside('incident'),
  }),
  settles('update_incident', 'Change an incident', 'Acknowledges or resolves an incident, or changes its urgency.', {
    needs: { ...FROM, ...INCIDENT },
    may: {
      status: choice(['acknowledged', 'resolved'], 'Status', 'How it stands.'),
      urgency: URGENCY,
      resolution: text('Resolution', 'How it was resolved.', 'Started again.'),
    },
    output: INCIDENT_OUTPUT,
    request: (input) => ({
      method: 'PUT',
      url: at`/incidents/${input.incident}`,
      headers: fromHeader(input),
      body: { incident: { type: 'incident_reference', ...pick(input, 'status', 'urgency', 'resolution') } },
    }),
    read: inside('incident'),
  }),
  does('create_note', 'Write a note', 'Writes a note on an incident.', {
    needs: { ...FROM, ...INCIDENT, content: text('Text', 'Of the note.', 'Looking.', { minLength: 1 }) },
    output: outputOf({ id: text('Id', 'Of the note.', 'PWL7QXS') }),
    request: (input) => ({
      method: 'POST',
      url: at`/incidents/${input.incident}/notes`,
      headers: fromHeader(input),
      body: { note: pick(input, 'content') },
    }),
    read: inside('note'),
  }),
  asks('list_oncalls', 'List who is on call', 'Who is on call now, and for how long.', {
    may: { escalation_policy_ids: list({ type: 'string' }, 'Policies', 'Ids of escalation policies.', ['PT20YPA']) },
    item: outputOf({ escalation_level: integer('Level', 'Who is called first has 1.', 1) }),
    request: (input) => ({
      method: 'GET',
      url: '/oncalls',
      query: { ...PAGE, ...listed(input, 'escalation_policy_ids') },
    }),
    pages: pagesOf('oncalls'),
  }),
];

export const pagerduty: Connector = {
  name: 'pagerduty',
  title: 'PagerDuty',
  description: 'Incidents, services and who is on call.',
  category: 'Operations',
  docs: 'https://developer.pagerduty.com/api-reference/',
  auth: {
    required: true,
    fields: [hidden('api_key', 'API key', 'Integrations, API Access Keys.', 'u+0123456789abcdefgh')],
  },
  base: () => 'https://api.pagerduty.com',
  sign: all(
    always({ accept: 'application/vnd.pagerduty+json;version=2' }),
    headerKey('authorization', 'api_key', 'Token token='),
  ),
  fault: worded({
    message: [
      (answer) => {
        const message = messageAt('error', 'message')(answer);
        const why = bodyAt(answer, 'error.errors[0]');
        return message === null || typeof why !== 'string' ? message : `${message}: ${why}`;
      },
    ],
    code: codeAt('error.code'),
    wait: secondsIn('ratelimit-reset'),
  }),
  probe: { action: 'list_services', input: { limit: 1 } },
  actions,
};

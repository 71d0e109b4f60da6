import type { Json, JsonObject } from '../../../lib/json';
import { allOf, withDefaultHeaders, headerKey } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { bodyAt, byOffset } from '../http/pages';
import { urlPath } from '../http/path';
import { outputAt } from '../http/read';
import { codeAt, secondsInHeader, faultFrom } from '../http/error-text';
import { choice, filledText, integer, list, outputOf, text } from '../../schema';
import { secretField } from '../credentials';
import { pick, queryFrom } from '../input';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const INCIDENT = { incident: filledText('Its id.', 'PT4KHLK') };
const FROM = {
  from: text('The e-mail address of a user, in whose name it is done.', 'ada@example.com', { minLength: 3 }),
};
const URGENCY = choice(['high', 'low'], 'How soon someone must respond.');
const INCIDENT_OUTPUT = outputOf({
  id: text('Of the incident.', 'PT4KHLK'),
  incident_number: integer('As people call it.', 1234),
  title: text('What it is about.', 'The shop is down'),
  status: text('`triggered`, `acknowledged` or `resolved`.', 'triggered'),
  html_url: text('Where people see it.', 'https://acme.pagerduty.com/incidents/PT4KHLK'),
});
const THING = outputOf({ id: text('Of the thing.', 'PIJ90N7') });
const PAGE = { limit: 100, offset: 0 };
const pagesOf = (items: string) => byOffset({ items, offset: 'offset', size: 'limit', more: 'more' });
const reference = (id: Json | undefined, type: string): JsonObject => ({ id: id ?? null, type });
const fromHeader = ({ from }: JsonObject) => ({ from: String(from) });
const listed = (input: JsonObject, name: string) => ({ [`${name}[]`]: queryFrom(input, name)[name] });

const actions: readonly HttpAction[] = [
  readAction('list_services', 'Services of the account.', {
    optional: { query: text('Words in the name.', 'shop') },
    item: THING,
    call: 'GET /services',
    query: { ...PAGE },
    pages: pagesOf('services'),
  }),
  readAction('list_incidents', 'Incidents, newest first.', {
    optional: {
      statuses: list(choice(['triggered', 'acknowledged', 'resolved'], 'How it stands.'), 'Those.', ['triggered']),
      service_ids: list({ type: 'string' }, 'Ids of services.', ['PIJ90N7']),
      since: text('An instant.', '2026-01-01T00:00:00Z'),
      until: text('An instant.', '2026-02-01T00:00:00Z'),
    },
    item: INCIDENT_OUTPUT,
    request: (input) => ({
      method: 'GET',
      url: '/incidents',
      query: {
        ...PAGE,
        sort_by: 'created_at:desc',
        ...queryFrom(input, 'since', 'until'),
        ...listed(input, 'statuses'),
        ...listed(input, 'service_ids'),
      },
    }),
    pages: pagesOf('incidents'),
  }),
  readAction('get_incident', 'One incident.', {
    required: INCIDENT,
    output: INCIDENT_OUTPUT,
    call: 'GET /incidents/{incident}',
    read: outputAt('incident'),
  }),
  writeAction('create_incident', 'Creates an incident of a service and notifies the people on call.', {
    required: {
      ...FROM,
      service: filledText('Its id.', 'PIJ90N7'),
      title: filledText('What it is about, in one line.', 'The shop is down'),
    },
    optional: {
      details: text('What is known.', 'No answer since 12:00.'),
      urgency: URGENCY,
      incident_key: text('No second incident is open with the same.', 'shop-down', { maxLength: 255 }),
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
    read: outputAt('incident'),
  }),
  idempotentWrite('update_incident', 'Acknowledges or resolves an incident, or changes its urgency.', {
    required: { ...FROM, ...INCIDENT },
    optional: {
      status: choice(['acknowledged', 'resolved'], 'How it stands.'),
      urgency: URGENCY,
      resolution: text('How it was resolved.', 'Started again.'),
    },
    output: INCIDENT_OUTPUT,
    request: (input) => ({
      method: 'PUT',
      url: urlPath`/incidents/${input.incident}`,
      headers: fromHeader(input),
      body: { incident: { type: 'incident_reference', ...pick(input, 'status', 'urgency', 'resolution') } },
    }),
    read: outputAt('incident'),
  }),
  writeAction('create_note', 'Writes a note on an incident.', {
    required: { ...FROM, ...INCIDENT, content: filledText('Of the note.', 'Looking.') },
    output: outputOf({ id: text('Of the note.', 'PWL7QXS') }),
    request: (input) => ({
      method: 'POST',
      url: urlPath`/incidents/${input.incident}/notes`,
      headers: fromHeader(input),
      body: { note: pick(input, 'content') },
    }),
    read: outputAt('note'),
  }),
  readAction('list_oncalls', 'Who is on call now, and for how long.', {
    optional: { escalation_policy_ids: list({ type: 'string' }, 'Ids of escalation policies.', ['PT20YPA']) },
    item: outputOf({ escalation_level: integer('Who is called first has 1.', 1) }),
    request: (input) => ({
      method: 'GET',
      url: '/oncalls',
      query: { ...PAGE, ...listed(input, 'escalation_policy_ids') },
    }),
    pages: pagesOf('oncalls'),
  }),
];

export const pagerduty = defineConnector({
  name: 'pagerduty',
  title: 'PagerDuty',
  description: 'Incidents, services and who is on call.',
  category: 'Operations',
  docs: 'https://developer.pagerduty.com/api-reference/',

  fields: [secretField('api_key', 'API key', 'Integrations, API Access Keys.', 'u+0123456789abcdefgh')],
  base: 'https://api.pagerduty.com',
  sign: allOf(
    withDefaultHeaders({ accept: 'application/vnd.pagerduty+json;version=2' }),
    headerKey('authorization', 'api_key', 'Token token='),
  ),
  fault: faultFrom({
    message: [
      (answer) => {
        const message = messageAt('error', 'message')(answer);
        const why = bodyAt(answer, 'error.errors[0]');
        return message === null || typeof why !== 'string' ? message : `${message}: ${why}`;
      },
    ],
    code: codeAt('error.code'),
    retryAfterMs: secondsInHeader('ratelimit-reset'),
  }),
  probe: { action: 'list_services', input: { limit: 1 } },
  actions,
});

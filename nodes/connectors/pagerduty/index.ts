import type { Json, JsonObject } from '../../../lib/json';
import { allOf, withDefaultHeaders, headerKey } from '../auth';
import type { HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { bodyAt, byOffset } from '../http/pages';
import { urlPath } from '../http/path';
import { outputAt } from '../http/read';
import { codeAt, secondsInHeader, faultFrom } from '../http/error-text';
import { choice, filledText, integer, list, outputOf, text } from '../../schema';
import { secretField } from '../credentials';
import { pick, queryFrom } from '../input';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const INCIDENT = { incident: filledText('ID of the incident.', 'PT4KHLK') };
const FROM = { from: text('Email address of the user who acts.', 'ada@example.com', { minLength: 3 }) };
const URGENCY = choice(['high', 'low'], 'Urgency of the incident.');
const INCIDENT_OUTPUT = outputOf({
  id: text('ID of the incident.', 'PT4KHLK'),
  incident_number: integer('Key of the issue.', 1234),
  title: text('Subject.', 'The shop is down'),
  status: text('`triggered`, `acknowledged` or `resolved`.', 'triggered'),
  html_url: text('URL of the page in the web app.', 'https://acme.pagerduty.com/incidents/PT4KHLK'),
});
const THING = outputOf({ id: text('ID of the resource.', 'PIJ90N7') });
const PAGE = { limit: 100, offset: 0 };
const pagesOf = (items: string) => byOffset({ items, offset: 'offset', size: 'limit', more: 'more' });
const reference = (id: Json | undefined, type: string): JsonObject => ({ id: id ?? null, type });
const fromHeader = ({ from }: JsonObject) => ({ from: String(from) });
const listed = (input: JsonObject, name: string) => ({ [`${name}[]`]: queryFrom(input, name)[name] });

const actions: readonly HttpAction[] = [
  readAction('list_services', 'Lists services of the account.', {
    optional: { query: text('Search terms for the name.', 'shop') },
    item: THING,
    call: 'GET /services',
    query: { ...PAGE },
    pages: pagesOf('services'),
  }),
  readAction('list_incidents', 'Lists incidents, newest first.', {
    optional: {
      statuses: list(
        choice(['triggered', 'acknowledged', 'resolved'], 'Status of the incident.'),
        'Only incidents with these statuses.',
        ['triggered'],
      ),
      service_ids: list({ type: 'string' }, 'IDs of services.', ['PIJ90N7']),
      since: text('Time in ISO 8601 format.', '2026-01-01T00:00:00Z'),
      until: text('Time in ISO 8601 format.', '2026-02-01T00:00:00Z'),
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
  readAction('get_incident', 'Returns an incident.', {
    required: INCIDENT,
    output: INCIDENT_OUTPUT,
    call: 'GET /incidents/{incident}',
    read: outputAt('incident'),
  }),
  writeAction('create_incident', 'Creates an incident of a service and notifies the people on call.', {
    required: {
      ...FROM,
      service: filledText('ID of the service.', 'PIJ90N7'),
      title: filledText('Subject or title.', 'The shop is down'),
    },
    optional: {
      details: text('Details of the incident.', 'No answer since 12:00.'),
      urgency: URGENCY,
      incident_key: text('Deduplication key: only one open incident can have it.', 'shop-down', { maxLength: 255 }),
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
      status: choice(['acknowledged', 'resolved'], 'Status of the incident.'),
      urgency: URGENCY,
      resolution: text('Description of the resolution.', 'Started again.'),
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
  writeAction('create_note', 'Adds a note to an incident.', {
    required: { ...FROM, ...INCIDENT, content: filledText('Content of the note.', 'Looking.') },
    output: outputOf({ id: text('ID of the note.', 'PWL7QXS') }),
    request: (input) => ({
      method: 'POST',
      url: urlPath`/incidents/${input.incident}/notes`,
      headers: fromHeader(input),
      body: { note: pick(input, 'content') },
    }),
    read: outputAt('note'),
  }),
  readAction('list_oncalls', 'Lists the users on call.', {
    optional: { escalation_policy_ids: list({ type: 'string' }, 'IDs of escalation policies.', ['PT20YPA']) },
    item: outputOf({ escalation_level: integer('Escalation level; 1 is called first.', 1) }),
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
  description: 'Manage incidents and services; list on-call users.',
  category: 'Operations',
  docs: 'https://developer.pagerduty.com/api-reference/',

  fields: [secretField('api_key', 'API key', 'Integrations > API Access Keys.', 'u+0123456789abcdefgh')],
  base: 'https://api.pagerduty.com',
  sign: allOf(
    withDefaultHeaders({ accept: 'application/vnd.pagerduty+json;version=2' }),
    headerKey('authorization', 'api_key', 'Token token='),
  ),
  fault: faultFrom({
    message: [
      (response) => {
        const message = messageAt('error', 'message')(response);
        const why = bodyAt(response, 'error.errors[0]');
        return message === null || typeof why !== 'string' ? message : `${message}: ${why}`;
      },
    ],
    code: codeAt('error.code'),
    retryAfterMs: secondsInHeader('ratelimit-reset'),
  }),
  connectionTest: { action: 'list_services', input: { limit: 1 } },
  actions,
});

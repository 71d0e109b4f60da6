import type { JsonSchema } from '../../nodes/contract';
import type { Route } from '../../services/api-gateway/routes/route';
import { ChatConfig } from '../../contracts/channels/chat';
import { ExecutionStatus } from '../../contracts/executions/views';
import { MessageOutcome } from '../../contracts/channels/views';
import { resultSchemaOf } from '../actions';
import { headersOf, type Parts, parameter, pathParameters } from './operation';

type RouteOfKind<K extends Route['kind']> = Extract<Route, { readonly kind: K }>;

const TEXT: JsonSchema = { type: 'string' };

const answer = (
  description: string,
  content: Readonly<Record<string, JsonSchema>>,
  headers: string[] = [],
): object => ({
  description,
  headers: headersOf(headers),
  ...(Object.keys(content).length === 0
    ? {}
    : { content: Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }])) }),
});

const anything = (description: string): object => ({
  required: false,
  description,
  content: { 'application/json': { schema: {} }, '*/*': { schema: {} } },
});

const KEY = { $ref: '#/components/parameters/Idempotency-Key' };

const STARTED: JsonSchema = {
  type: 'object',
  properties: { execution_id: TEXT, status: ExecutionStatus.json },
  required: ['execution_id', 'status'],
};

/** A request for a workflow: whatever comes becomes the run's `trigger`. */
export function webhookParts(route: RouteOfKind<'webhook'>): Parts {
  if (route.method === 'GET') {
    const names = ['challenge', 'hub.challenge', 'validationToken'];
    const words = 'A text that is sent back; without one of them, the workflow is started';
    return {
      parameters: [...pathParameters(route), ...names.map((name) => parameter('query', name, words, TEXT)), KEY],
      responses: {
        200: answer('The text of the challenge', { 'text/plain': TEXT }),
        202: answer('The run is kept', { 'application/json': STARTED }),
      },
    };
  }
  const waits = {
    200: answer(
      "The output of the run; after a step `webhook_response`, that step's status, headers and body",
      { 'application/json': {}, '*/*': {} },
      ['Idempotent-Replayed'],
    ),
  };
  const kept = { 202: answer('The run is kept', { 'application/json': STARTED }, ['Idempotent-Replayed']) };
  const wait = parameter('query', 'wait', 'Answer at the end of the run', { enum: ['1', 'true', '0', 'false'] });
  return {
    parameters: [...pathParameters(route), ...(route.mode === 'run' ? [wait] : []), KEY],
    requestBody: anything('Becomes `trigger.body`; of any kind'),
    responses: { webhook: kept, sync: waits, run: { ...waits, ...kept } }[route.mode],
  };
}

export function messagingParts(route: RouteOfKind<'messaging'>): Parts {
  if (route.method === 'GET') {
    const names = ['hub.mode', 'hub.verify_token', 'hub.challenge'];
    return {
      parameters: [
        ...pathParameters(route),
        ...names.map((name) => parameter('query', name, 'As the provider has it', TEXT)),
      ],
      responses: { 200: answer('The challenge', { 'text/plain': TEXT }) },
    };
  }
  const outcome: JsonSchema = {
    type: 'object',
    properties: { data: { type: 'array', items: MessageOutcome.json }, ignored: { type: 'array', items: TEXT } },
    required: ['data', 'ignored'],
  };
  return {
    parameters: pathParameters(route),
    requestBody: anything('Messages in the format of the provider, signed by it'),
    responses: { 200: answer('What became of each message', { 'application/json': outcome, 'text/xml': TEXT }) },
  };
}

export const providerParts = (route: RouteOfKind<'provider webhook'>): Parts => ({
  parameters: pathParameters(route),
  requestBody: anything('An event in the format of the provider, signed by it'),
  responses: { 200: answer('The event is kept', { 'application/json': resultSchemaOf(route.action) ?? {} }) },
});

export const streamParts = (route: RouteOfKind<'stream'>): Parts => ({
  description:
    'Events `status`, `step` and `end`, each with the id of its place and a record in JSON as data; the stream ends ' +
    'after `end`. A comment comes every 15 seconds. With `from=now` a stream begins with the next event. With `deltas=1` there are events `delta`, too, and with `logs=1` events `log`, which have no id.',
  parameters: [
    ...pathParameters(route),
    parameter('header', 'Last-Event-ID', 'Go on after this event', { type: 'string', pattern: '^\\d{1,15}$' }),
    parameter('query', 'last_event_id', 'The same, for those who cannot set headers', {
      type: 'string',
      pattern: '^\\d{1,15}$',
    }),
    parameter('query', 'from', 'Leave out the events so far', { enum: ['now'] }),
    ...(route.audience === 'public'
      ? []
      : [
          parameter('query', 'deltas', 'Also what the last step says, as it comes', { enum: ['1', 'true'] }),
          parameter('query', 'logs', 'Also log lines of steps, as they are stored', { enum: ['1', 'true'] }),
          parameter('query', 'logs_after', 'The position of the last known log line', {
            type: 'string',
            pattern: '^\\d{1,15}$',
          }),
        ]),
  ],
  responses: {
    200: answer('Events until the run ends', { 'text/event-stream': TEXT }),
    204: answer('The run has ended, and there is nothing after the given event', {}),
  },
});

export const tenantStreamParts = (): Parts => ({
  description:
    'The first event is `ready`. Then come `run.started`, `run.ended`, `approval.waiting`, `approval.decided`, `workflow.changed`, `knowledge.changed`, `delivery.recorded` and `missed`. ' +
    'Events may come twice or be lost: each is a hint to fetch what it names again. No event has an id, and `Last-Event-ID` changes nothing: fetch everything again after `ready` and `missed`.',
  parameters: [],
  responses: { 200: answer('Events until the client leaves', { 'text/event-stream': TEXT }) },
});

const CONDITIONS = [
  ['Range', 'A range of bytes, such as `bytes=0-99`'],
  ['If-None-Match', 'Answer 304 when the file is this one'],
  ['If-Match', 'Answer 412 unless the file is this one'],
  ['If-Range', 'Take the range only of this file'],
] as const;

export const downloadParts = (route: RouteOfKind<'download'>): Parts => ({
  parameters: [...pathParameters(route), ...CONDITIONS.map(([name, words]) => parameter('header', name, words, TEXT))],
  responses: {
    200: answer('The file', { '*/*': {} }, ['ETag', 'Content-Disposition']),
    206: answer('A part of the file', { '*/*': {} }, ['ETag', 'Content-Range']),
    304: answer('The file is the one that the client has', {}, ['ETag']),
  },
});

export const downloadLinkParts = (route: RouteOfKind<'download link'>): Parts => ({
  parameters: pathParameters(route),
  responses: { 200: answer('The file', { '*/*': {} }, ['Content-Disposition']) },
});

export function chatParts(route: RouteOfKind<'chat'>): Parts {
  if (route.method === 'GET') {
    return {
      parameters: pathParameters(route),
      responses: { 200: answer('How to talk to the chat', { 'application/json': ChatConfig.json }) },
    };
  }
  const reply: JsonSchema = {
    type: 'object',
    properties: { reply: {}, conversation_id: TEXT, execution_id: TEXT },
    required: ['reply', 'conversation_id', 'execution_id'],
    additionalProperties: true,
  };
  const message: JsonSchema = {
    type: 'object',
    properties: {
      message: { ...TEXT, description: 'Under the name that the chat calls `input_field`' },
      conversation_id: { type: ['string', 'null'] },
    },
    additionalProperties: true,
  };
  return {
    description:
      'The value is also under the name that the chat calls `output_field`. With `Accept: text/event-stream`, events ' +
      '`message` with each piece, `reset` when it begins anew, and at last `reply` with all of it, or `error`.',
    parameters: [...pathParameters(route), KEY],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: message, example: { message: 'Hello' } } },
    },
    responses: {
      200: answer('The reply', { 'application/json': reply, 'text/event-stream': TEXT }, ['Idempotent-Replayed']),
    },
  };
}

export const approvalParts = (route: RouteOfKind<'approval link'>): Parts => ({
  parameters: [
    ...pathParameters(route),
    { name: 'decision', in: 'query', required: true, schema: { enum: ['approve', 'reject'] } },
    parameter('query', 'comment', 'Kept with the decision', { type: 'string', maxLength: 1_000 }),
    parameter('query', 'confirm', 'A page decides only with it; without, it asks', { enum: ['1'] }),
  ],
  responses: {
    200: answer('The decision is recorded', {
      'application/json': resultSchemaOf('executions.decide_by_link') ?? {},
      'text/html': TEXT,
    }),
  },
});

export function browserParts(route: RouteOfKind<'browser'>): Parts {
  const status = route.method === 'POST' ? 303 : 302;
  const form = { type: 'object', additionalProperties: TEXT };
  return {
    description: 'For browsers: what the provider or the page has put into the query or the form is handed on.',
    parameters: pathParameters(route),
    ...(route.method === 'POST'
      ? { requestBody: { required: true, content: { 'application/x-www-form-urlencoded': { schema: form } } } }
      : {}),
    responses: { [status]: answer('Where the browser goes next', {}, ['Location', 'Set-Cookie']) },
  };
}

export const xmlParts = (route: RouteOfKind<'xml'>): Parts => ({
  parameters: [...pathParameters(route), { name: 'tenant_slug', in: 'query', required: true, schema: TEXT }],
  responses: { 200: answer('The document', { [route.contentType.split(';')[0] as string]: TEXT }) },
});

export function healthParts(route: RouteOfKind<'health'>): Parts {
  const status: JsonSchema = { type: 'string', enum: [route.asks === 'alive' ? 'ok' : 'ready'] };
  const degraded: JsonSchema = {
    type: 'array',
    description: 'Parts that the process does without for now',
    items: { type: 'object', properties: { name: TEXT, reason: TEXT }, required: ['name', 'reason'] },
  };
  const schema: JsonSchema = {
    type: 'object',
    properties: { status, ...(route.asks === 'alive' ? {} : { degraded }) },
    required: ['status'],
  };
  return { parameters: [], responses: { 200: answer('It does', { 'application/json': schema }) } };
}

export const assetParts = (route: RouteOfKind<'asset'>): Parts => {
  if (route.name === 'home')
    return { parameters: [], responses: { 302: answer('The page is at another path', {}, ['Location']) } };
  const isObject = route.name === 'openapi' || route.name === 'guides';
  return {
    parameters: [
      ...pathParameters(route),
      parameter('header', 'If-None-Match', 'Answer 304 when the file is this one', TEXT),
    ],
    responses: {
      200: answer('The file', { [route.contentType.split(';')[0] as string]: isObject ? { type: 'object' } : TEXT }, [
        'ETag',
      ]),
      304: answer('The file is the one that the client has', {}, ['ETag']),
    },
  };
};

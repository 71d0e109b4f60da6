import { EgressError } from '../../../lib/egress';
import type { Effect, NodeContext, Outcome } from '../../contract';
import { defineNode } from '../../contract/define';
import { redactingAlso } from '../../redaction';
import { failConnection, invalidConfig } from '../../outcome';
import {
  anyValue,
  atMostOneOf,
  choice,
  durationSchema,
  filledText,
  flag,
  integer,
  objectSchema,
  record,
  SCALAR,
  SCALARS_OR_LIST,
  text,
} from '../../schema';
import { CONNECTIONS, exchange } from './exchange';
import { outcomeOfResponse } from './judge';
import { buildRequest, type HttpRequestInput } from './request';

/** The runtime has checked the input against the input schema. */
const run = (ctx: NodeContext): Promise<Outcome> => send(ctx.input as unknown as HttpRequestInput, ctx);

/** Builds the request, sends it, judges the answer. */
export async function send(config: HttpRequestInput, ctx: NodeContext): Promise<Outcome> {
  const plan = buildRequest(config, ctx);
  if (plan.kind === 'refuse') return invalidConfig(plan.problem);
  const { request, hidden } = plan;
  const mask = redactingAlso(ctx.redact, hidden);
  const subject = mask(`${request.method} ${withoutQuery(request.url)}`);
  try {
    const response = await exchange(config, request, ctx);
    if ('kind' in response) return response;
    if (response.downgraded) ctx.log('warn', `${subject} was redirected from https to http`);
    return await outcomeOfResponse(response, config, { now: ctx.now, redact: mask, subject });
  } catch (thrown) {
    if (!(thrown instanceof EgressError)) throw thrown;
    return failConnection('http', thrown, `${subject} failed: ${mask(thrown.message)}`);
  }
}

/** A URL as far as messages may show it: the query is where keys are put. */
const withoutQuery = (url: string): string => url.split('?', 1)[0] as string;

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Read methods have no effect; any other method, or an expression, may change something. */
const effectOf = (config: { readonly method?: unknown }): Effect =>
  config.method === undefined || READING.has(String(config.method)) ? 'read' : 'write';

const properties = {
  method: choice(
    ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
    'GET, HEAD and OPTIONS are read-only; other methods may change something.',
    { default: 'GET' },
  ),
  url: filledText(
    'Absolute URL, http or https. Private addresses are refused unless the operator allows them.',
    'https://api.example.com/orders/{{ trigger.body.order_id }}',
  ),
  headers: {
    type: 'object',
    title: 'Headers',
    description: 'Names and values; null omits a header.',
    additionalProperties: SCALAR,
    default: {},
    examples: [{ accept: 'application/json' }],
  },
  query: {
    type: 'object',
    title: 'Query',
    description: 'Query parameters; a list repeats the name, null omits it.',
    additionalProperties: SCALARS_OR_LIST,
    default: {},
    examples: [{ page: 2, tag: ['new', 'open'] }],
  },
  body: anyValue('Text is sent as is, any other value as JSON.', { name: 'Ada' }),
  json: anyValue('Any value, including text and null, sent as JSON.', { name: 'Ada' }),
  form: record(
    'Form fields, sent as application/x-www-form-urlencoded.',
    { grant_type: 'client_credentials' },
    SCALARS_OR_LIST,
  ),
  auth: {
    title: 'Authentication',
    description: 'Sent as a header or query parameter.',
    oneOf: [
      objectSchema(
        {
          type: { const: 'basic', title: 'Basic', description: 'User name and password (RFC 7617).' },
          username: text('User name to authenticate with.', { title: 'User name' }),
          password: text('A secret, such as {{ secret.NAME }}.'),
        },
        ['type', 'username', 'password'],
      ),
      objectSchema(
        {
          type: { const: 'bearer', title: 'Bearer', description: 'Bearer token (RFC 6750).' },
          token: filledText('A secret, such as {{ secret.NAME }}.'),
        },
        ['type', 'token'],
      ),
      objectSchema(
        {
          type: { const: 'api_key', title: 'API key', description: 'API key.' },
          name: filledText('Name of the header or query parameter.'),
          value: filledText('A secret, such as {{ secret.NAME }}.', { title: 'Key' }),
          in: choice(['header', 'query'], 'Default: header.', { title: 'Sent as' }),
        },
        ['type', 'name', 'value'],
      ),
    ],
    examples: [{ type: 'bearer', token: '{{ secret.ORDERS_KEY }}' }],
  },
  connection: text(
    'Id or name of an OAuth connection, whose access token is sent to the hosts of its OAuth app alone.',
    'crm',
    { maxLength: 200 },
  ),
  follow_redirects: flag('Up to 5 redirects; none with a connection.', { default: true }),
  fail_on_status: flag('If false, every response completes the step.', { title: 'Fail on 4xx and 5xx', default: true }),
  timeout: durationSchema('Time-out', 'For the whole exchange. Default: 60 s.', '20s'),
  response: choice(
    ['auto', 'json', 'text', 'base64'],
    '`auto` parses JSON, keeps text, and encodes anything else in base64.',
    { title: 'Read the body as', default: 'auto' },
  ),
} as const;

export const httpRequestNode = defineNode({
  type: 'http_request',
  title: 'HTTP request',
  description: 'Sends an HTTP request and returns the response.',
  category: 'HTTP',
  aliases: ['http'],
  connections: CONNECTIONS,
  effect: effectOf,
  // Writes have the same idempotency key in every attempt, so that the receiver can detect a repetition.
  onInterrupted: 'retry',
  input: objectSchema(properties, ['url'], atMostOneOf('body', 'json', 'form')),
  output: objectSchema(
    {
      status: integer('HTTP status code.', { minimum: 200, maximum: 999 }),
      headers: record('Lower-case names; repeated headers are joined by commas, `set-cookie` is a list.', undefined, {
        anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
      }),
      body: anyValue('Parsed if JSON; null if empty.'),
    },
    ['status', 'headers', 'body'],
  ),
  tool: {
    name: 'http_request',
    description: 'Sends an HTTP request and returns status, headers and body of the response.',
    parameters: objectSchema(
      {
        method: properties.method,
        url: properties.url,
        headers: properties.headers,
        query: properties.query,
        body: properties.body,
      },
      ['url'],
    ),
  },
  run,
});

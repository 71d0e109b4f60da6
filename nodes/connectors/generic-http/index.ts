import { isObject } from '../../../lib/json';
import type { JsonSchema } from '../../contract';
import { httpRequestNode } from '../../http/http-request';
import { filledText, text } from '../../schema';
import { FIELDS } from './account';
import { run } from './run';
import { defineConnector } from '../define';

const { properties } = httpRequestNode.input;

/** A member of the configuration of `http_request`. */
function member(name: string): JsonSchema {
  const schema: unknown = isObject(properties) ? properties[name] : undefined;
  if (!isObject(schema)) throw new Error(`http_request has no ${name}`);
  return schema;
}

const MEMBERS = ['query', 'headers', 'body', 'json', 'form', 'fail_on_status', 'timeout', 'response'];

/** Any API that speaks HTTP, with its credentials in a connection instead of the step. */
export const http = defineConnector({
  name: 'http',
  title: 'HTTP API',
  description: 'Send requests to any HTTP API with the credentials of a connection.',
  category: 'HTTP',
  docs: 'https://www.rfc-editor.org/rfc/rfc9110',
  needsConnection: false,
  fields: FIELDS,
  base: ({ credentials }) => credentials.base_url ?? '',
  sign: (request) => request,
  actions: (['read', 'request'] as const).map((name) => ({
    kind: 'code',
    name,
    title: name === 'read' ? 'Ask' : 'Send a request',
    description:
      name === 'read'
        ? 'Sends a GET or HEAD request and reads the response.'
        : 'Sends a request that may change something, and reads the response.',
    effect: name === 'read' ? 'read' : 'write',
    // Each attempt carries the same idempotency key, but not everybody looks at it.
    repeatable: name === 'read',
    input: {
      method:
        name === 'read'
          ? text('GET or HEAD.', 'GET', { enum: ['GET', 'HEAD'], default: 'GET' })
          : text('HTTP method.', 'POST', { enum: ['POST', 'PUT', 'PATCH', 'DELETE'], default: 'POST' }),
      url: filledText(
        'Path relative to the address of the connection, or a full URL without a connection.',
        '/orders/4711',
        { maxLength: 16_384 },
      ),
      ...Object.fromEntries(
        MEMBERS.filter((key) => name === 'request' || !['body', 'json', 'form'].includes(key)).map((key) => [
          key,
          member(key),
        ]),
      ),
    },
    required: ['url'],
    output: httpRequestNode.output,
    run: (input, account, ctx) => run(name === 'read' ? 'GET' : 'POST', input, account, ctx),
  })),
});

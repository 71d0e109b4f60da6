import { isConnectionHeader, isHeaderValue, isToken } from '../../lib/egress';
import type { Json } from '../../lib/json';
import type { NodeContext, Outcome } from '../contract';
import { defineNode } from '../contract/define';
import { done, invalidConfig } from '../outcome';
import { anyValue, integer, objectSchema, record } from '../schema';

type HeaderValue = string | number | boolean | null | string[];

/** The input, validated by the schema. */
interface WebhookResponseInput {
  status?: number;
  headers?: Record<string, HeaderValue>;
  body?: Json;
}

/** Names and values together; clients and proxies refuse a whole answer from 16 KiB on, their own headers counted. */
const MAX_HEADER_BYTES = 8 * 1024;

/** Checks the response here, where its author sees the problem, and not at the gateway, where its caller would. */
function run(ctx: NodeContext): Outcome {
  // The runtime has checked the input against the input schema.
  const { status = 200, headers = {}, body = null } = ctx.input as unknown as WebhookResponseInput;
  if (!Number.isInteger(status) || status < 200 || status > 599) return invalidConfig('"status" must be 200 to 599');
  const sent = new Map<string, string | string[]>();
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) continue;
    const problem = headerProblem(name, value);
    if (problem) return invalidConfig(ctx.redact(`the header ${JSON.stringify(name)} ${problem}`));
    sent.set(name.toLowerCase(), Array.isArray(value) ? value : String(value));
  }
  const size = [...sent].reduce((sum, [name, value]) => sum + Buffer.byteLength(`${name}${String(value)}`), 0);
  if (size > MAX_HEADER_BYTES)
    return invalidConfig(`the headers have ${size} bytes; at most ${MAX_HEADER_BYTES} are allowed`);
  return done({ status, headers: Object.fromEntries(sent), body });
}

function headerProblem(name: string, value: Exclude<HeaderValue, null>): string | null {
  if (!isToken(name)) return 'has a character that no header name may have';
  if (isConnectionHeader(name)) return 'belongs to the connection and cannot be set';
  const values = Array.isArray(value) ? value : [String(value)];
  return values.every(isHeaderValue) ? null : 'has a line break or another forbidden character in its value';
}

export const webhookResponseNode = defineNode({
  type: 'webhook_response',
  title: 'Webhook response',
  description: 'Sets the response to the caller of a synchronous webhook: status, headers and body.',
  category: 'HTTP',
  effect: 'pure',
  input: objectSchema({
    status: integer('HTTP status code.', { minimum: 200, maximum: 599, default: 200, examples: [200, 404] }),
    headers: {
      type: 'object',
      title: 'Headers',
      description: 'Names and values; a list repeats the header, null omits it.',
      additionalProperties: {
        anyOf: [
          { type: 'string' },
          { type: 'number' },
          { type: 'boolean' },
          { type: 'null' },
          { type: 'array', items: { type: 'string' } },
        ],
      },
      default: {},
      examples: [{ 'cache-control': 'no-store' }],
    },
    body: anyValue('Text is sent as is, any other value as JSON.', { ok: true }),
  }),
  output: objectSchema(
    {
      status: integer('Body as sent.'),
      headers: record('Lower-case names.', undefined, {
        anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
      }),
      body: anyValue('Body as sent.'),
    },
    ['status', 'headers', 'body'],
  ),
  run,
});

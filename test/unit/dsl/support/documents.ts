import type { JsonSchema, NodeTypes } from '../../../../dsl';
import type { JsonObject } from '../../../../lib/json';

const anything: JsonSchema = { type: 'object' };

const request: JsonSchema = {
  type: 'object',
  required: ['url'],
  additionalProperties: false,
  properties: {
    url: { type: 'string', minLength: 1 },
    method: { enum: ['GET', 'POST', 'DELETE'], default: 'GET' },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    timeout: { type: ['string', 'number'] },
    retries: { type: 'integer', minimum: 0 },
    tags: { type: 'array', items: { type: 'string' }, uniqueItems: true },
    auth: { oneOf: [{ required: ['token'] }, { required: ['user', 'password'] }] },
    body: true,
  },
  if: { properties: { method: { const: 'POST' } }, required: ['method'] },
  // Each branch of a condition is named "then" by JSON Schema itself.
  // oxlint-disable-next-line unicorn/no-thenable
  then: { required: ['body'] },
};

/** A few node types as a registry has them. */
export const nodeTypes: NodeTypes = new Map(
  [
    { type: 'set', kind: 'work' as const, inputSchema: anything, aliases: ['transform'], version: 2 },
    { type: 'http_request', kind: 'work' as const, inputSchema: request, aliases: ['http'] },
    { type: 'approval', kind: 'control' as const, inputSchema: anything },
    { type: 'shop.get_orders', kind: 'work' as const, inputSchema: anything },
    { type: 'shop.refund', kind: 'work' as const, inputSchema: anything },
    { type: 'wait', kind: 'control' as const, inputSchema: anything, aliases: ['delay', 'sleep'] },
  ].map((info) => [info.type, info]),
);

/** A step of type `set`, with more on top. */
export const step = (id: string, more: JsonObject = {}): JsonObject => ({ id, type: 'set', ...more });

/** A document with these steps, with more on top. */
export const document = (steps: JsonObject[], more: JsonObject = {}): JsonObject => ({
  id: 'doc',
  trigger: { type: 'manual' },
  steps,
  ...more,
});

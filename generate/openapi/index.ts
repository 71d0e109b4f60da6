import type { Route } from '../../services/api-gateway/routes/route';
import { ERROR_SCHEMAS, refusalsOf } from './errors';
import * as kinds from './kinds';
import { operationIds, tagOf, tagRow } from './names';
import { namedSchemas } from '../../lib/schema';
import { jsonParts, type Parts, type Sources, uploadParts } from './operation';
import { namedIn, type Schemas, withFormats } from './schema';

const ABOUT = `Workflow automation for many tenants: every run is a durable actor.

Bodies are JSON with names in snake case; instants are RFC 3339 in UTC. Lists are \`{data: [...]}\`, and those that take
\`limit\` and \`offset\` say them back; the two large ones (executions, audit) give \`next_cursor\`, which is sent back as
\`cursor\`. A field that may be left out may also be null. HEAD is answered wherever GET is, and OPTIONS everywhere; a
path that does not take the method answers 405, and one that there is not, 404. Fields may be added to answers at any time.`;

/** The description of the HTTP API: OpenAPI 3.1, from the contracts and the routes. */
export function documentOf(sources: Sources, version: string): object {
  const ids = operationIds(sources.routes);
  const responses = new Map<string, object>();
  const paths: Record<string, Record<string, object>> = {};
  const known = new Map<string, string>();
  for (const route of sources.routes) {
    const path = pathOf(route, known);
    const operationId = ids.get(route) as string;
    const { description, parameters, requestBody, responses: successes } = partsOf(route, operationId, sources);
    const refusals = refusalsOf(route, responses as Map<string, never>);
    (paths[path] ??= {})[route.method.toLowerCase()] = {
      operationId,
      tags: [tagOf(operationId)],
      summary: route.summary,
      ...(description === undefined || description === '' ? {} : { description }),
      security: securityOf(route),
      ...(route.access === 'public' ? {} : { 'x-role': route.access }),
      ...(parameters.length === 0 ? {} : { parameters: inOrderOf(path, parameters) }),
      ...(requestBody === undefined ? {} : { requestBody }),
      responses: { ...successes, ...refusals },
    };
  }
  const shared = Object.fromEntries([...responses].sort(([a], [b]) => (a < b ? -1 : 1)));
  const definitions: Schemas = { ...namedSchemas(), ...ERROR_SCHEMAS };
  const named = namedIn({ paths, shared }, definitions);
  const schemas = [...named].sort().map((name) => [name, withFormats(definitions[name] ?? {})] as const);
  return {
    openapi: '3.1.0',
    info: { title: 'Everstep', version, description: ABOUT, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/', description: 'This installation' }],
    tags: [...new Set([...ids.values()].map(tagOf))].sort().map(tagRow),
    paths,
    components: {
      schemas: Object.fromEntries(schemas),
      responses: shared,
      parameters: PARAMETERS,
      headers: HEADERS,
      securitySchemes: SECURITY,
    },
  };
}

/** Paths that differ by the names of their variables alone are one path, under the names of the first. */
function pathOf({ path }: Route, known: Map<string, string>): string {
  const shape = path.replace(/:\w+\*?/g, ':');
  const found = known.get(shape) ?? path.replace(/:(\w+)\*?/g, '{$1}');
  known.set(shape, found);
  return found;
}

/** The variables of a path stand first among the parameters, in its order. */
const inOrderOf = (path: string, parameters: readonly object[]): object[] => {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return parameters.map((given, n) => (n < names.length ? { ...given, name: names[n] } : given));
};

function partsOf(route: Route, operationId: string, sources: Sources): Parts {
  switch (route.kind) {
    case 'json':
      return jsonParts(route, operationId, sources);
    case 'upload':
      return uploadParts(route);
    case 'webhook':
      return kinds.webhookParts(route);
    case 'messaging':
      return kinds.messagingParts(route);
    case 'provider webhook':
      return kinds.providerParts(route);
    case 'stream':
      return kinds.streamParts(route);
    case 'tenant stream':
      return kinds.tenantStreamParts();
    case 'download':
      return kinds.downloadParts(route);
    case 'download link':
      return kinds.downloadLinkParts(route);
    case 'chat':
      return kinds.chatParts(route);
    case 'approval link':
      return kinds.approvalParts(route);
    case 'browser':
      return kinds.browserParts(route);
    case 'xml':
      return kinds.xmlParts(route);
    case 'health':
      return kinds.healthParts(route);
    case 'asset':
      return kinds.assetParts(route);
  }
}

function securityOf(route: Route): object[] {
  if (route.access !== 'public') return [{ bearer: [] }];
  if (route.kind === 'json' && route.given.includes('session')) return [{}, { bearer: [] }];
  if (route.kind !== 'webhook') return [];
  return route.mode === 'run' ? [{ workflowKey: [] }] : [{}, { webhookKey: [] }];
}

const SECURITY = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token of register or login, or a platform API key',
  },
  workflowKey: { type: 'http', scheme: 'bearer', description: 'A key of one workflow' },
  webhookKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'Where the webhook has a key' },
};

const PARAMETERS = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'A request that is repeated with the same key and body is answered as the first was, and does nothing again',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  },
};

const text = (description: string): object => ({ description, schema: { type: 'string' } });
const number = (description: string): object => ({ description, schema: { type: 'integer' } });

const HEADERS = {
  'X-Request-ID': text('By it the request is found in logs; taken over from the request, or made'),
  'RateLimit-Limit': number('Requests per second; absent where there is no limit'),
  'RateLimit-Remaining': number('Requests that are left'),
  'RateLimit-Reset': number('Seconds until all are left again'),
  'Retry-After': number('Seconds after which to try again'),
  'WWW-Authenticate': text('Bearer'),
  'Idempotent-Replayed': text('`true` when the request was answered before'),
  'Content-Disposition': text('The name of the file'),
  'Content-Range': text('Which bytes of how many'),
  ETag: text('Which content this is'),
  Location: text('Where to go next'),
  'Set-Cookie': text('Binds what was begun to the browser'),
};

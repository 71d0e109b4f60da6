import type { JsonSchema } from '../../nodes/contract';
import { mediaTypeOf } from '../../services/api-gateway/handlers/list-file';
import type { JsonRoute, ListFile, Route, UploadRoute } from '../../services/api-gateway/routes/route';
import { ACTIONS } from '../../contracts/catalogue';
import { DEFINITIONS, namedSchemas } from '../../lib/schema';
import { paramsSchemaOf, resultSchemaOf } from '../actions';
import { acceptedParamsOf, probedResponses, type ProbedResponse } from './probe';
import { propertiesOf, withFormats, type Schemas } from './schema';
import { DEFAULT_PAGE_ROWS, MAX_PAGE_OFFSET, MAX_PAGE_ROWS } from '../../lib/page';

/** Bodies that have been sent and answered, by operation. */
type Examples = Readonly<Record<string, { readonly request?: unknown; readonly response?: unknown }>>;

const exampleOf = (examples: Examples, operationId: string, of: 'request' | 'response'): unknown =>
  Object.hasOwn(examples, operationId) ? examples[operationId]?.[of] : undefined;

/** What operations are made of. */
export interface Sources {
  readonly routes: readonly Route[];
  readonly examples: Examples;
}

/** What describes an operation besides its name, its summary and its errors. */
export interface Parts {
  readonly parameters: readonly object[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, object>>;
  readonly description?: string;
}

/** Variables of a path, without what says that one takes the rest of it. */
const pathNames = ({ path }: Route): string[] =>
  path.split('/').flatMap((part) => (part.startsWith(':') ? [part.slice(1).replace('*', '')] : []));

export const pathParameters = (route: Route, rules: Schemas = {}): object[] =>
  pathNames(route).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', ...plainText(rules[name]) },
    ...(route.path.endsWith(`:${name}*`) ? { description: 'All that is left of the path, with its slashes' } : {}),
  }));

/** Of the rules of a path's variable, those that are about its text. */
const plainText = (schema: JsonSchema | undefined): JsonSchema =>
  schema === undefined || schema.type !== 'string' ? {} : schema;

export const parameter = (
  where: 'query' | 'header',
  name: string,
  description: string,
  schema: JsonSchema,
): object => ({
  name,
  in: where,
  required: false,
  description,
  schema,
});

const shared = (name: string): object => ({ $ref: `#/components/parameters/${name}` });

/** Headers of an answer that all answers have, and those of its own. */
export const headersOf = (own: readonly string[] = []): object =>
  Object.fromEntries(
    ['X-Request-ID', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', ...own].map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ]),
  );

const OFFSET = { type: 'integer', minimum: 0, maximum: MAX_PAGE_OFFSET, default: 0 };
const LIMIT = { type: 'integer', minimum: 1, maximum: MAX_PAGE_ROWS };

/** How `limit` and `offset` of a list look. A catalogue has no default: it is answered as a whole. */
const pageRules = (paged: JsonRoute['paged']): Schemas =>
  paged === false
    ? {}
    : { offset: OFFSET, limit: paged === 'catalogue' ? LIMIT : { ...LIMIT, default: DEFAULT_PAGE_ROWS } };

/** One action behind a route: JSON in, JSON out. */
export function jsonParts(route: JsonRoute, operationId: string, sources: Sources): Parts {
  const { examples } = sources;
  const { description } = ACTIONS[route.action];
  const result = resultSchemaOf(route.action);
  const taken = acceptedParamsOf(route, paramsSchemaOf(route.action), pathNames(route));
  const rules = pageRules(route.paged);
  const query = taken.query.map(([name, schema, required]) => ({
    name,
    in: 'query',
    required,
    schema: rules[name] ?? schema,
  }));
  return {
    ...(description === undefined ? {} : { description }),
    parameters: [
      ...pathParameters(route, taken.path),
      ...query,
      ...(route.file === null ? [] : [formatOf(route.file)]),
      ...route.given.flatMap((name) => CONDITIONS[name] ?? []),
      ...(route.idempotency === 'none' ? [] : [shared('Idempotency-Key')]),
    ],
    ...(taken.body === null
      ? {}
      : { requestBody: bodyOf(described(route, taken.body), exampleOf(examples, operationId, 'request')) }),
    responses: Object.fromEntries(
      probedResponses(route, result, namedSchemas()).map((response) => [
        String(response.status),
        successOf(route, response, exampleOf(examples, operationId, 'response')),
      ]),
    ),
  };
}

/** Conditions of a change. */
const CONDITIONS: Readonly<Record<string, object>> = {
  if_match: parameter('header', 'If-Match', 'Answer 412 unless this is the `ETag` of what is changed', {
    type: 'string',
  }),
  if_none_match: parameter('header', 'If-None-Match', '`*`: answer 412 if there is something already', {
    type: 'string',
  }),
};

const DOCUMENT: JsonSchema = { $ref: `${DEFINITIONS}WorkflowDocument` };

/** What rules leave to the handler, since the language says it better: the documents of workflows. */
const MEMBERS: Readonly<Record<string, Schemas>> = {
  'workflows.create': { dsl: DOCUMENT },
  'workflows.update': { dsl: DOCUMENT },
  'workflows.try': { dsl: DOCUMENT },
  'workflows.test_document_step': { dsl: DOCUMENT },
  'workflows.publish': { dsl: DOCUMENT },
};

/** The same of whole bodies. */
const BODIES: Readonly<Record<string, JsonSchema>> = {
  'workflows.import': {
    anyOf: [
      { $ref: `${DEFINITIONS}WorkflowFile` },
      { type: 'object', properties: { name: { type: 'string' }, dsl: DOCUMENT }, required: ['name', 'dsl'] },
    ],
  },
};

function described({ action }: JsonRoute, body: JsonSchema): JsonSchema {
  const whole = Object.hasOwn(BODIES, action) ? BODIES[action] : undefined;
  const members = Object.hasOwn(MEMBERS, action) ? MEMBERS[action] : undefined;
  if (members === undefined) return whole ?? body;
  return { ...body, properties: { ...(body.properties as Schemas), ...members } };
}

const formatOf = ({ kind }: ListFile): object =>
  parameter('query', 'format', 'As one file with all that the list has; also by the header Accept', {
    enum: ['json', kind],
  });

function bodyOf(schema: JsonSchema, example: unknown): object {
  const required = ((schema.required ?? []) as unknown[]).length > 0 || schema.anyOf !== undefined;
  const content = { schema: withFormats(schema), ...(example === undefined ? {} : { example }) };
  return { required, content: { 'application/json': content } };
}

const PHRASES: Readonly<Record<number, string>> = {
  200: 'Done',
  201: 'Made',
  202: 'Taken on; it is kept, and goes on by itself',
  204: 'Done; there is nothing to say',
};

function successOf(route: JsonRoute, { status, body, headers }: ProbedResponse, example: unknown): object {
  const replays = route.idempotency === 'replay' ? ['Idempotent-Replayed'] : [];
  const json = {
    schema: body === null ? { type: 'null' } : withFormats(body),
    ...(example === undefined ? {} : { example }),
  };
  const content = {
    ...(body === null ? {} : { 'application/json': json }),
    ...(route.file === null ? {} : { [mediaTypeOf(route.file)]: { schema: { type: 'string' } } }),
  };
  return {
    description: PHRASES[status] ?? 'Done',
    headers: headersOf([...new Set([...replays, ...headers])]),
    ...(Object.keys(content).length === 0 ? {} : { content }),
  };
}

/** A file in a form, and what stands beside it. */
export function uploadParts(route: UploadRoute): Parts {
  const begun = paramsSchemaOf(`${route.service}.begin_upload`);
  const action = `${route.service}.commit_upload` as const;
  const rules = propertiesOf(paramsSchemaOf(action));
  const fields = Object.entries(route.fields).map(([name, kind]): [string, JsonSchema] => {
    const rule = rules[name] ?? {};
    return [
      name,
      kind === 'json' ? { type: 'string', contentMediaType: 'application/json', contentSchema: rule } : rule,
    ];
  });
  const file = { type: 'string', contentMediaType: 'application/octet-stream', description: 'The file' };
  const schema = { type: 'object', properties: { file, ...Object.fromEntries(fields) }, required: ['file'] };
  return {
    parameters: pathParameters(route, propertiesOf(begun)),
    requestBody: { required: true, content: { 'multipart/form-data': { schema } } },
    responses: Object.fromEntries(
      probedResponses(route, resultSchemaOf(action), namedSchemas()).map(({ status, body, headers }) => [
        String(status),
        {
          description: PHRASES[status] ?? 'Done',
          headers: headersOf(headers),
          ...(body === null ? {} : { content: { 'application/json': { schema: withFormats(body) } } }),
        },
      ]),
    ),
  };
}

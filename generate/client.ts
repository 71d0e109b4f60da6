import type { JsonSchema } from '../nodes/contract';
import { typeText, unionText } from './type-text';

/** The members of an OpenAPI document that a client is made of. */
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly content?: Readonly<Record<string, Content>> }>
  >;
}
interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: JsonSchema;
}
interface Content {
  readonly schema?: JsonSchema;
}
interface Document {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

/** How an answer is read: as JSON, as events, as text, as whatever it is, or not at all. */
type Answers = 'json' | 'events' | 'text' | 'response' | 'nothing';

/** The typed half of the client: the types of the document, its operations by service, and how each is called. */
export function clientText(openapi: object): string {
  const { paths, components, info } = openapi as Document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      isForPages(operation) ? [] : [{ path, method, operation }],
    ),
  );
  const services = new Map<string, string[]>();
  const table: string[] = [];
  for (const { path, method, operation } of operations) {
    const [service = '', name = ''] = operation.operationId.split('.');
    services.set(service, [...(services.get(service) ?? []), memberText(name, operation)]);
    table.push(`  ${JSON.stringify(operation.operationId)}: ${callText(path, method, operation)},`);
  }
  const types = Object.entries(components.schemas).map(([name, schema]) => {
    const { description } = schema;
    const comment = typeof description === 'string' ? `/** ${description.replaceAll('*/', '* /')} */\n` : '';
    return `${comment}export type ${name} = ${typeText(schema)};\n`;
  });
  const api = [...services].map(([name, members]) => `  ${name}: {\n${members.join('')}  };\n`);
  return [
    '// Made by `npm run generate` of the OpenAPI document; not to be changed by hand.',
    '// oxlint-disable max-lines',
    `import type { CallOptions, ServerEvent } from './client.ts';\n`,
    `/** The version of the API that this was made of. */\nexport const API_VERSION = ${JSON.stringify(info.version)};\n`,
    ...types,
    `/** Every operation, by service. */\nexport interface Api {\n${api.join('')}}\n`,
    `/** How an operation is called. */\nexport interface Call {\n  readonly method: string;\n  readonly path: string;\n  readonly query?: readonly string[];`,
    `  readonly headers?: readonly string[];\n  readonly body?: 'json' | 'form';\n  /** Absent: 'json'. */\n  readonly answers?: ${['json', 'events', 'text', 'response', 'nothing'].map((word) => `'${word}'`).join(' | ')};`,
    `  /** Takes an Idempotency-Key, so that it may be repeated. */\n  readonly idempotent?: true;\n}\n`,
    `export const CALLS: Readonly<Record<string, Call>> = {\n${table.join('\n')}\n};\n`,
  ].join('\n');
}

/** Redirects are the business of browsers. */
const isForPages = ({ responses }: Operation): boolean =>
  ['302', '303'].some((status) => status in responses) ||
  Object.values(responses).some(({ content }) => content !== undefined && 'text/css' in content);

const parametersOf = ({ parameters }: Operation, where: Parameter['in']): readonly Parameter[] =>
  (parameters ?? []).filter((given) => given.in === where);

const takesKey = ({ parameters }: Operation): boolean =>
  (parameters ?? []).some(({ $ref }) => $ref?.endsWith('/Idempotency-Key') === true);

function bodyOf({ requestBody }: Operation): { readonly kind: 'json' | 'form'; readonly schema: JsonSchema } | null {
  const json = requestBody?.content['application/json'];
  if (json !== undefined) return { kind: 'json', schema: json.schema ?? {} };
  const form = requestBody?.content['multipart/form-data'];
  return form === undefined ? null : { kind: 'form', schema: form.schema ?? {} };
}

function memberText(name: string, operation: Operation): string {
  const given = [
    ...parametersOf(operation, 'path'),
    ...parametersOf(operation, 'query'),
    ...parametersOf(operation, 'header'),
  ];
  const members = given.map(
    ({ name: key, required, schema }) => `${keyText(key)}${required ? '' : '?'}: ${typeText(schema)}`,
  );
  const body = bodyOf(operation);
  const needsBody = body !== null && (body.kind === 'form' || operation.requestBody?.required === true);
  if (body !== null) members.push(`body${needsBody ? '' : '?'}: ${bodyText(body)}`);
  const optional = !needsBody && given.every(({ required }) => !required);
  const params =
    members.length === 0 ? 'given?: Record<string, never>' : `given${optional ? '?' : ''}: { ${members.join('; ')} }`;
  return `    /** ${operation.summary.replaceAll('*/', '* /')} */\n    ${keyText(name)}(${params}, options?: CallOptions): ${resultText(operation)};\n`;
}

/** Files of forms are what browsers and Node call a Blob. */
function bodyText({ kind, schema }: { kind: 'json' | 'form'; schema: JsonSchema }): string {
  if (kind === 'json') return typeText(schema);
  const fields = Object.keys(schema.properties ?? {}).map((name) =>
    name === 'file' ? 'file: Blob' : `${keyText(name)}?: string`,
  );
  return `{ ${fields.join('; ')} }`;
}

function resultText(operation: Operation): string {
  switch (answersOf(operation)) {
    case 'events':
      return 'AsyncIterable<ServerEvent>';
    case 'response':
      return 'Promise<Response>';
    case 'text':
      return 'Promise<string>';
    case 'nothing':
      return 'Promise<void>';
    case 'json': {
      const bodies = successes(operation).map(({ content }) =>
        typeText(content?.['application/json']?.schema ?? { type: 'null' }),
      );
      return `Promise<${unionText(bodies)}>`;
    }
  }
}

const successes = ({ responses }: Operation) =>
  Object.entries(responses).flatMap(([status, response]) => (Number(status) < 300 ? [response] : []));

function answersOf(operation: Operation): Answers {
  const types = new Set(successes(operation).flatMap(({ content }) => Object.keys(content ?? {})));
  if (types.has('application/json')) return 'json';
  if (types.has('text/event-stream')) return 'events';
  if (types.has('*/*')) return 'response';
  return types.size > 0 ? 'text' : 'nothing';
}

/** Members that have their default are left out: a browser loads the whole table. */
function callText(path: string, method: string, operation: Operation): string {
  const names = (where: Parameter['in']): readonly string[] | undefined => {
    const found = parametersOf(operation, where).map(({ name }) => name);
    return found.length === 0 ? undefined : found;
  };
  const answers = answersOf(operation);
  const call = {
    method: method.toUpperCase(),
    path,
    query: names('query'),
    headers: names('header'),
    body: bodyOf(operation)?.kind,
    answers: answers === 'json' ? undefined : answers,
    idempotent: takesKey(operation) || undefined,
  };
  const members = Object.entries(call).filter(([, value]) => value !== undefined);
  return `{ ${members.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(', ')} }`;
}

const keyText = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));

import type { JsonSchema } from './contract';

type Properties = Readonly<Record<string, JsonSchema>>;

const isList = (value: readonly unknown[] | JsonSchema): value is readonly unknown[] => Array.isArray(value);

/** Words of names that are written differently in titles. */
const TITLE_WORDS: Readonly<Record<string, string>> = {
  ai: 'AI',
  api: 'API',
  bcc: 'BCC',
  cc: 'CC',
  csv: 'CSV',
  dns: 'DNS',
  gid: 'ID',
  html: 'HTML',
  http: 'HTTP',
  id: 'ID',
  ids: 'IDs',
  ip: 'IP',
  json: 'JSON',
  llm: 'LLM',
  max: 'Maximum',
  mcp: 'MCP',
  me: 'my account',
  min: 'Minimum',
  sla: 'SLA',
  sms: 'SMS',
  smtp: 'SMTP',
  sql: 'SQL',
  ssml: 'SSML',
  ttl: 'TTL',
  uri: 'URI',
  url: 'URL',
  urls: 'URLs',
  utc: 'UTC',
  whoami: 'get my account',
  xml: 'XML',
};

/** The title of a field or action by its name: `due_date` and `dueDate` are "Due date". */
export function titleOf(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => TITLE_WORDS[word.toLowerCase()] ?? word.toLowerCase());
  const title = words.join(' ');
  return title.charAt(0).toUpperCase() + title.slice(1);
}

/** The same properties; those without a title get one by their name. */
export const titled = (properties: Properties): Properties =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      typeof schema === 'object' && schema.title === undefined ? { title: titleOf(name), ...schema } : schema,
    ]),
  );

const described =
  (type: JsonSchema) =>
  (description: string, example?: unknown, further: JsonSchema = {}): JsonSchema => ({
    ...type,
    description,
    ...(example === undefined ? {} : { examples: [example] }),
    ...further,
  });

/** The example of a scalar may be left out before further keywords: `text('A name.', { maxLength: 200 })`. */
const scalar =
  (type: JsonSchema) =>
  (description: string, example?: string | number | JsonSchema, further?: JsonSchema): JsonSchema =>
    typeof example === 'object'
      ? described(type)(description, undefined, example)
      : described(type)(description, example, further);

export const text = scalar({ type: 'string' });
/** A text that must not be empty. */
export const filledText = scalar({ type: 'string', minLength: 1 });
export const integer = scalar({ type: 'integer' });
export const number = scalar({ type: 'number' });
/** An id of a provider: text or a number. */
export const anyId = scalar({ anyOf: [{ type: 'string' }, { type: 'number' }] });
/** Any JSON value. */
export const anyValue = described({});

export const flag = (description: string, further: JsonSchema = {}): JsonSchema =>
  described({ type: 'boolean' })(description, undefined, further);

/** One of these values. */
export const choice = (values: readonly string[], description: string, further: JsonSchema = {}): JsonSchema =>
  described({ type: 'string', enum: values })(description, undefined, further);

/** A list. The example may be left out before further keywords. */
export const list = (
  items: JsonSchema,
  description: string,
  example?: readonly unknown[] | JsonSchema,
  further?: JsonSchema,
): JsonSchema =>
  example === undefined || isList(example)
    ? described({ type: 'array', items })(description, example, further)
    : described({ type: 'array', items })(description, undefined, example);

/** An object with these properties, and others if it is `open`. */
export const object = (
  properties: Properties,
  description: string,
  { required = [], open = false, example }: { required?: readonly string[]; open?: boolean; example?: unknown } = {},
): JsonSchema => described(objectSchema(properties, required, { additionalProperties: open }))(description, example);

/** An object with unknown properties. */
export const record = (description: string, example?: unknown, values: JsonSchema = {}): JsonSchema =>
  described({ type: 'object', additionalProperties: values })(description, example);

/** An output with these properties, and others that the provider may add. */
export const outputOf = (properties: Properties, required: readonly string[] = []): JsonSchema =>
  objectSchema(properties, required, { additionalProperties: true });

const DURATION_PATTERN = '^\\s*(?:(?:\\d+(?:\\.\\d+)?(?:ms|[smhdw]))+|\\d+(?:\\.\\d+)?)\\s*$';

/** A duration such as `1h30m`, or a number of seconds. */
export const durationSchema = (title: string, description: string, example: string): JsonSchema => ({
  title,
  description: `${description} As 500ms, 30s, 1h30m, 7d, or a number of seconds.`,
  anyOf: [
    { type: 'string', pattern: DURATION_PATTERN },
    { type: 'number', minimum: 0 },
  ],
  examples: [example],
});

const SCALARS: JsonSchema[] = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: 'null' }];

/** Text, number, true or false, or null for "leave it out": the value of a header. */
export const SCALAR: JsonSchema = { anyOf: SCALARS };

/** The same, or several of them: the value of a query parameter or a form field. */
export const SCALARS_OR_LIST: JsonSchema = { anyOf: [...SCALARS, { type: 'array', items: SCALAR }] };

/** An object with these members and no others. */
export const objectSchema = (
  properties: Properties,
  required: readonly string[] = [],
  further: JsonSchema = {},
): JsonSchema => ({
  type: 'object',
  properties: titled(properties),
  required,
  additionalProperties: false,
  ...further,
});

const has = (key: string): JsonSchema => ({ type: 'object', properties: { [key]: true }, required: [key] });

/** Exactly one of the keys is required. */
export const exactlyOneOf = (...keys: string[]): JsonSchema => ({ oneOf: keys.map(has) });

/** At most one of the keys is allowed. */
export const atMostOneOf = (...keys: string[]): JsonSchema => ({
  oneOf: [...keys.map(has), { not: { anyOf: keys.map(has) } }],
});

/** The keys that are required when `key` has a value: `{parse: ['text']}`. */
export const requiredWhen = (key: string, required: Readonly<Record<string, readonly string[]>>): JsonSchema => ({
  allOf: Object.entries(required).map(([value, names]) => ({
    if: { type: 'object', properties: { [key]: { const: value } }, required: [key] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, true])), required: names },
  })),
});

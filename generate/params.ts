import type { JsonSchema } from '../nodes/contract';

/** A rule of fastest-validator, as the contracts have it. */
type Rule = Readonly<Record<string, unknown>>;

type Translate = (rule: Rule, path: string) => JsonSchema;

/** Options of every rule. */
const COMMON = ['type', 'optional', 'nullable', 'convert', 'messages', 'default'];
/** Options that change a value, or how it is checked, and that a schema cannot express; they add no allowed values. */
const SILENT: Readonly<Record<string, readonly string[]>> = {
  string: ['trim', 'lowercase'],
  email: ['normalize', 'mode'],
  equal: ['strict'],
};

/** By the type of a rule: its schema, and which options it understands. */
const TYPES: Readonly<Record<string, { readonly options: readonly string[]; readonly translate: Translate }>> = {
  any: { options: [], translate: () => ({}) },
  boolean: { options: [], translate: () => ({ type: 'boolean' }) },
  uuid: { options: [], translate: () => ({ type: 'string', format: 'uuid' }) },
  email: {
    options: ['min', 'max'],
    translate: (rule) => ({ type: 'string', format: 'email', ...bounds(rule, 'minLength', 'maxLength') }),
  },
  string: {
    options: ['min', 'max', 'length', 'pattern', 'empty', 'enum'],
    translate: (rule) => ({
      type: 'string',
      ...(rule.empty === false ? { minLength: 1 } : {}),
      ...bounds(rule, 'minLength', 'maxLength'),
      ...(rule.length === undefined ? {} : { minLength: rule.length, maxLength: rule.length }),
      ...(rule.pattern instanceof RegExp ? patternOf(rule.pattern) : {}),
      ...(rule.enum === undefined ? {} : { enum: rule.enum }),
    }),
  },
  number: {
    options: ['min', 'max', 'integer', 'positive'],
    translate: (rule) => ({
      type: rule.integer === true ? 'integer' : 'number',
      ...(rule.positive === true ? { exclusiveMinimum: 0 } : {}),
      ...bounds(rule, 'minimum', 'maximum'),
    }),
  },
  enum: { options: ['values'], translate: ({ values }) => ({ enum: values }) },
  equal: { options: ['value'], translate: ({ value }) => ({ const: value }) },
  array: {
    options: ['items', 'min', 'max', 'length', 'unique', 'empty'],
    translate: (rule, path) => ({
      type: 'array',
      items: rule.items === undefined ? {} : schemaOfRule(rule.items, `${path}[]`),
      ...bounds(rule, 'minItems', 'maxItems'),
      ...(rule.length === undefined ? {} : { minItems: rule.length, maxItems: rule.length }),
      ...(rule.unique === true ? { uniqueItems: true } : {}),
    }),
  },
  record: {
    options: ['key', 'value'],
    translate: ({ key, value }, path) => ({
      type: 'object',
      ...(key === undefined || key === 'string' ? {} : { propertyNames: schemaOfRule(key, `${path}.(key)`) }),
      additionalProperties: value === undefined ? {} : schemaOfRule(value, `${path}.*`),
    }),
  },
  object: {
    options: ['props', 'properties', 'strict', 'minProps', 'maxProps'],
    translate: (rule, path) => {
      const props = (rule.props ?? rule.properties) as Rule | undefined;
      return {
        ...(props === undefined ? { type: 'object', additionalProperties: true } : schemaOfParams(props, path)),
        ...(rule.minProps === undefined ? {} : { minProperties: rule.minProps }),
        ...(rule.maxProps === undefined ? {} : { maxProperties: rule.maxProps }),
        // Unknown members are removed, unless the rule keeps or refuses them.
        ...(rule.strict === true ? { additionalProperties: false } : {}),
      };
    },
  },
  multi: {
    options: ['rules'],
    translate: ({ rules }, path) => ({
      anyOf: (rules as readonly unknown[]).map((rule) => schemaOfRule(rule, path)),
    }),
  },
};

const PARAM_OPTIONS = new Set(['$$strict']);

/**
 * The JSON Schema of fastest-validator rules. @throws Error for an unknown rule or option, which would be
 * missing in every description of the service
 */
export function schemaOfParams(params: Readonly<Record<string, unknown>>, path = ''): JsonSchema {
  const names = Object.keys(params).filter((name) => !name.startsWith('$$'));
  const unknown = Object.keys(params).find((name) => name.startsWith('$$') && !PARAM_OPTIONS.has(name));
  if (unknown !== undefined) throw new Error(`The option ${unknown} of ${path || 'the params'} is not known`);
  const properties = names.map((name): [string, JsonSchema] => [name, schemaOfRule(params[name], joined(path, name))]);
  const required = names.filter((name) => !isOptional(params[name]));
  return {
    type: 'object',
    ...(names.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
    ...(required.length === 0 ? {} : { required }),
    ...(names.length === 0 && params.$$strict !== true ? { additionalProperties: true } : {}),
  };
}

const joined = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** A rule may be a word (`string`, `string[]`, `string|optional`), a list of which one must hold, or an object. */
function schemaOfRule(rule: unknown, path: string): JsonSchema {
  if (Array.isArray(rule)) return { anyOf: rule.map((each) => schemaOfRule(each, path)) };
  const { type, ...options } = typeof rule === 'string' ? wordOf(rule) : (rule as Rule);
  const known = typeof type === 'string' && Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (known === undefined) throw new Error(`The rule "${String(type)}" of ${path} is not known`);
  const understood = [...COMMON, ...known.options, ...(SILENT[type as string] ?? [])];
  const odd = Object.keys(options).find((name) => !understood.includes(name));
  if (odd !== undefined) throw new Error(`The option "${odd}" of ${path} is not known`);
  const schema = { ...known.translate(options, path), ...defaultOf(options) };
  const isAnything = Object.keys(schema).length === 0;
  return options.nullable === true && !isAnything ? { anyOf: [schema, { type: 'null' }] } : schema;
}

/** The default. A function computes it for each request, and is not documented. */
const defaultOf = (rule: Rule): JsonSchema =>
  rule.default === undefined || typeof rule.default === 'function' ? {} : { default: rule.default };

function wordOf(text: string): Rule {
  const [word = '', ...options] = text.split('|');
  const flags = Object.fromEntries(options.map((option) => [option, true]));
  return word.endsWith('[]') ? { type: 'array', items: word.slice(0, -2), ...flags } : { type: word, ...flags };
}

const isOptional = (rule: unknown): boolean =>
  typeof rule === 'string'
    ? rule.split('|').includes('optional')
    : Array.isArray(rule)
      ? rule.some(isOptional)
      : (rule as Rule).optional === true || (rule as Rule).default !== undefined;

function bounds({ min, max }: Rule, least: string, most: string): JsonSchema {
  return { ...(min === undefined ? {} : { [least]: min }), ...(max === undefined ? {} : { [most]: max }) };
}

/** Flags are written into the pattern; a pattern whose flags cannot be expressed is omitted from the schema. */
const patternOf = ({ source, flags }: RegExp): JsonSchema => (flags.replace('u', '') === '' ? { pattern: source } : {});

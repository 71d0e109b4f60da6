import type { Json, JsonObject } from '../../lib/json';
import type { JsonSchema } from '../contract';
import { objectSchema } from '../schema';
import type { ConfigField, FieldType } from './definition';

/** What only a text with an expression gets past: those are looked at when they have their values. */
const FROM_THE_VAULT: JsonSchema = {
  type: 'string',
  pattern: '\\{\\{ *secret\\.NAME *\\}\\}',
  examples: ['{{ secret.NAME }}'],
};

const SCHEMAS: Readonly<Record<FieldType, (field: ConfigField) => JsonSchema>> = {
  string: () => ({ type: 'string' }),
  number: () => ({ type: 'number' }),
  boolean: () => ({ type: 'boolean' }),
  select: ({ options = [] }) => ({
    enum: options.map(({ value }) => value),
    'x-enum-titles': options.map(({ label }) => label),
  }),
  json: () => ({}),
  secret: () => ({ type: 'string', 'x-secret': true }),
};

/** The schema of a field's values. */
export function valueSchema(field: ConfigField): JsonSchema {
  return {
    ...SCHEMAS[field.type](field),
    title: field.label,
    ...(field.description === '' ? {} : { description: field.description }),
    ...(field.default === undefined ? {} : { default: field.default }),
  };
}

const withoutHints = (field: ConfigField): JsonSchema =>
  Object.fromEntries(Object.entries(valueSchema(field)).filter(([word]) => !word.startsWith('x-')));

const requiredNames = (fields: readonly ConfigField[]): string[] =>
  fields.filter((field) => field.required && field.default === undefined).map(({ name }) => name);

const membersOf = (
  fields: readonly ConfigField[],
  schema: (field: ConfigField) => JsonSchema,
): Record<string, JsonSchema> => Object.fromEntries(fields.map((field) => [field.name, schema(field)]));

/** The schema for workflows: no other members, and no secret in plain text. */
export const authoringSchema = (fields: readonly ConfigField[]): JsonSchema =>
  objectSchema(
    membersOf(fields, (field) =>
      field.type === 'secret' ? { ...valueSchema(field), ...FROM_THE_VAULT } : valueSchema(field),
    ),
    requiredNames(fields),
  );

/** The schema for runs: a field that was removed after the workflow was saved is allowed. */
export const inputSchema = (fields: readonly ConfigField[]): JsonSchema => ({
  ...objectSchema(membersOf(fields, valueSchema), requiredNames(fields)),
  additionalProperties: true,
});

/** The schema for agents: everything but secrets, which the author sets. Without hints, which some providers refuse. */
export function toolParameters(fields: readonly ConfigField[]): JsonSchema {
  const open = fields.filter(({ type }) => type !== 'secret');
  return objectSchema(membersOf(open, withoutHints), requiredNames(open));
}

/** The value of each field: the step's, else the default, else null. */
export function configOf(fields: readonly ConfigField[], input: JsonObject): JsonObject {
  const valueOf = ({ name, default: absent = null }: ConfigField): Json =>
    Object.hasOwn(input, name) ? (input[name] as Json) : absent;
  return Object.fromEntries(fields.map((field) => [field.name, valueOf(field)]));
}

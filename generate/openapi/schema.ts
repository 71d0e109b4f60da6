import type { JsonSchema } from '../../nodes/contract';
import { DEFINITIONS } from '../../lib/schema';

export type Schemas = Readonly<Record<string, JsonSchema>>;

/** Resolves a schema name, repeatedly. */
export function resolved(schema: JsonSchema, definitions: Schemas): JsonSchema {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  const found = definitions[$ref.slice(DEFINITIONS.length)];
  if (found === undefined) throw new Error(`There is no schema ${$ref}`);
  return resolved(found, definitions);
}

/** Members of an object's schema, by name. */
export const propertiesOf = (schema: JsonSchema): Schemas => (schema.properties ?? {}) as Schemas;

export const requiredOf = (schema: JsonSchema): readonly string[] => (schema.required ?? []) as readonly string[];

/** An object with some members of another, under names that may be others. */
export function objectOf(
  members: readonly (readonly [name: string, schema: JsonSchema, required: boolean])[],
): JsonSchema {
  const required = members.flatMap(([name, , needed]) => (needed ? [name] : []));
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, schema]) => [name, schema])),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** Names of the schemas that some document names, and those that they name. */
export function namedIn(document: unknown, definitions: Schemas, found = new Set<string>()): Set<string> {
  if (typeof document !== 'object' || document === null) return found;
  for (const [key, value] of Object.entries(document)) {
    if (key === '$ref' && typeof value === 'string' && value.startsWith(DEFINITIONS)) {
      const name = value.slice(DEFINITIONS.length);
      if (found.has(name)) continue;
      found.add(name);
      namedIn(definitions[name], definitions, found);
    } else namedIn(value, definitions, found);
  }
  return found;
}

const INSTANT = /(?:^|_)(?:at|since|until)$|^(?:next_runs|started|ended)$/;

/** The same schema; members whose names denote a time get `format: date-time`. */
export function withFormats(schema: JsonSchema): JsonSchema {
  const walk = (value: unknown, name: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => walk(item, name));
    if (typeof value !== 'object' || value === null) return value;
    const { properties, ...rest } = value as { properties?: Schemas } & Record<string, unknown>;
    const text = rest.type === 'string' || (Array.isArray(rest.type) && rest.type.join() === 'string,null');
    const own = Object.entries(rest).map(([key, member]) => [key, key === 'enum' ? member : walk(member, name)]);
    return {
      ...Object.fromEntries(own),
      ...(text && INSTANT.test(name) && rest.enum === undefined ? { format: 'date-time' } : {}),
      ...(properties === undefined
        ? {}
        : {
            properties: Object.fromEntries(Object.entries(properties).map(([key, member]) => [key, walk(member, key)])),
          }),
    };
  };
  return walk(schema, '') as JsonSchema;
}

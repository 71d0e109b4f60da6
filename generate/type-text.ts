import type { JsonSchema } from '../nodes/contract';
import { DEFINITIONS } from '../lib/schema';

/** The TypeScript type of a JSON Schema. Limits such as a length, which a type cannot express, are left to the server. */
export function typeText(schema: JsonSchema): string {
  const { $ref, enum: words, anyOf, type, items } = schema;
  if (typeof $ref === 'string') return $ref.slice(DEFINITIONS.length);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(words)) return words.map((word) => JSON.stringify(word)).join(' | ');
  if (Array.isArray(anyOf)) return unionText(anyOf.map((each) => typeText(each as JsonSchema)));
  if (Array.isArray(type)) return unionText(type.map((each) => typeText({ ...schema, type: each })));
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `(${typeText((items ?? {}) as JsonSchema)})[]`;
    case 'object':
      return objectText(schema);
    default:
      return 'unknown';
  }
}

/** A union or intersection with `unknown` is `unknown`. */
export const unionText = (types: readonly string[]): string =>
  types.includes('unknown') ? 'unknown' : [...new Set(types)].join(' | ');

function objectText({ properties, required, additionalProperties }: JsonSchema): string {
  const needed = new Set((required ?? []) as readonly string[]);
  const members = Object.entries((properties ?? {}) as Readonly<Record<string, JsonSchema>>).map(([name, schema]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    return `${key}${needed.has(name) ? '' : '?'}: ${typeText(schema)}`;
  });
  // Members that a response does not name must not be relied on; in a request, any member is allowed.
  if (members.length > 0) {
    const text = `{ ${members.join('; ')} }`;
    return additionalProperties === true ? `${text} & Record<string, unknown>` : text;
  }
  if (typeof additionalProperties !== 'object' || additionalProperties === null) return 'Record<string, unknown>';
  return `Record<string, ${typeText(additionalProperties as JsonSchema)}>`;
}

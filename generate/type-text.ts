import type { JsonSchema } from '../nodes/contract';
import { DEFINITIONS } from '../lib/schema';

/** A JSON Schema of the document as a TypeScript type. What a type cannot say, such as a length, is left to the server. */
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

/** Whatever stands beside `unknown` says nothing more. */
export const unionText = (types: readonly string[]): string =>
  types.includes('unknown') ? 'unknown' : [...new Set(types)].join(' | ');

function objectText({ properties, required, additionalProperties }: JsonSchema): string {
  const needed = new Set((required ?? []) as readonly string[]);
  const members = Object.entries((properties ?? {}) as Readonly<Record<string, JsonSchema>>).map(([name, schema]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    return `${key}${needed.has(name) ? '' : '?'}: ${typeText(schema)}`;
  });
  // What is not named in an answer is nothing that a program may rely on; in a request it says that anything may stand there.
  if (members.length > 0) {
    const text = `{ ${members.join('; ')} }`;
    return additionalProperties === true ? `${text} & Record<string, unknown>` : text;
  }
  if (typeof additionalProperties !== 'object' || additionalProperties === null) return 'Record<string, unknown>';
  return `Record<string, ${typeText(additionalProperties as JsonSchema)}>`;
}

import { isToken } from '../../../lib/egress';
import { HOP_BY_HOP } from '../../../lib/hop-by-hop';
import { isObject } from '../../../lib/json';
import type { JsonSchema } from '../../../nodes/contract';
import type { ImportedParameter } from '../../../nodes/connectors/imported';
import { uniqueName } from './names';
import { simplified } from './schema';
import { listOf, type Source, textOf } from './source';

/** Of one operation. */
export const MAX_PARAMETERS = 100;
const MAX_NAME_CHARS = 100;

/** Headers that the service sets itself, or that authenticate. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  'accept',
  'authorization',
  'content-length',
  'content-type',
  'cookie',
  'host',
  'proxy-authorization',
]);

/** A member of a step's configuration that goes into a request. */
interface Member {
  readonly parameter: ImportedParameter;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

/** Parameters of an operation, with those of its path; the operation's own count where both have one. */
export function parametersOf(source: Source, ofPath: unknown, ofOperation: unknown, taken: Set<string>): Member[] {
  const all = [ofPath, ofOperation].flatMap((each) => listOf(each).slice(0, MAX_PARAMETERS));
  const given = all.slice(0, MAX_PARAMETERS).flatMap((each) => {
    const parameter = source.resolve(each);
    return parameter === null || !isUsable(parameter) ? [] : [parameter];
  });
  const byPlace = new Map(given.map((parameter) => [`${String(parameter.in)}:${String(parameter.name)}`, parameter]));
  return [...byPlace.values()].map((parameter) => memberOf(source, parameter, taken));
}

function isUsable({ name, in: place }: Record<string, unknown>): boolean {
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME_CHARS) return false;
  if (place === 'path' || place === 'query') return true;
  return (place === 'header' || place === 'cookie') && isToken(name) && !OWN_HEADERS.has(name.toLowerCase());
}

function memberOf(source: Source, parameter: Record<string, unknown>, taken: Set<string>): Member {
  const [name, place] = [String(parameter.name), parameter.in as ImportedParameter['in']];
  const key = uniqueName(keyOf(name), taken);
  // Swagger 2 has the schema's words beside the name; OpenAPI may have the schema under a media type.
  const schema = simplified(schemaIn(parameter, source), source);
  const { style, explode, collectionFormat } = parameter;
  return {
    parameter: {
      key,
      name,
      in: place,
      explode: collectionFormat === undefined ? explode !== false : collectionFormat === 'multi',
      deep: style === 'deepObject',
    },
    schema: {
      ...schema,
      title: textOf(schema.title, 200) || name,
      description: textOf(parameter.description) || textOf(schema.description) || `Sent in the ${place}.`,
    },
    required: place === 'path' || parameter.required === true,
  };
}

function schemaIn(parameter: Record<string, unknown>, source: Source): unknown {
  const { schema, content } = parameter;
  if (schema !== undefined) return schema;
  const [[, first] = []] = source.members(content);
  return isObject(first) ? first.schema : parameter;
}

/** A name that expressions and forms can have. */
function keyOf(name: string): string {
  const key = name.replace(/\W+/g, '_').replace(/^_+|_+$/g, '');
  return /^[A-Za-z]/.test(key) ? key : `p_${key}`;
}

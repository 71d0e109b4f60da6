import { isObject } from '../../../lib/json';
import type { JsonSchema } from '../../../nodes/contract';
import type { ImportedAction } from '../../../nodes/connectors/imported';
import { MAX_PARAMETERS } from './parameters';
import { simplified } from './schema';
import { listOf, type Source, textOf } from './source';

/** The body of an operation; `unusable`: it needs one of a kind that cannot be sent. */
type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'unusable' }
  | {
      readonly kind: 'body';
      readonly sent: NonNullable<ImportedAction['body']>;
      readonly schema: JsonSchema;
      readonly required: boolean;
    };

/** Kinds of bodies that are looked at. */
const MAX_MEDIA_TYPES = 100;

const NONE: Body = { kind: 'none' };

/** The body of an operation of OpenAPI 3. */
export function bodyOf(source: Source, given: unknown): Body {
  const body = source.resolve(given);
  if (body === null) return NONE;
  const required = body.required === true;
  const ranked = source
    .members(body.content)
    .slice(0, MAX_MEDIA_TYPES)
    .map(([type, media]) => ({ type, media: source.resolve(media), kind: kindOf(type) }))
    .flatMap(({ type, media, kind }) => (kind === null ? [] : [{ type, media, kind }]))
    .sort((a, b) => RANK[a.kind] - RANK[b.kind]);
  const [best] = ranked;
  if (best === undefined) return required ? { kind: 'unusable' } : NONE;
  const type = best.type.includes('*') ? 'application/json' : best.type;
  return made(source, { kind: best.kind, type }, best.media?.schema, required, textOf(body.description));
}

/** The body of an operation of Swagger 2: a parameter `body`, or parameters that are fields of a form. */
export function oldBodyOf(source: Source, parameters: unknown, consumes: unknown): Body {
  const all = listOf(parameters)
    .slice(0, MAX_PARAMETERS)
    .map((each) => source.resolve(each))
    .filter((parameter) => parameter !== null);
  const whole = all.find((parameter) => parameter.in === 'body');
  if (whole !== undefined) {
    const sent = { kind: 'json', type: 'application/json' } as const;
    return made(source, sent, whole.schema, whole.required === true, textOf(whole.description));
  }
  const fields = all.filter((parameter) => parameter.in === 'formData' && typeof parameter.name === 'string');
  if (fields.length === 0) return NONE;
  const isMultipart = listOf(consumes).slice(0, MAX_MEDIA_TYPES).includes('multipart/form-data');
  if (fields.some(({ type }) => type === 'file') || isMultipart) return { kind: 'unusable' };
  const required = fields.filter((parameter) => parameter.required === true).map(({ name }) => name);
  const schema = {
    type: 'object',
    // Beside the words of a parameter stand those of its schema.
    properties: Object.fromEntries(fields.map((field) => [String(field.name), field])),
    required,
  };
  return made(source, { kind: 'form', type: FORM }, schema, required.length > 0, '');
}

const FORM = 'application/x-www-form-urlencoded';
const RANK = { json: 0, form: 1, text: 2 } as const;

function kindOf(type: string): 'json' | 'form' | 'text' | null {
  const media = type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!/^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+$/.test(media)) return null;
  if (media === '*/*' || /^application\/(?:[^/]+\+)?(?:json|\*)$/.test(media)) return 'json';
  if (media === FORM) return 'form';
  return media.startsWith('text/') || /[/+]xml$/.test(media) ? 'text' : null;
}

function made(
  source: Source,
  sent: NonNullable<ImportedAction['body']>,
  given: unknown,
  required: boolean,
  description: string,
): Body {
  const schema = sent.kind === 'text' ? { type: 'string' } : simplified(isObject(given) ? given : {}, source);
  return {
    kind: 'body',
    sent,
    required,
    schema: {
      ...schema,
      title: textOf(schema.title, 200) || 'Body',
      description: description || textOf(schema.description) || `Sent as ${sent.type}.`,
    },
  };
}

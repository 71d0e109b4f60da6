import Ajv, { type ValidateFunction } from 'ajv/dist/2020';
import document from '../../services/api-gateway/openapi/document.json';

export type Schema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
}

interface Response {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

/** An operation of the document, with what it names put in its place. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** By content type; null for an operation that takes no body. */
  readonly bodies: Readonly<Record<string, Schema>> | null;
  readonly responses: ReadonlyMap<number, Response>;
}

interface Given {
  readonly operationId: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
}

const ROOT: unknown = document;
const ajv = new Ajv({ strict: false, validateFormats: false });
ajv.addSchema(document, 'api');

/** What stands behind a reference of the document. */
export function resolved<T extends object>(value: T | { readonly $ref: string }): T {
  if (!('$ref' in value)) return value;
  const steps = value.$ref.slice(2).split('/');
  return steps.reduce((at: unknown, step) => (at as Record<string, unknown>)[step], ROOT) as T;
}

/** Every operation that the document has. */
export const OPERATIONS: readonly Operation[] = Object.entries(
  document.paths as unknown as Record<string, Record<string, Given>>,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, given]) => ({
    id: given.operationId,
    method: method.toUpperCase(),
    path,
    parameters: (given.parameters ?? []).map((each) => resolved(each)),
    bodies:
      given.requestBody === undefined
        ? null
        : Object.fromEntries(
            Object.entries(given.requestBody.content).map(([type, { schema = {} }]) => [type, schema]),
          ),
    responses: new Map(
      Object.entries(given.responses).map(([status, response]) => [Number(status), resolved(response)]),
    ),
  })),
);

/** The same document, in which objects have the members that are named, and no others. */
const closed: unknown = JSON.parse(JSON.stringify(document), (_key, value: unknown) => {
  if (typeof value !== 'object' || value === null || !('properties' in value)) return value;
  return 'type' in value && value.type === 'object' && !('additionalProperties' in value)
    ? { ...value, additionalProperties: false }
    : value;
});
ajv.addSchema(closed as object, 'closed');

const known = new Map<string, ValidateFunction>();

/**
 * Why an answer is not what the document says of it, also where it has more than that; null when it is.
 * @throws Error when the document says nothing of such an answer
 */
export function misfit({ path, method }: Operation, status: number, contentType: string, body: unknown): string | null {
  const places = ['paths', path, method.toLowerCase(), 'responses', String(status)];
  // Refusals may have members of their own.
  const text = status < 400 ? 'closed' : 'api';
  const response = places.reduce((value: unknown, name) => (value as Record<string, unknown>)[name], ROOT);
  const { $ref = `#/${places.map(pointed).join('/')}` } = response as { $ref?: string };
  const place = `${text}${$ref}/content/${pointed(contentType)}/schema`;
  const validate = known.get(place) ?? ajv.getSchema(place);
  if (validate === undefined) throw new Error(`There is no schema at ${place}`);
  known.set(place, validate);
  return validate(body) ? null : ajv.errorsText(validate.errors, { dataVar: 'body' });
}

const pointed = (name: string): string => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));

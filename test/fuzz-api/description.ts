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

const known = new Map<Schema, ValidateFunction>();

/** Why a value is not what a schema of the document says; null when it is. */
export function misfit(schema: Schema, value: unknown): string | null {
  const validate = known.get(schema) ?? ajv.compile(withPlaces(schema));
  known.set(schema, validate);
  return validate(value) ? null : ajv.errorsText(validate.errors, { dataVar: 'body' });
}

/** Names of the document, as ajv knows it. */
const withPlaces = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"api#/')) as Schema;

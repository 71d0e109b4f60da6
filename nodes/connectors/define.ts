import type { Json, JsonObject } from '../../lib/json';
import type { JsonSchema } from '../contract';
import type { ConnectorRequest, CredentialField, HttpAction, Pages } from './contract';
import { filled } from './http/path';
import { outputOf } from './schemas';

type Members = Readonly<Record<string, JsonSchema>>;

interface Exchange {
  /** Members of the input that must be there. */
  readonly needs?: Members;
  /** Members that may be left out. */
  readonly may?: Members;
}

/**
 * A request of members of the input, `PUT /tasks/{task}`: those in braces go into the path, the others into the query, or
 * into the body of POST, PUT and PATCH.
 */
interface Call extends Exchange {
  readonly call: `${ConnectorRequest['method']} ${string}`;
  /** Parameters that every request carries. */
  readonly query?: Query;
  /** Members that every body carries. */
  readonly body?: JsonObject;
  /** The member of the body that has all these. */
  readonly within?: string;
  readonly form?: boolean;
}

interface Request extends Exchange {
  readonly request: HttpAction['request'];
}

/** An exchange with one answer. */
interface Once {
  readonly output: JsonSchema;
  readonly read?: HttpAction['read'];
}

/** An exchange for every page of a list. */
interface Paged {
  readonly item: JsonSchema;
  readonly pages: Pages;
}

const action =
  (effect: HttpAction['effect'], repeatable: boolean) =>
  (name: string, title: string, description: string, line: (Call | Request) & (Once | Paged)): HttpAction => ({
    kind: 'http',
    name,
    title,
    description,
    effect,
    repeatable,
    input: { ...line.needs, ...line.may },
    required: Object.keys(line.needs ?? {}),
    request: 'call' in line ? requestOf(line) : line.request,
    ...('pages' in line
      ? { output: line.item, pages: line.pages }
      : { output: line.output, ...(line.read === undefined ? {} : { read: line.read }) }),
  });

/** An action that only asks. */
export const asks = action('read', true);
/** An action that changes something, each time it is done. */
export const does = action('write', false);
/** An action after which things are as it says, however often it is done. */
export const settles = action('write', true);

function requestOf({ call, query, body, within, form, needs, may }: Call): HttpAction['request'] {
  const [method, path] = call.split(' ') as [ConnectorRequest['method'], string];
  const others = Object.keys({ ...needs, ...may }).filter((name) => !path.includes(`{${name}}`));
  const hasBody = BODIED.has(method);
  return (input) => {
    const members = { ...body, ...(hasBody ? pick(input, ...others) : {}) };
    return {
      method,
      url: filled(path, input),
      query: hasBody ? query : { ...query, ...ask(input, ...others) },
      ...(hasBody && (body !== undefined || others.length > 0)
        ? { body: within === undefined ? members : { [within]: members } }
        : {}),
      ...(form === undefined ? {} : { form }),
    };
  };
}

const BODIED: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

type Query = NonNullable<ConnectorRequest['query']>;

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** Members of the input for a body; those that were left out stay out. */
export const pick = (input: JsonObject, ...names: readonly string[]): JsonObject =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(input, name)).map((name) => [name, input[name] ?? null]));

/** Members of the input for a query: values that are no scalars, or lists of them, stay out. */
export function ask(input: JsonObject, ...names: readonly string[]): Query {
  return Object.fromEntries(
    Object.entries(pick(input, ...names)).flatMap(([name, value]): [string, Query[string]][] => {
      if (isScalar(value)) return [[name, value]];
      return Array.isArray(value) ? [[name, value.filter(isScalar)]] : [];
    }),
  );
}

/** A list in one parameter, its parts separated by commas. */
export const commas = (value: Json | undefined): string | undefined =>
  Array.isArray(value) ? value.filter(isScalar).join(',') : undefined;

/** The output of what is answered with nothing to say. */
export const nothing = (): JsonObject => ({});

/** The schema of that. */
export const NOTHING = outputOf({});

const credential =
  (secret: boolean, format?: CredentialField['format']) =>
  (
    name: string,
    title: string,
    description: string,
    example: string,
    further: Partial<CredentialField> = {},
  ): CredentialField => ({
    name,
    title,
    description,
    secret,
    required: true,
    example,
    ...(format === undefined ? {} : { format }),
    ...further,
  });

/** A field of an account that is never shown. */
export const hidden = credential(true);
/** A field of an account that may be seen. */
export const shown = credential(false);
/** Where the product runs for this customer. */
export const site = credential(false, 'url');

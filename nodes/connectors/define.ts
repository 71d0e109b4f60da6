import { isObject, type JsonObject } from '../../lib/json';
import type { JsonSchema } from '../contract';
import { outputOf, titled, titleOf } from '../schema';
import type { Connector, ConnectorRequest, CredentialField, HttpAction, Pages } from './contract';
import { fillPath } from './http/path';
import { pick, queryFrom } from './input';

type Properties = Readonly<Record<string, JsonSchema>>;
type Query = NonNullable<ConnectorRequest['query']>;

interface CommonSpec {
  /** Default: by the name of the action. */
  readonly title?: string;
  readonly required?: Properties;
  readonly optional?: Properties;
}

/**
 * A request described by its method and path, such as `PUT /tasks/{task}`. Input fields in braces go into the path, the
 * others into the query, or into the body of POST, PUT and PATCH.
 */
interface Call {
  readonly call: `${ConnectorRequest['method']} ${string}`;
  /** Parameters of every request. */
  readonly query?: Query;
  /** Members of every body. */
  readonly body?: JsonObject;
  /** The member of the body that contains all the others. */
  readonly bodyKey?: string;
  readonly form?: boolean;
}

type Request = Call | Pick<HttpAction, 'request'>;

type Response =
  | { readonly output: JsonSchema; readonly read?: HttpAction['read'] }
  /** A list in pages. */
  | { readonly item: JsonSchema; readonly pages: Pages };

type ActionSpec = CommonSpec & Request & Response;

const action =
  (effect: HttpAction['effect'], repeatable: boolean) =>
  (name: string, description: string, spec: ActionSpec): HttpAction => {
    const input = { ...spec.required, ...spec.optional };
    return {
      kind: 'http',
      name,
      title: spec.title ?? titleOf(name),
      description,
      effect,
      repeatable,
      input,
      required: Object.keys(spec.required ?? {}),
      request: 'call' in spec ? requestOf(spec, Object.keys(input)) : spec.request,
      ...('pages' in spec
        ? { output: spec.item, pages: spec.pages }
        : { output: spec.output, ...(spec.read === undefined ? {} : { read: spec.read }) }),
    };
  };

export const readAction = action('read', true);
export const writeAction = action('write', false);
/** A write that has the same result however often it is repeated. */
export const idempotentWrite = action('write', true);

const BODY_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

function requestOf({ call, query, body, bodyKey, form }: Call, names: readonly string[]): HttpAction['request'] {
  const [method, path] = call.split(' ') as [ConnectorRequest['method'], string];
  const others = names.filter((name) => !path.includes(`{${name}}`));
  if (!BODY_METHODS.has(method)) {
    return (input) => ({ method, url: fillPath(path, input), query: { ...query, ...queryFrom(input, ...others) } });
  }
  const hasBody = body !== undefined || others.length > 0;
  return (input) => {
    const members = { ...body, ...pick(input, ...others) };
    return {
      method,
      url: fillPath(path, input),
      query,
      ...(hasBody ? { body: bodyKey === undefined ? members : { [bodyKey]: members } } : {}),
      ...(form === undefined ? {} : { form }),
    };
  };
}

/** The response and output of an action that returns nothing. */
export const NO_OUTPUT = { output: outputOf({}), read: (): JsonObject => ({}) };

type ConnectorSpec = Omit<Connector, 'auth' | 'base' | 'connectionTest'> & {
  readonly base: string | Connector['base'];
  /** Fields of a manual connection. */
  readonly fields: readonly CredentialField[];
  readonly oauth?: Connector['auth']['oauth'];
  /** False if actions work without a connection. */
  readonly needsConnection?: boolean;
  /** The name of a read action without input that tests credentials, or the action and its input. */
  readonly connectionTest?: string | Connector['connectionTest'];
};

export function defineConnector({
  base,
  fields,
  oauth,
  needsConnection = true,
  connectionTest,
  actions,
  ...rest
}: ConnectorSpec): Connector {
  return {
    ...rest,
    auth: { required: needsConnection, fields, ...(oauth === undefined ? {} : { oauth }) },
    base: typeof base === 'string' ? () => base : base,
    ...(connectionTest === undefined
      ? {}
      : {
          connectionTest: typeof connectionTest === 'string' ? { action: connectionTest, input: {} } : connectionTest,
        }),
    actions: actions.map((each) => ({ ...each, input: titled(each.input), output: titledOutput(each.output) })),
  };
}

const titledOutput = (output: JsonSchema): JsonSchema =>
  isObject(output.properties) ? { ...output, properties: titled(output.properties as Properties) } : output;

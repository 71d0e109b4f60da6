import type { Answer } from '../../services/api-gateway/http/answer';
import type { JsonRoute } from '../../services/api-gateway/routes/route';
import type { JsonSchema } from '../../nodes/contract';
import { objectOf, propertiesOf, requiredOf, resolved, type Schemas } from './schema';

/** What of a request an action's params are made of. */
interface AcceptedParams {
  /** Null where the route takes none. */
  readonly body: JsonSchema | null;
  readonly query: readonly (readonly [name: string, schema: JsonSchema, required: boolean])[];
  /** Variables of the path, with their rules. */
  readonly path: Schemas;
}

/** Which params come from where, as `serveJson` puts them together. */
export function acceptedParamsOf(route: JsonRoute, params: JsonSchema, pathNames: readonly string[]): AcceptedParams {
  const rules = propertiesOf(params);
  const required = new Set(requiredOf(params));
  const path = Object.fromEntries(
    pathNames.flatMap((name) => (rules[name] === undefined ? [] : [[name, rules[name]]])),
  );
  if (route.body !== null) return { body: rules[route.body] ?? {}, query: [], path };
  const elsewhere = new Set<string>([...pathNames, ...Object.keys(route.fixed), ...route.given, ...route.query]);
  const members = Object.entries(rules).flatMap(([name, rule]) =>
    elsewhere.has(name) ? [] : [[name, rule, required.has(name)] as const],
  );
  if (route.method !== 'POST' && route.method !== 'PUT') return { body: null, query: members, path };
  const query = route.query.map((name) => [name, rules[name] ?? {}, required.has(name)] as const);
  const open = params.additionalProperties === true;
  if (members.length === 0 && !open) return { body: null, query, path };
  const body = objectOf(members);
  return { body: open ? { ...body, additionalProperties: true } : body, query, path };
}

const marker = (name: string): string => `\u0000${name}`;

/** One way in which a route answers. */
export interface ProbedResponse {
  readonly status: number;
  readonly body: JsonSchema | null;
  readonly headers: readonly string[];
}

/**
 * Every way in which a route answers a success: with the result, or with what its own function makes of that. The function
 * is called with distinguishable values; their positions in its result show which member goes where.
 */
export function probedResponses(
  { answer, status }: { answer: ((result: never) => Partial<Answer>) | null; status: number },
  result: JsonSchema | null,
  definitions: Schemas,
): readonly ProbedResponse[] {
  const plain: ProbedResponse = { status, body: status === 204 ? null : result, headers: [] };
  if (answer === null) return [plain];
  const shape = result === null ? {} : resolved(result, definitions);
  const samples = [true, false].map((flag) => sampleOf(shape, flag));
  const probed = samples.map((sample): ProbedResponse => {
    const own = answer(sample as never);
    const body = 'body' in own ? bodyOf(own.body, sample, shape) : result;
    const code = own.status ?? status;
    return { status: code, body: code === 204 ? null : body, headers: Object.keys(own.headers ?? {}) };
  });
  const byStatus = new Map<number, ProbedResponse>();
  for (const each of probed) {
    const headers = [...new Set([...(byStatus.get(each.status)?.headers ?? []), ...each.headers])];
    byStatus.set(each.status, { ...each, headers });
  }
  return [...byStatus.values()].sort((a, b) => a.status - b.status);
}

/** Members of a result, each of which can be recognised; all flags are as asked. */
function sampleOf(shape: JsonSchema, flag: boolean): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(propertiesOf(shape)).map(([name, schema]) => {
      if (schema.type === 'boolean') return [name, flag];
      // A flag that is there or is not: `duplicate?: true`.
      if (schema.const === true && !requiredOf(shape).includes(name)) return [name, flag ? true : undefined];
      return [name, schema.type === 'string' ? marker(name) : { [marker(name)]: true }];
    }),
  );
}

function bodyOf(body: unknown, sample: Readonly<Record<string, unknown>>, shape: JsonSchema): JsonSchema | null {
  if (body === undefined) return null;
  const properties = propertiesOf(shape);
  const single = Object.keys(sample).find((name) => sample[name] === body);
  if (single !== undefined) return properties[single] as JsonSchema;
  const required = requiredOf(shape);
  const members = Object.keys(body as object).map((name) => {
    const schema = properties[name];
    if (schema === undefined) throw new Error(`An answer has ${name}, which its action does not give`);
    return [name, schema, required.includes(name)] as const;
  });
  return objectOf(members);
}

import type { Answer } from '../../services/api-gateway/http/answer';
import type { Given, JsonRoute } from '../../services/api-gateway/routes/route';
import type { JsonSchema } from '../../nodes/contract';
import { objectOf, propertiesOf, requiredOf, resolved, type Schemas } from './schema';

/**
 * What stands in functions of the route tables, found out by calling them: they are shown values that can be told apart,
 * and where those come out again says which member goes where.
 */

/** What of a request an action's params are made of. */
export interface Taken {
  /** Null where the route takes none. `whole`: the body is one param, or all of them. */
  readonly body: JsonSchema | null;
  readonly query: readonly (readonly [name: string, schema: JsonSchema, required: boolean])[];
  /** Variables of the path, with their rules. */
  readonly path: Schemas;
}

/** @throws Error for a param that is made of something else than members of path, query and body */
export function takenBy(route: JsonRoute, params: JsonSchema, pathNames: readonly string[]): Taken {
  const rules = propertiesOf(params);
  const required = new Set(requiredOf(params));
  const open = params.additionalProperties === true;
  const fromBody = route.method === 'POST' || route.method === 'PUT';
  const pathOf = (given: Readonly<Record<string, unknown>>): Schemas =>
    Object.fromEntries(
      Object.entries(given).flatMap(([param, value]) => {
        const name = pathNames.find((each) => value === marker('path', each));
        return name === undefined ? [] : [[name, rules[param] ?? { type: 'string' }]];
      }),
    );
  const asGiven = Object.fromEntries(pathNames.map((name) => [name, marker('path', name)]));
  if (route.params === null) {
    const rest = Object.keys(rules).filter((name) => !pathNames.includes(name));
    const members = rest.map((name) => [name, rules[name] as JsonSchema, required.has(name)] as const);
    if (!fromBody) return { body: null, query: members, path: pathOf(asGiven) };
    const body = rest.length === 0 && !open ? null : withRest(objectOf(members), open);
    return { body, query: [], path: pathOf(asGiven) };
  }
  const shown = given(Object.keys(rules), pathNames);
  const made = route.params(shown) as Readonly<Record<string, unknown>>;
  if (made === shown.body) return { body: withRest(params, open), query: [], path: pathOf(asGiven) };
  const whole = Object.keys(made).find((param) => made[param] === shown.body);
  if (whole !== undefined) return { body: rules[whole] ?? {}, query: [], path: pathOf(made) };
  const taken = (from: 'body' | 'query') =>
    Object.entries(made).flatMap(([param, value]) => {
      const name = Object.keys(rules).find((each) => value === marker(from, each));
      return name === undefined ? [] : [[name, rules[param] ?? {}, required.has(param)] as const];
    });
  const members = taken('body');
  return {
    body: members.length === 0 ? null : objectOf(members),
    query: taken('query'),
    path: { ...pathOf(asGiven), ...pathOf(made) },
  };
}

const withRest = (schema: JsonSchema, open: boolean): JsonSchema =>
  open ? { ...schema, additionalProperties: true } : schema;

const marker = (from: string, name: string): string => `\u0000${from}:${name}`;

/** A request whose every member can be recognised. */
function given(names: readonly string[], pathNames: readonly string[]): Given {
  const marked = (from: string, of: readonly string[]): Record<string, string> =>
    Object.fromEntries(of.map((name) => [name, marker(from, name)]));
  return {
    path: marked('path', pathNames),
    query: marked('query', names),
    body: marked('body', names),
    address: marker('address', ''),
    origin: marker('origin', ''),
    idempotencyKey: marker('key', ''),
    token: marker('token', ''),
  };
}

/** One way in which a route answers. */
export interface Told {
  readonly status: number;
  readonly body: JsonSchema | null;
  readonly headers: readonly string[];
}

/** Every way in which a route answers a success: as its action does, or as its own words make of that. */
export function toldBy(
  { answer, status }: { answer: ((result: never) => Partial<Answer>) | null; status: number },
  result: JsonSchema | null,
  definitions: Schemas,
): readonly Told[] {
  const plain: Told = { status, body: status === 204 ? null : result, headers: [] };
  if (answer === null) return [plain];
  const shape = result === null ? {} : resolved(result, definitions);
  const samples = [true, false].map((flag) => sampleOf(shape, flag));
  const told = samples.map((sample): Told => {
    const own = answer(sample as never);
    const body = 'body' in own ? bodyOf(own.body, sample, shape) : result;
    const code = own.status ?? status;
    return { status: code, body: code === 204 ? null : body, headers: Object.keys(own.headers ?? {}) };
  });
  const byStatus = new Map<number, Told>();
  for (const each of told) {
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
      return [name, schema.type === 'string' ? marker('result', name) : { [marker('result', name)]: true }];
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

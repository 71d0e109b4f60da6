import type { Json, JsonObject } from '../../lib/json';
import type { ConnectorRequest } from './contract';

type Query = NonNullable<ConnectorRequest['query']>;

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** The members of the input with these names, if present. */
export const pick = (input: JsonObject, ...names: readonly string[]): JsonObject =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(input, name)).map((name) => [name, input[name] ?? null]));

/** The same as parameters of a query: only scalars and lists of scalars. */
export function queryFrom(input: JsonObject, ...names: readonly string[]): Query {
  return Object.fromEntries(
    Object.entries(pick(input, ...names)).flatMap(([name, value]): [string, Query[string]][] => {
      if (isScalar(value)) return [[name, value]];
      return Array.isArray(value) ? [[name, value.filter(isScalar)]] : [];
    }),
  );
}

/** A list as one comma-separated parameter. */
export const commaSeparated = (value: Json | undefined): string | undefined =>
  Array.isArray(value) ? value.filter(isScalar).join(',') : undefined;

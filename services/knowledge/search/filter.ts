import { AppError } from '../../../lib/errors';
import { isObject } from '../../../lib/json';

/** Operand of a comparison with metadata. */
export type Scalar = string | number | boolean | null;

/** A condition on the metadata of documents. `path`: keys, outermost first. */
export type Filter =
  | { readonly kind: 'all' | 'any'; readonly filters: readonly Filter[] }
  | { readonly kind: 'not'; readonly filter: Filter }
  | { readonly kind: 'equal' | 'unequal'; readonly path: readonly string[]; readonly value: Scalar }
  | { readonly kind: 'in' | 'not_in'; readonly path: readonly string[]; readonly values: readonly Scalar[] }
  | {
      readonly kind: 'gt' | 'gte' | 'lt' | 'lte';
      readonly path: readonly string[];
      readonly value: string | number;
    }
  | { readonly kind: 'exists'; readonly path: readonly string[]; readonly expected: boolean };

const MAX_DEPTH = 5;
const MAX_CONDITIONS = 50;
const MAX_VALUES = 100;
const MAX_VALUE_CHARS = 1_000;
const MAX_KEY_CHARS = 200;
const MAX_KEY_DEPTH = 8;
/** Would address members of the object prototype. */
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Parses a filter such as `{author: "Ada", year: {gte: 1840}, or: [...]}`. All members must match. Pure.
 * @throws AppError invalid_query with the path of the error
 */
export function parseFilter(given: unknown): Filter {
  let conditions = 0;
  return parseObject(given, 'filter', 0);

  function parseObject(value: unknown, at: string, depth: number): Filter {
    if (!isObject(value)) throw invalid(at, 'must be an object such as {"author": "Ada"}');
    if (depth > MAX_DEPTH) throw invalid(at, `is nested deeper than ${MAX_DEPTH}`);
    const filters = Object.entries(value).flatMap(([key, member]) => parseMember(key, member, `${at}.${key}`, depth));
    // An empty object counts too, or a request could contain an unlimited number of them.
    if (filters.length === 0) return counted({ kind: 'all', filters }, at);
    return filters.length === 1 ? (filters[0] as Filter) : { kind: 'all', filters };
  }

  function parseMember(key: string, value: unknown, at: string, depth: number): Filter[] {
    if (key === 'and' || key === 'or') {
      if (!Array.isArray(value) || value.length === 0) throw invalid(at, 'must be a list of filters');
      const filters = value.map((each: unknown, n) => parseObject(each, `${at}[${n}]`, depth + 1));
      return [{ kind: key === 'and' ? 'all' : 'any', filters }];
    }
    if (key === 'not') return [{ kind: 'not', filter: parseObject(value, at, depth + 1) }];
    const path = pathOf(key, at);
    if (!isObject(value)) return [counted({ kind: 'equal', path, value: scalar(value, at) }, at)];
    const operators = Object.entries(value);
    if (operators.length === 0) throw invalid(at, `needs one of ${Object.keys(OPERATORS).join(', ')}`);
    return operators.map(([operator, operand]) => {
      if (!Object.hasOwn(OPERATORS, operator))
        throw invalid(`${at}.${operator}`, `is not an operator; use one of ${Object.keys(OPERATORS).join(', ')}`);
      return counted((OPERATORS[operator] as Operator)(path, operand, `${at}.${operator}`), at);
    });
  }

  function counted(filter: Filter, at: string): Filter {
    conditions += 1;
    if (conditions > MAX_CONDITIONS) throw invalid(at, `exceeds the limit of ${MAX_CONDITIONS} conditions in a filter`);
    return filter;
  }
}

type Operator = (path: readonly string[], operand: unknown, at: string) => Filter;

const OPERATORS: Readonly<Record<string, Operator>> = {
  eq: (path, operand, at) => ({ kind: 'equal', path, value: scalar(operand, at) }),
  ne: (path, operand, at) => ({ kind: 'unequal', path, value: scalar(operand, at) }),
  in: (path, operand, at) => ({ kind: 'in', path, values: scalars(operand, at) }),
  nin: (path, operand, at) => ({ kind: 'not_in', path, values: scalars(operand, at) }),
  gt: (path, operand, at) => ({ kind: 'gt', path, value: comparable(operand, at) }),
  gte: (path, operand, at) => ({ kind: 'gte', path, value: comparable(operand, at) }),
  lt: (path, operand, at) => ({ kind: 'lt', path, value: comparable(operand, at) }),
  lte: (path, operand, at) => ({ kind: 'lte', path, value: comparable(operand, at) }),
  exists: (path, operand, at) => {
    if (typeof operand !== 'boolean') throw invalid(at, 'must be true or false');
    return { kind: 'exists', path, expected: operand };
  },
};

function pathOf(key: string, at: string): string[] {
  const path = key.split('.');
  const unusable = path.some(
    (name) => name === '' || name.startsWith('$') || name.includes('\0') || FORBIDDEN_KEYS.has(name),
  );
  if (unusable || key.length > MAX_KEY_CHARS || path.length > MAX_KEY_DEPTH)
    throw invalid(at, 'is not a metadata key; write a path such as author.name');
  return path;
}

function scalar(value: unknown, at: string): Scalar {
  if (typeof value === 'string' && value.length <= MAX_VALUE_CHARS) return value;
  if (typeof value === 'boolean' || value === null || (typeof value === 'number' && Number.isFinite(value)))
    return value;
  throw invalid(at, `must be a text of at most ${MAX_VALUE_CHARS} characters, a number, true, false or null`);
}

function scalars(value: unknown, at: string): Scalar[] {
  if (!Array.isArray(value) || value.length > MAX_VALUES)
    throw invalid(at, `must be a list of at most ${MAX_VALUES} values`);
  return value.map((each: unknown, n) => scalar(each, `${at}[${n}]`));
}

function comparable(value: unknown, at: string): string | number {
  const given = scalar(value, at);
  if (typeof given === 'string' || typeof given === 'number') return given;
  throw invalid(at, 'must be a text or a number');
}

const invalid = (path: string, message: string): AppError =>
  new AppError('invalid_query', `'${path}' ${message}`, { details: [{ path, message }] });

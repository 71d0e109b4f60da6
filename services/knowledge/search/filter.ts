import { AppError } from '../../../lib/errors';
import { isObject } from '../../../lib/json';

/** A value that metadata is compared with. */
export type Scalar = string | number | boolean | null;

/** Which documents are meant, by their metadata. `path`: keys from the outside in. */
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
  | { readonly kind: 'exists'; readonly path: readonly string[]; readonly wanted: boolean };

const MAX_DEPTH = 5;
const MAX_CONDITIONS = 50;
const MAX_VALUES = 100;
const MAX_VALUE_CHARS = 1_000;
const MAX_KEY_CHARS = 200;
const MAX_KEY_DEPTH = 8;
/** Would match built-in object members instead of metadata. */
const NO_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * A filter as it is written: `{author: "Ada", year: {gte: 1840}, or: [...]}`, of which every member must hold. Pure.
 * @throws AppError invalid_query, with the place of the fault
 */
export function readFilter(given: unknown): Filter {
  let conditions = 0;
  return all(given, 'filter', 0);

  function all(value: unknown, at: string, depth: number): Filter {
    if (!isObject(value)) throw wrong(at, 'must be an object such as {"author": "Ada"}');
    if (depth > MAX_DEPTH) throw wrong(at, `is nested deeper than ${MAX_DEPTH}`);
    const filters = Object.entries(value).flatMap(([key, member]) => membersOf(key, member, `${at}.${key}`, depth));
    // One that asks for nothing is a condition all the same: there may be as many of them as fit into a request.
    if (filters.length === 0) return counted({ kind: 'all', filters }, at);
    return filters.length === 1 ? (filters[0] as Filter) : { kind: 'all', filters };
  }

  function membersOf(key: string, value: unknown, at: string, depth: number): Filter[] {
    if (key === 'and' || key === 'or') {
      if (!Array.isArray(value) || value.length === 0) throw wrong(at, 'must be a list of filters');
      const filters = value.map((each: unknown, n) => all(each, `${at}[${n}]`, depth + 1));
      return [{ kind: key === 'and' ? 'all' : 'any', filters }];
    }
    if (key === 'not') return [{ kind: 'not', filter: all(value, at, depth + 1) }];
    const path = pathOf(key, at);
    if (!isObject(value)) return [counted({ kind: 'equal', path, value: scalar(value, at) }, at)];
    const operators = Object.entries(value);
    if (operators.length === 0) throw wrong(at, `needs one of ${Object.keys(OPERATORS).join(', ')}`);
    return operators.map(([operator, operand]) => {
      if (!Object.hasOwn(OPERATORS, operator))
        throw wrong(`${at}.${operator}`, `is no operator; there are ${Object.keys(OPERATORS).join(', ')}`);
      return counted((OPERATORS[operator] as Operator)(path, operand, `${at}.${operator}`), at);
    });
  }

  function counted(filter: Filter, at: string): Filter {
    conditions += 1;
    if (conditions > MAX_CONDITIONS)
      throw wrong(at, `is one too many: a filter has ${MAX_CONDITIONS} conditions at most`);
    return filter;
  }
}

type Operator = (path: readonly string[], operand: unknown, at: string) => Filter;

const OPERATORS: Readonly<Record<string, Operator>> = {
  eq: (path, operand, at) => ({ kind: 'equal', path, value: scalar(operand, at) }),
  ne: (path, operand, at) => ({ kind: 'unequal', path, value: scalar(operand, at) }),
  in: (path, operand, at) => ({ kind: 'in', path, values: scalars(operand, at) }),
  nin: (path, operand, at) => ({ kind: 'not_in', path, values: scalars(operand, at) }),
  gt: (path, operand, at) => ({ kind: 'gt', path, value: ordered(operand, at) }),
  gte: (path, operand, at) => ({ kind: 'gte', path, value: ordered(operand, at) }),
  lt: (path, operand, at) => ({ kind: 'lt', path, value: ordered(operand, at) }),
  lte: (path, operand, at) => ({ kind: 'lte', path, value: ordered(operand, at) }),
  exists: (path, operand, at) => {
    if (typeof operand !== 'boolean') throw wrong(at, 'must be true or false');
    return { kind: 'exists', path, wanted: operand };
  },
};

function pathOf(key: string, at: string): string[] {
  const path = key.split('.');
  const unusable = path.some((name) => name === '' || name.startsWith('$') || name.includes('\0') || NO_KEYS.has(name));
  if (unusable || key.length > MAX_KEY_CHARS || path.length > MAX_KEY_DEPTH)
    throw wrong(at, 'is no key of metadata; write the keys from the outside in, with dots between them');
  return path;
}

function scalar(value: unknown, at: string): Scalar {
  if (typeof value === 'string' && value.length <= MAX_VALUE_CHARS) return value;
  if (typeof value === 'boolean' || value === null || (typeof value === 'number' && Number.isFinite(value)))
    return value;
  throw wrong(at, `must be a text of at most ${MAX_VALUE_CHARS} characters, a number, true, false or null`);
}

function scalars(value: unknown, at: string): Scalar[] {
  if (!Array.isArray(value) || value.length > MAX_VALUES)
    throw wrong(at, `must be a list of at most ${MAX_VALUES} values`);
  return value.map((each: unknown, n) => scalar(each, `${at}[${n}]`));
}

function ordered(value: unknown, at: string): string | number {
  const given = scalar(value, at);
  if (typeof given === 'string' || typeof given === 'number') return given;
  throw wrong(at, 'must be a text or a number');
}

const wrong = (path: string, message: string): AppError =>
  new AppError('invalid_query', `'${path}' ${message}`, { details: [{ path, message }] });

import { isObject } from '../../../lib/json';
import { invalidFilter } from './errors';
import type { AttributePath, Filter, FilterValue, Operator } from './filter';

/** Attributes whose texts are compared with regard to case (RFC 7643 section 3.1). */
export const CASE_EXACT = new Set(['id', 'externalid', 'members', 'version']);

/** True when a resource, or an element of a list, satisfies a filter. */
export function satisfies(resource: unknown, filter: Filter): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.of.every((part) => satisfies(resource, part));
    case 'or':
      return filter.of.some((part) => satisfies(resource, part));
    case 'not':
      return !satisfies(resource, filter.of);
    case 'element':
      return listOf(valueOf(resource, filter.path.name)).some((each) => satisfies(each, filter.of));
    case 'present':
      return someAt(resource, filter.path, isPresent);
    case 'compare': {
      const { path, operator, value } = filter;
      const exact = CASE_EXACT.has(path.name);
      // Not equal is the opposite of equal, for lists and missing values too.
      if (operator === 'ne') return !equals(resource, path, value, exact);
      if (operator === 'eq') return equals(resource, path, value, exact);
      return someAt(resource, path, (given) => compare(given, operator, value, exact));
    }
  }
}

const equals = (resource: unknown, path: AttributePath, value: FilterValue, exact: boolean): boolean =>
  value === null
    ? !someAt(resource, path, isPresent)
    : someAt(resource, path, (given) => compare(given, 'eq', value, exact));

/** Whether one of the values of a filter's attribute is meant; of elements of a list without a named part, their `value`. */
function someAt(resource: unknown, { name, sub }: AttributePath, isMeant: (value: unknown) => boolean): boolean {
  const given = valueOf(resource, name);
  const part = sub ?? 'value';
  const meant = (each: unknown): boolean =>
    isMeant(sub !== null || (isObject(each) && Object.hasOwn(each, 'value')) ? valueOf(each, part) : each);
  return Array.isArray(given) ? given.some(meant) : given !== undefined && meant(given);
}

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

/** A member by its name in lower case. */
export function valueOf(resource: unknown, name: string): unknown {
  if (!isObject(resource)) return undefined;
  if (Object.hasOwn(resource, name)) return resource[name];
  const key = Object.keys(resource).find((each) => each.toLowerCase() === name);
  return key === undefined ? undefined : resource[key];
}

const isPresent = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);

function compare(given: unknown, operator: Operator, wanted: FilterValue, exact: boolean): boolean {
  if (typeof given === 'boolean') return operator === 'eq' && given === booleanOf(wanted);
  if (typeof given === 'number' && typeof wanted === 'number') return ordered(given, operator, wanted);
  if (typeof given !== 'string' || typeof wanted !== 'string') return false;
  const [a, b] = exact ? [given, wanted] : [given.toLowerCase(), wanted.toLowerCase()];
  switch (operator) {
    case 'co':
      return a.includes(b);
    case 'sw':
      return a.startsWith(b);
    case 'ew':
      return a.endsWith(b);
    default:
      return ordered(a, operator, b);
  }
}

/** Entra ID sends booleans as texts. */
export function booleanOf(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  return text === 'true' ? true : text === 'false' ? false : null;
}

function ordered<T extends string | number>(a: T, operator: Operator, b: T): boolean {
  switch (operator) {
    case 'eq':
      return a === b;
    case 'gt':
      return a > b;
    case 'ge':
      return a >= b;
    case 'lt':
      return a < b;
    case 'le':
      return a <= b;
    default:
      return false;
  }
}

/** Values that an attribute must have in each resource that satisfies the filter: what an index can find. */
export function requiredText(filter: Filter, name: string): string | null {
  if (filter.kind === 'and')
    return filter.of.map((part) => requiredText(part, name)).find((text) => text !== null) ?? null;
  if (filter.kind === 'element' && filter.path.name === name) return requiredText(filter.of, 'value');
  if (filter.kind !== 'compare' || filter.operator !== 'eq' || typeof filter.value !== 'string') return null;
  const { path } = filter;
  return path.name === name && (path.sub === null || path.sub === 'value') ? filter.value : null;
}

/**
 * The texts with which a filter compares an attribute that is a long list, all for equality: only those of its elements
 * decide. Null for a filter that does not ask for it. @throws ScimError invalidFilter for another comparison
 */
export function textsOf(filter: Filter, name: string, inside = false): readonly string[] | null {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const parts = filter.of.flatMap((part) => textsOf(part, name, inside) ?? []);
      return filter.of.some((part) => textsOf(part, name, inside) !== null) ? parts : null;
    }
    case 'not':
      return textsOf(filter.of, name, inside);
    case 'element':
      return filter.path.name === name ? (textsOf(filter.of, name, true) ?? []) : null;
    case 'present':
      return inside || filter.path.name === name ? [] : null;
    case 'compare': {
      if (!inside && filter.path.name !== name) return null;
      const part = inside ? filter.path.name : filter.path.sub;
      const isByValue = (part === null || part === 'value') && ['eq', 'ne'].includes(filter.operator);
      if (!isByValue || typeof filter.value !== 'string')
        throw invalidFilter(`'${name}' is compared with the id of a user, by eq or ne`);
      return [filter.value];
    }
  }
}

/** Whether a filter is about an attribute. */
export function mentions(filter: Filter, name: string): boolean {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.of.some((part) => mentions(part, name));
    case 'not':
      return mentions(filter.of, name);
    default:
      return filter.path.name === name;
  }
}

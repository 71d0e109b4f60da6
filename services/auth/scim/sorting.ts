import { isObject } from '../../../lib/json';
import { sortedInSlices } from '../../../lib/sliced-sort';
import { runSliced } from '../../../lib/time-slices';
import { invalidValue } from './errors';
import { CASE_EXACT, valueOf } from './evaluate';
import { type AttributePath, parsePath } from './filter';

/** `sortBy` and `sortOrder` of a request for a list (RFC 7644 section 3.4.2.3). */
export interface Sorting {
  readonly path: AttributePath;
  readonly isDescending: boolean;
}

/** A resource of a list before it is read as a whole. */
export interface SortedRow {
  readonly id: string;
  /** Null where the resource has no value. */
  readonly key: string | null;
}

/** @throws ScimError invalidPath, invalidValue */
export function sortingOf(by: string | null, order: string | null): Sorting | null {
  const direction = order?.toLowerCase() ?? 'ascending';
  if (direction !== 'ascending' && direction !== 'descending')
    throw invalidValue("'sortOrder' must be ascending or descending");
  if (by === null) return null;
  const { name, sub, where } = parsePath(by);
  if (where !== null) throw invalidValue("'sortBy' must be the name of an attribute");
  return { path: { name, sub }, isDescending: direction === 'descending' };
}

/** @throws ScimError invalidValue unless the list may be sorted by the attribute. `sortable`: in lower case, with the parts */
export function assertSortable(sorting: Sorting | null, sortable: readonly string[]): void {
  if (sorting === null) return;
  const { name, sub } = sorting.path;
  if (sortable.includes(sub === null || sub === 'value' ? name : `${name}.${sub}`)) return;
  throw invalidValue(`'sortBy' must be one of ${sortable.join(', ')}`);
}

/** The value by which a resource is sorted: of a list the primary one, else the first. */
export function sortKeyOf(resource: unknown, { path: { name, sub } }: Sorting): string | null {
  const given = valueOf(resource, name);
  const one: unknown = Array.isArray(given)
    ? (given.find((each) => valueOf(each, 'primary') === true) ?? given[0])
    : given;
  const value = isObject(one) ? valueOf(one, sub ?? 'value') : one;
  return value === undefined || value === null || value === '' ? null : String(value);
}

/** Made at the first use: V8 takes several milliseconds for it. */
let collator: Intl.Collator | null = null;
const byCodes = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The rows in the asked order; those without a value are the last ones, and with a descending order the first. */
export async function sorted<R extends SortedRow>(
  rows: readonly R[],
  { path, isDescending }: Sorting,
  tenantId: string,
): Promise<R[]> {
  collator ??= new Intl.Collator('en', { sensitivity: 'accent' });
  const compare = CASE_EXACT.has(path.name) || path.name === 'meta' ? byCodes : collator.compare;
  const ascending = ({ key: a }: R, { key: b }: R): number =>
    a === null || b === null ? Number(a === null) - Number(b === null) : compare(a, b);
  const sorting = sortedInSlices(rows, (a, b) => (isDescending ? ascending(b, a) : ascending(a, b)));
  return runSliced(sorting, tenantId);
}

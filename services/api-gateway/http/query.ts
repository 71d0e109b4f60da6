import { AppError } from '../../../lib/errors';
import { parseQuery, type Query } from '../../../lib/http-body/form';
import { MAX_PAGE_OFFSET, MAX_PAGE_ROWS } from '../../../lib/page';

export { parseQuery, type Query };

const PAGE_LIMITS = { limit: { min: 1, max: MAX_PAGE_ROWS }, offset: { min: 0, max: MAX_PAGE_OFFSET } } as const;

/** The query with `limit` and `offset` as whole numbers. @throws AppError invalid_request when out of range. */
export function withPage(query: Query): Record<string, unknown> {
  const paged: Record<string, unknown> = { ...query };
  for (const [name, { min, max }] of Object.entries(PAGE_LIMITS)) {
    const given = query[name];
    if (given === undefined) continue;
    const value = typeof given === 'string' && /^\d{1,10}$/.test(given) ? Number(given) : Number.NaN;
    if (!(value >= min && value <= max)) {
      const message = `The '${name}' must be a whole number from ${min} to ${max}`;
      throw new AppError('invalid_request', message, { details: [{ path: name, message }] });
    }
    paged[name] = value;
  }
  return paged;
}

/** The last value of a name, or undefined. */
export const single = (query: Query, name: string): string | undefined => {
  const value = query[name];
  return Array.isArray(value) ? value.at(-1) : value;
};

/** All values of a name. */
export function all(query: Query, name: string): readonly string[] {
  const value = query[name] ?? [];
  return Array.isArray(value) ? value : [value];
}

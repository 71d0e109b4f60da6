import { AppError } from '../../../lib/errors';

/** Values by name; a name given more than once has a list. Without a prototype, so that `__proto__` is a name like any other. */
export type Query = Record<string, string | string[]>;

const MOST_PAIRS = 1_000;
const NONE: Query = Object.freeze(Object.create(null) as Query);

/** Flat pairs of a query or a form body (WHATWG URL-encoded). Brackets in names have no meaning. @throws AppError */
export function parseQuery(text: string): Query {
  if (text === '') return NONE;
  const query = Object.create(null) as Query;
  let pairs = 0;
  for (const [name, value] of new URLSearchParams(text)) {
    pairs += 1;
    if (pairs > MOST_PAIRS)
      throw new AppError('invalid_request', `At most ${MOST_PAIRS} query or form fields are taken`);
    const known = query[name];
    query[name] = known === undefined ? value : Array.isArray(known) ? [...known, value] : [known, value];
  }
  return query;
}

const PAGE_LIMITS = { limit: { least: 1, most: 200 }, offset: { least: 0, most: 1_000_000_000 } } as const;

/** The query with `limit` and `offset` as whole numbers. @throws AppError invalid_request when out of range. */
export function withPage(query: Query): Record<string, unknown> {
  const paged: Record<string, unknown> = { ...query };
  for (const [name, { least, most }] of Object.entries(PAGE_LIMITS)) {
    const given = query[name];
    if (given === undefined) continue;
    const value = typeof given === 'string' && /^\d{1,10}$/.test(given) ? Number(given) : Number.NaN;
    if (!(value >= least && value <= most)) {
      const message = `The '${name}' must be a whole number from ${least} to ${most}`;
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

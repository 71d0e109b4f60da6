import { AppError } from '../errors';

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

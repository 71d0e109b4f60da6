import { AppError } from './errors';

const INSTANT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** Epoch milliseconds of an RFC 3339 time, or of the start of a day in UTC. `name`: of the param. @throws AppError invalid_request */
export function parseInstant(name: string, text: string): number {
  const ms = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  // Ids have 48 bits for the time.
  if (ms >= 0 && ms < 2 ** 47) return ms;
  const message = `'${name}' must be a time such as 2026-11-21T13:30:00Z, or a day such as 2026-11-21`;
  throw new AppError('invalid_request', message, { details: [{ path: name, message }] });
}

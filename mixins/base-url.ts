import type { Config } from '../lib/config';
import { AppError } from '../lib/errors';

/**
 * Our address for a browser, for which the operator's word goes before the request's (`origin`).
 * @throws AppError invalid_request where neither tells
 */
export function baseUrlFor({ baseUrl }: Pick<Config, 'baseUrl'>, origin: string | undefined): string {
  const base = baseUrl ?? origin;
  if (base === undefined) throw new AppError('invalid_request', 'The request names no host; set BASE_URL');
  return base;
}

import type { Config } from './config';
import { AppError } from './errors';

/**
 * Our address for a browser: the configured one, or the one of the request (`origin`).
 * @throws AppError invalid_request when neither is known
 */
export function baseUrlFor({ baseUrl }: Pick<Config, 'baseUrl'>, origin: string | undefined): string {
  const base = baseUrl ?? origin;
  if (base === undefined)
    throw new AppError('invalid_request', 'The request has no Host header; send one, or set BASE_URL');
  return base;
}

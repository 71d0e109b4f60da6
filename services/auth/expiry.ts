import { AppError } from '../../lib/errors';
import { parseInstant } from '../../lib/instant';

/** The `expires_at` of a request; null for none. @throws AppError invalid_request unless it is in the future */
export function expiryOf(text: string | null | undefined, now: number): Date | null {
  if (text === undefined || text === null) return null;
  const at = parseInstant('expires_at', text);
  if (at <= now) throw new AppError('invalid_request', "The 'expires_at' must be in the future");
  return new Date(at);
}

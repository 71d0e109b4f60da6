import { sameText, sha256 } from './crypto';
import { AppError } from './errors';

/** @throws AppError unauthenticated when the webhook requires a key that the headers lack */
export function assertWebhookKey(
  { webhook_key_hash: hash }: { readonly webhook_key_hash: string | null },
  headers: Readonly<Record<string, unknown>>,
): void {
  if (hash === null) return;
  const given = Object.hasOwn(headers, 'x-api-key') ? headers['x-api-key'] : undefined;
  if (typeof given === 'string' && sameText(sha256(given), hash)) return;
  throw new AppError('unauthenticated', 'Invalid or missing webhook key: send it in the X-API-Key header');
}

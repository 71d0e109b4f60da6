import { randomBytes } from 'node:crypto';
import { sha256 } from '../../lib/crypto';
import { AppError } from '../../lib/errors';

/** A key that guards a webhook. `value` is shown once; `hash` (SHA-256) and the last four characters are kept. */
export interface WebhookKey {
  readonly value: string;
  readonly hash: string;
  readonly tail: string;
}

const VISIBLE = /^[\x21-\x7e]{16,200}$/;

/** A key that the tenant has chosen. @throws AppError invalid_request unless it is 16 to 200 visible ASCII characters. */
export function givenWebhookKey(value: string): WebhookKey {
  if (!VISIBLE.test(value)) {
    const message = 'A webhook key is 16 to 200 visible ASCII characters, without spaces';
    throw new AppError('invalid_request', message, { details: [{ path: 'webhook_api_key', message }] });
  }
  return { value, hash: sha256(value), tail: value.slice(-4) };
}

/** A key of 256 random bits. */
export const newWebhookKey = (): WebhookKey => givenWebhookKey(`whk_${randomBytes(32).toString('base64url')}`);

export const WEBHOOK_KEY_NOTE = 'Keep this key: it is shown only now. Callers send it in the X-API-Key header.';

import { createHmac, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;
/** Segments of a path that are this long may be capabilities. */
const MIN_MASKED_CHARS = 12;
const MASK = '***';

/** A secret of https://www.standardwebhooks.com. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

/**
 * Headers by which a receiver checks a request, and knows a repetition, as https://www.standardwebhooks.com says.
 * `secret`: `whsec_` and base64, or any text.
 */
export function signedHeaders(secret: string, id: string, body: string, nowMs: number): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signatureOf(secret, `${id}.${timestamp}.${body}`)}`,
  };
}

function signatureOf(secret: string, signed: string): string {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret);
  return createHmac('sha256', key).update(signed).digest('base64');
}

/** True for an http or https URL without a user and password. */
export function isWebhookUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** A URL without what may be secret in it. Pure. */
export function maskedUrl(url: string): string {
  const { origin, pathname, search } = new URL(url);
  const path = pathname
    .split('/')
    .map((segment) => (segment.length >= MIN_MASKED_CHARS ? MASK : segment))
    .join('/');
  return `${origin}${path}${search === '' ? '' : `?${MASK}`}`;
}

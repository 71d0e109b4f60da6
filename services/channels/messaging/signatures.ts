import { createHmac } from 'node:crypto';
import { hmac, sameText } from '../../../lib/crypto';
import type { Query } from '../../../lib/http-body/form';

const HUB = /^sha256=([\da-f]{64})$/i;

/** Verifies `X-Hub-Signature-256`: `sha256=` and the hex HMAC-SHA-256 of the body with the app secret. */
export function isHubSignature(header: string | undefined, raw: Uint8Array, appSecret: string): boolean {
  const given = HUB.exec(header ?? '')?.[1];
  return given !== undefined && sameText(given.toLowerCase(), hmac(Buffer.from(appSecret), raw).toString('hex'));
}

/**
 * Verifies `X-Twilio-Signature` of a form: the base64 HMAC-SHA-1, with the auth token, of the webhook's URL and the sorted
 * fields, each as name and value. Some senders include the scheme's default port in the URL.
 */
export function isFormSignature(header: string | undefined, url: string, fields: Query, authToken: string): boolean {
  if (header === undefined || header === '') return false;
  const signed = Object.keys(fields)
    .sort()
    .map((name) =>
      valuesOf(fields, name)
        .map((value) => name + value)
        .join(''),
    )
    .join('');
  // Not `some`, which stops at the first match: the duration must not depend on the result.
  return addressesOf(url)
    .map((address) =>
      sameText(
        header,
        createHmac('sha1', authToken)
          .update(address + signed)
          .digest('base64'),
      ),
    )
    .includes(true);
}

/** The provider's libraries sign each value of a repeated field once, sorted. */
const valuesOf = (fields: Query, name: string): string[] => [...new Set([fields[name] ?? []].flat())].sort();

const ADDRESS = /^(https?):\/\/(\[[^\]]*\]|[^/:?#]*)(?::\d+)?(.*)$/s;
const PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };

/** The URL unchanged, without its port, and with the default port of its scheme. */
function addressesOf(url: string): string[] {
  const [, scheme = '', host = '', rest = ''] = ADDRESS.exec(url) ?? [];
  if (scheme === '') return [url];
  return [url, `${scheme}://${host}${rest}`, `${scheme}://${host}:${PORTS[scheme]}${rest}`];
}

import { createHmac } from 'node:crypto';
import { hmac, sameText } from '../../../lib/crypto';
import type { Query } from '../../../lib/http-body/form';

const HUB = /^sha256=([\da-f]{64})$/i;

/** Whether `X-Hub-Signature-256` signs these very bytes: `sha256=` and HMAC-SHA-256 under the app secret, in hex. */
export function isHubSignature(header: string | undefined, raw: Uint8Array, appSecret: string): boolean {
  const given = HUB.exec(header ?? '')?.[1];
  return given !== undefined && sameText(given.toLowerCase(), hmac(Buffer.from(appSecret), raw).toString('hex'));
}

/**
 * Whether `X-Twilio-Signature` signs a form: HMAC-SHA-1 under the auth token, in base64, over the address as the provider
 * knows it and the fields by name, each name with its value behind it. Some of its senders write the port of the scheme
 * into the address, and some leave it out.
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
  // No `some`, which would stop at the first: the time tells nothing.
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

/** The provider's own libraries sign each value of a name once, in order. */
const valuesOf = (fields: Query, name: string): string[] => [...new Set([fields[name] ?? []].flat())].sort();

const ADDRESS = /^(https?):\/\/(\[[^\]]*\]|[^/:?#]*)(?::\d+)?(.*)$/s;
const PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };

/** The address as it stands, without its port, and with the port of its scheme. */
function addressesOf(url: string): string[] {
  const [, scheme = '', host = '', rest = ''] = ADDRESS.exec(url) ?? [];
  if (scheme === '') return [url];
  return [url, `${scheme}://${host}${rest}`, `${scheme}://${host}:${PORTS[scheme]}${rest}`];
}

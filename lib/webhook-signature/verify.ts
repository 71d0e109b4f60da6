import { createHmac } from 'node:crypto';
import { sameText } from '../crypto';
import type { SignatureScheme } from './scheme';

/** A signed request. Header names are in lower case. */
interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Why a signature is invalid, as a message for the sender; null when it is valid. Compares in constant time. */
export function signatureFault(
  scheme: SignatureScheme,
  secret: string,
  { headers, body }: SignedRequest,
  now: number,
): string | null {
  const header = headerOf(headers, scheme.header);
  if (header === undefined) return `The header ${scheme.header} with the signature is missing`;
  const entries = scheme.separator === undefined ? [header] : header.split(scheme.separator);
  const given = entries.slice(0, MAX_ENTRIES).flatMap((entry) => behind(entry.trim(), scheme.prefix ?? ''));
  if (given.length === 0) return `The header ${scheme.header} holds no signature of the form ${scheme.prefix}...`;
  if (scheme.algorithm === 'token') return anySame(given, secret) ? null : `The token in ${scheme.header} is wrong`;
  const timestamp = timestampOf(scheme, headers, entries);
  if (scheme.timestamp !== undefined) {
    const at = timestamp === null ? null : instantOf(timestamp);
    if (at === null) return 'The timestamp of the signature is missing or invalid';
    if (scheme.toleranceMs !== undefined && Math.abs(now - at) > scheme.toleranceMs)
      return `The signature was made more than ${scheme.toleranceMs / 1_000} seconds from now`;
  }
  const id = scheme.idHeader === undefined ? '' : headerOf(headers, scheme.idHeader);
  if (id === undefined) return `The header ${scheme.idHeader} is missing`;
  const key = keyOf(scheme, secret);
  // Anyone could sign with an empty key.
  if (key.length === 0) return 'The signature secret is empty';
  const mac = createHmac(scheme.algorithm, key);
  for (const part of scheme.signed.split(PLACEHOLDER))
    mac.update(valueOf(part, { timestamp: timestamp ?? '', id, body }));
  const wanted = mac.digest(scheme.encoding);
  const comparable = scheme.encoding === 'hex' ? given.map((each) => each.toLowerCase()) : given;
  return anySame(comparable, wanted) ? null : `The signature in ${scheme.header} is wrong`;
}

/** Maximum entries of a header that are checked: senders add one for each key in rotation. */
const MAX_ENTRIES = 20;

const PLACEHOLDER = /(\{body\}|\{timestamp\}|\{id\})/;

function valueOf(part: string, values: { timestamp: string; id: string; body: Uint8Array }): string | Uint8Array {
  if (part === '{body}') return values.body;
  if (part === '{timestamp}') return values.timestamp;
  return part === '{id}' ? values.id : part;
}

/** Not `some`, which would stop at the first match: the time must not reveal which one matched. */
const anySame = (given: readonly string[], wanted: string): boolean =>
  given.map((each) => sameText(each, wanted)).includes(true);

const behind = (text: string, prefix: string): string[] =>
  text.startsWith(prefix) && text.length > prefix.length ? [text.slice(prefix.length)] : [];

const headerOf = (headers: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(headers, name) ? headers[name] : undefined;

function timestampOf(
  { timestamp }: SignatureScheme,
  headers: Readonly<Record<string, string>>,
  entries: readonly string[],
): string | null {
  if (timestamp === undefined) return null;
  if ('header' in timestamp) return headerOf(headers, timestamp.header) ?? null;
  return entries.flatMap((entry) => behind(entry.trim(), timestamp.prefix))[0] ?? null;
}

/** Parses a time in seconds, milliseconds or RFC 3339 into epoch milliseconds. */
function instantOf(text: string): number | null {
  if (/^\d{1,11}$/.test(text)) return Number(text) * 1_000;
  if (/^\d{12,15}$/.test(text)) return Number(text);
  const at = /^\d{4}-\d\d-\d\dT[\d:.]{5,20}(?:Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

const keyOf = ({ secret: form }: SignatureScheme, secret: string): Buffer =>
  form === 'whsec' ? Buffer.from(secret.replace(/^whsec_/, ''), 'base64') : Buffer.from(secret);

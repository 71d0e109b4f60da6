import { HOP_BY_HOP } from '../hop-by-hop';
import { EgressError } from './error';

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,256}$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers of the connection or framing, which a caller could use for request smuggling. */
const OWNED = new Set<string>([...HOP_BY_HOP, 'content-length', 'expect', 'host']);

/** True for a valid header name or method (RFC 9110 section 5.6.2, token). */
export const isToken = (text: string): boolean => TOKEN.test(text);

/** True for a valid header value: visible ASCII, space, tab, Latin-1; no line breaks. */
export const isHeaderValue = (text: string): boolean => VALUE.test(text);

/** True for a header that belongs to the connection or framing. */
export const isConnectionHeader = (name: string): boolean => OWNED.has(name.toLowerCase());

/** Validates request headers, lowers their names and adds defaults. Throws EgressError `protocol`. */
export function requestHeaders(
  given: Readonly<Record<string, string>>,
  ours: Record<string, string>,
): Map<string, string> {
  const headers = new Map(Object.entries(ours));
  for (const [name, value] of Object.entries(given)) {
    if (!isToken(name)) throw new EgressError('protocol', `${JSON.stringify(name.slice(0, 80))} is not a header name`);
    const lower = name.toLowerCase();
    if (OWNED.has(lower)) throw new EgressError('protocol', `the header ${lower} cannot be set; the client sets it`);
    if (typeof value !== 'string' || !isHeaderValue(value)) {
      throw new EgressError(
        'protocol',
        `the value of the header ${lower} has a line break or another forbidden character`,
      );
    }
    headers.set(lower, value);
  }
  return headers;
}

/** Response headers as data: repeated ones joined by a comma (RFC 9110 section 5.3), `set-cookie` always a list. */
export function responseHeaders(
  received: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string | string[]> {
  const entries: [string, string | string[]][] = [];
  for (const [name, value] of Object.entries(received)) {
    if (value === undefined) continue;
    const values = Array.isArray(value) ? value : [value];
    entries.push([name, name === 'set-cookie' ? values : values.join(', ')]);
  }
  return Object.fromEntries(entries);
}

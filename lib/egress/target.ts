import { EgressError } from './error';

/** The target of a request. `host` has no brackets and no trailing dot; `path` includes the query. */
export interface Target {
  readonly url: string;
  readonly origin: string;
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  readonly path: string;
}

const MAX_URL_CHARS = 16_384;
// The URL parser silently drops tabs and line breaks, so they are rejected first.
const CONTROL = /\p{Cc}/u;

/**
 * Parses an absolute http or https URL, or one relative to `base`. The WHATWG parser normalizes every spelling of a
 * host (decimal, octal or hexadecimal IPv4, full-width digits, IDN), so later checks see what will be dialled. Throws
 * EgressError `protocol`.
 */
export function parseTarget(text: string, base?: string): Target {
  if (text.length > MAX_URL_CHARS)
    throw new EgressError('protocol', `the URL is longer than ${MAX_URL_CHARS} characters`);
  if (CONTROL.test(text)) throw new EgressError('protocol', 'the URL has a line break or another control character');
  if (!URL.canParse(text, base))
    throw new EgressError('protocol', 'the URL is malformed; write it as https://host/path');
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new EgressError('protocol', `the URL's scheme is ${url.protocol.slice(0, -1)}; use http or https`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new EgressError('protocol', 'the URL has a user name or password in it; send them as a header');
  }
  // `name.` and `name` are the same host; one spelling keeps rules, pool and certificate check consistent.
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  if (url.hostname === '' || url.hostname.endsWith('.'))
    throw new EgressError('protocol', "the URL's host is malformed");
  url.hash = '';
  const secure = url.protocol === 'https:';
  return {
    url: url.href,
    origin: url.origin,
    secure,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    path: url.pathname + url.search,
  };
}

import { domainToASCII } from 'node:url';
import { parseAddress } from './address';

const LABELS = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * Lower-case ASCII form of a name, or null. The last label must not begin with a digit: it could be a numeric address.
 */
export function canonicalHost(text: string): string | null {
  // The URL parser silently cuts a host at delimiters and decodes escapes, so both are rejected here.
  if (/[\s/?#\\@:%]/.test(text)) return null;
  const ascii = domainToASCII(text.replace(/\.$/, '').toLowerCase());
  return ascii.length <= 253 && LABELS.test(ascii) ? ascii : null;
}

/** The canonical host to connect to, without brackets; null for neither a name nor an address. */
export function dialledHost(text: string): string | null {
  const bare = /^\[(.+)\]$/.exec(text)?.[1] ?? text;
  return parseAddress(bare)?.toString() ?? canonicalHost(text);
}

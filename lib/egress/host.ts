import { domainToASCII } from 'node:url';
import { parseAddress } from './address';

const LABELS = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Lower-case ASCII form of a name, or null. The last label may not begin with a digit: that is how numbers hide. */
export function canonicalHost(text: string): string | null {
  // What ends the host of a URL is cut off without a word, and what is escaped is taken for what it stands for.
  if (/[\s/?#\\@:%]/.test(text)) return null;
  const ascii = domainToASCII(text.replace(/\.$/, '').toLowerCase());
  return ascii.length <= 253 && LABELS.test(ascii) ? ascii : null;
}

/** The one spelling of what a connection is to be made to, without brackets; null for what is no name and no address. */
export function dialledHost(text: string): string | null {
  const bare = /^\[(.+)\]$/.exec(text)?.[1] ?? text;
  return parseAddress(bare)?.toString() ?? canonicalHost(text);
}

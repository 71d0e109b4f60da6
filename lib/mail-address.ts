import { dialledHost } from './egress/host';

/** A mailbox (RFC 5322 section 3.4) with its decoded name; '' without one. */
export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

const LOCAL = /^[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~.-]{1,64}$/u;
const NAMED = /^(?:"((?:[^"\\]|\\.)*)"|([^"<>]*?))\s*<([^<>]*)>$/;
const MAX_CHARS = 512;

/**
 * Parses `ada@example.com`, `Ada Lovelace <ada@example.com>` or `"Lovelace, Ada" <ada@example.com>`; null for other
 * texts. Stricter than the standard: comments, groups, quoted local parts and address literals are used in attacks.
 */
export function parseMailAddress(text: string): MailAddress | null {
  const trimmed = text.trim();
  if (trimmed.length > MAX_CHARS || /\p{Cc}/u.test(trimmed)) return null;
  const [, quoted, plain = '', inside = trimmed] = NAMED.exec(trimmed) ?? [];
  const at = inside.lastIndexOf('@');
  const domain = inside.slice(at + 1);
  if (!LOCAL.test(inside.slice(0, Math.max(at, 0))) || !/\p{L}/u.test(domain) || dialledHost(domain) === null)
    return null;
  return { name: quoted?.replace(/\\(.)/g, '$1') ?? plain, address: inside };
}

/** Parses a comma-separated list; null when one address is invalid. */
export function parseMailAddresses(text: string): MailAddress[] | null {
  const found: MailAddress[] = [];
  for (const [part] of text.matchAll(/(?:"(?:[^"\\]|\\.)*"|[^,])+/g)) {
    const address = parseMailAddress(part);
    if (address === null) return null;
    found.push(address);
  }
  return found;
}

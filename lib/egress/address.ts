import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An IPv4 or IPv6 address. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Parses an address in standard notation, else null. Octal, hexadecimal and shortened IPv4 and IPv6 with a zone are
 * null, as other parsers may read another address.
 */
export function parseAddress(text: string): Address | null {
  if (isIPv4(text)) return ipaddr.IPv4.parse(text);
  return isIPv6(text) && !text.includes('%') ? ipaddr.IPv6.parse(text) : null;
}

/** 2000::/3, IANA's global unicast allocation; the rest of IPv6 is special or unassigned. */
const GLOBAL_IPV6 = ipaddr.IPv6.parse('2000::');

/**
 * Public addresses at which clouds serve metadata and credentials to their machines; other such addresses are in
 * special ranges.
 */
const CLOUD_METADATA: Readonly<Record<string, string>> = {
  '168.63.129.16': 'cloudMetadata',
};

/**
 * Why an address is not public (`private`, `loopback`, `linkLocal`, ...), or null when it is. Forms that embed an IPv4
 * address (mapped, NAT64, 6to4, Teredo) are never public: no legitimate DNS answer needs them, and each could bypass a
 * check of the embedded address.
 */
export function specialRange(address: Address): string | null {
  const range = address.range();
  if (range !== 'unicast') return range;
  const metadata = CLOUD_METADATA[address.toString()];
  if (metadata !== undefined) return metadata;
  return address.kind() === 'ipv6' && !address.match(GLOBAL_IPV6, 3) ? 'unassigned' : null;
}

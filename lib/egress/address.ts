import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An IPv4 or IPv6 address. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * The address that a text is in its standard notation, else null. Octal, hexadecimal and shortened IPv4 and IPv6 with a
 * zone are null: whoever else reads them might read another address.
 */
export function parseAddress(text: string): Address | null {
  if (isIPv4(text)) return ipaddr.IPv4.parse(text);
  return isIPv6(text) && !text.includes('%') ? ipaddr.IPv6.parse(text) : null;
}

/** 2000::/3, all that IANA has given out as global unicast; the rest of IPv6 is special or unassigned. */
const GLOBAL_IPV6 = ipaddr.IPv6.parse('2000::');

/**
 * Why an address is not on the public Internet (`private`, `loopback`, `linkLocal`, ...), or null when it is.
 * Forms that carry an IPv4 address inside (mapped, NAT64, 6to4, Teredo) are never public, whatever they carry:
 * no honest DNS answer needs them, and each is a way round a check of the address inside.
 */
export function specialRange(address: Address): string | null {
  const range = address.range();
  if (range !== 'unicast') return range;
  return address.kind() === 'ipv6' && !address.match(GLOBAL_IPV6, 3) ? 'unassigned' : null;
}

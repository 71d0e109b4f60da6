import { isIP } from 'node:net';
import { parseAddress } from '../../../lib/egress/address';
import { admitsAddress } from '../../../lib/egress/rules';
import type { TrustedProxies } from '../../../lib/proxy-config';

/** Who is at the other end of a request, as far as it can be believed. */
export interface Client {
  /** IPv4 or IPv6, `''` when the connection has none. */
  readonly address: string;
  /** Scheme and host that he used, such as `https://flows.example.com`; null without a usable host. */
  readonly origin: string | null;
}

/** What a request says of where it came from; anybody can write the fields. */
export interface Claims {
  readonly peer: string | undefined;
  readonly host: string | undefined;
  readonly forwardedFor: string | undefined;
  readonly forwardedProto: string | undefined;
  readonly forwardedHost: string | undefined;
}

/**
 * The client behind trusted proxies. Each proxy writes who came to it at the end of `X-Forwarded-For`, so the list is
 * read from the right, and the first address that is no proxy of ours is the client; what stands before it he may have
 * written himself. Scheme and host are the nearest proxy's word, the last of each list.
 */
export function clientOf(claims: Claims, trusted: TrustedProxies): Client {
  const peer = plainAddress(claims.peer ?? '');
  if (!isTrusted(peer, trusted)) return { address: peer, origin: originOf('http', claims.host) };
  const hops = listOf(claims.forwardedFor);
  let address = peer;
  while (hops.length > 0 && isTrusted(address, trusted)) {
    const next = hopAddress(hops.pop() as string);
    // Nobody can be counted or blamed by `unknown` or a hidden name: the proxy that wrote it stands for him.
    if (next === null) break;
    address = next;
  }
  const proto = listOf(claims.forwardedProto).at(-1)?.toLowerCase() === 'https' ? 'https' : 'http';
  return { address, origin: originOf(proto, listOf(claims.forwardedHost).at(-1)) ?? originOf(proto, claims.host) };
}

function isTrusted(address: string, trusted: TrustedProxies): boolean {
  const parsed = trusted.length === 0 ? null : parseAddress(address);
  return parsed !== null && admitsAddress(trusted, parsed, 0);
}

const listOf = (header: string | undefined): string[] =>
  (header ?? '').split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));

/** IPv4 as such where a socket of both families has it inside of IPv6 (RFC 4291 section 2.5.5.2). */
const plainAddress = (text: string): string => text.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');

/** The address of an entry, which some proxies write with a port: `1.2.3.4:5678`, `[::1]:5678`. */
function hopAddress(entry: string): string | null {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
  const address = plainAddress(bare);
  return isIP(address) === 0 ? null : address;
}

const HOST = /^(?:[a-z\d][\w.-]*|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
const LONGEST_HOST = 260;

function originOf(proto: 'http' | 'https', host: string | undefined): string | null {
  return host !== undefined && host.length <= LONGEST_HOST && HOST.test(host) ? `${proto}://${host}` : null;
}

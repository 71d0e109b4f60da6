import { isIP } from 'node:net';
import { parseAddress } from '../../../lib/egress/address';
import { admitsAddress } from '../../../lib/egress/rules';
import type { TrustedProxies } from '../../../lib/proxy-config';

/** The client of a request, from trusted sources only. */
export interface Client {
  /** IPv4 or IPv6; `''` when the connection has no address. */
  readonly address: string;
  /** Scheme and host of the request, such as `https://flows.example.com`; null without a valid host. */
  readonly origin: string | null;
}

/** Address and headers of a request. Clients can forge the headers. */
export interface Claims {
  readonly peer: string | undefined;
  readonly host: string | undefined;
  readonly forwardedFor: string | undefined;
  readonly forwardedProto: string | undefined;
  readonly forwardedHost: string | undefined;
}

/**
 * The client behind trusted proxies. Each proxy appends the address of its peer to `X-Forwarded-For`, so the list is read
 * from the right. The first address that is not a trusted proxy is the client; earlier entries may be forged. Scheme and
 * host are the last entries of their lists, written by the nearest proxy.
 */
export function clientOf(claims: Claims, trusted: TrustedProxies): Client {
  const peer = plainAddress(claims.peer ?? '');
  if (!isTrusted(peer, trusted)) return { address: peer, origin: originOf('http', claims.host) };
  const hops = listOf(claims.forwardedFor);
  let address = peer;
  while (hops.length > 0 && isTrusted(address, trusted)) {
    const next = hopAddress(hops.pop() as string);
    // `unknown` or an obfuscated name identifies no client: use the address of the proxy that wrote it.
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

/** Converts an IPv4-mapped IPv6 address of a dual-stack socket to IPv4 (RFC 4291 section 2.5.5.2). */
const plainAddress = (text: string): string => text.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');

/** The address of an entry. Some proxies append a port: `1.2.3.4:5678`, `[::1]:5678`. */
function hopAddress(entry: string): string | null {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
  const address = plainAddress(bare);
  return isIP(address) === 0 ? null : address;
}

const HOST = /^(?:[a-z\d][\w.-]*|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
const MAX_HOST_CHARS = 260;

function originOf(proto: 'http' | 'https', host: string | undefined): string | null {
  return host !== undefined && host.length <= MAX_HOST_CHARS && HOST.test(host) ? `${proto}://${host}` : null;
}

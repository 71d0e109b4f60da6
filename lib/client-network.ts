import { parseAddress } from './egress/address';

/** Keys by which a client's address is rate-limited. */
export interface ClientNetwork {
  /** An IPv4 address, or the /64 of an IPv6 address, since each subscriber owns a whole /64. */
  readonly network: string;
  /** The /48 of an IPv6 address, which some providers assign to one customer; null for IPv4. */
  readonly site: string | null;
}

export function networkOf(address: string): ClientNetwork {
  const parsed = parseAddress(address);
  if (parsed === null || !('parts' in parsed)) return { network: address, site: null };
  const prefix = (groups: number): string =>
    parsed.parts
      .slice(0, groups)
      .map((group) => group.toString(16))
      .join(':');
  return { network: `${prefix(4)}::/64`, site: `${prefix(3)}::/48` };
}

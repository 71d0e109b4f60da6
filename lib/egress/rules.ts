import ipaddr from 'ipaddr.js';
import { type Address, parseAddress } from './address';
import { canonicalHost } from './host';

/**
 * A non-public target that outbound requests may reach: a host name, whatever it resolves to, or a network (a single
 * address has the full `prefix`). A null port means every port.
 */
export type EgressRule =
  | { kind: 'host'; host: string; port: number | null }
  | { kind: 'network'; network: string; prefix: number; port: number | null };

/**
 * Parses a comma-separated list: `localhost:8080, 10.0.0.0/8, 10.1.2.3:443, ::1, [::1]:8080, [fd00::/8]:443`. Throws
 * one Error that names every invalid item and the right form.
 */
export function parseEgressAllow(text: string): EgressRule[] {
  const rules: EgressRule[] = [];
  const problems: string[] = [];
  for (const item of text.split(',').map((part) => part.trim())) {
    if (item === '') continue;
    const parsed = parseItem(item);
    if (typeof parsed === 'string') problems.push(`"${item}": ${parsed}`);
    else rules.push(parsed);
  }
  if (problems.length > 0) throw new Error(`egress rules: ${problems.join('; ')}`);
  return rules;
}

/** The rule that admits the server of a URL set by the operator, even on a private network. */
export function ruleOf(url: string): EgressRule {
  const { hostname, port, protocol } = new URL(url);
  return {
    kind: 'host',
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
  };
}

/** True when the rule names this host (lower case, no trailing dot) and port. */
export const admitsHost = (rules: readonly EgressRule[], host: string, port: number): boolean =>
  rules.some((rule) => rule.kind === 'host' && rule.host === host && portFits(rule, port));

/** True when the rule's network contains this address, with this port. */
export const admitsAddress = (rules: readonly EgressRule[], address: Address, port: number): boolean =>
  rules.some((rule) => rule.kind === 'network' && portFits(rule, port) && holds(rule, address));

const portFits = (rule: EgressRule, port: number): boolean => rule.port === null || rule.port === port;

function holds(rule: { network: string; prefix: number }, address: Address): boolean {
  const network = ipaddr.parse(rule.network);
  return network.kind() === address.kind() && address.match(network, rule.prefix);
}

/** The rule, or an error message. */
function parseItem(item: string): EgressRule | string {
  if (/[\s@*]|:\/\//.test(item))
    return 'write a host, an address or a CIDR with an optional :port; URLs and wildcards are not supported';
  const split = splitPort(item);
  if (typeof split === 'string') return split;
  const { subject, port } = split;
  if (subject.includes('/')) return parseNetwork(subject, port);
  const address = parseAddress(subject);
  if (address) {
    return { kind: 'network', network: address.toString(), prefix: address.kind() === 'ipv4' ? 32 : 128, port };
  }
  const host = canonicalHost(subject);
  return host === null ? 'neither a host name nor an address in standard notation' : { kind: 'host', host, port };
}

function splitPort(item: string): { subject: string; port: number | null } | string {
  // Several colons without brackets: a bare IPv6 address or network.
  const bare = !item.startsWith('[') && item.split(':').length > 2;
  const match = bare ? null : (/^\[([^\]]+)\](?::(.*))?$/.exec(item) ?? /^([^:[\]]+)(?::(.*))?$/.exec(item));
  if (!bare && !match) return 'brackets are for IPv6 addresses, as in [::1]:8080';
  const subject = match ? (match[1] as string) : item;
  const portText = match?.[2];
  if (portText === undefined) return { subject, port: null };
  const port = /^\d{1,5}$/.test(portText) ? Number(portText) : 0;
  return port >= 1 && port <= 65_535 ? { subject, port } : 'the port must be 1 to 65535';
}

function parseNetwork(subject: string, port: number | null): EgressRule | string {
  const [base = '', bits = '', ...rest] = subject.split('/');
  const address = parseAddress(base);
  if (!address || rest.length > 0) return 'the part before / must be an address in standard notation';
  const prefix = /^\d{1,3}$/.test(bits) ? Number(bits) : Number.POSITIVE_INFINITY;
  const longest = address.kind() === 'ipv4' ? 32 : 128;
  if (prefix > longest) return `the prefix must be 0 to ${longest}`;
  const family = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  const network = family.networkAddressFromCIDR(`${base}/${prefix}`).toString();
  // 10.1.2.3/8 is more likely a mistake than an intention to open 10.0.0.0/8.
  if (network !== address.toString()) return `has bits set after the prefix; write ${network}/${prefix}`;
  return { kind: 'network', network, prefix, port };
}

import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { parseAddress, specialRange } from './address';
import { EgressError } from './error';
import { admitsAddress, admitsHost, type EgressRule } from './rules';

/** All addresses of a host name. Rejects when there is none. */
export type Resolver = (host: string) => Promise<string[]>;

/** The system resolver, including the hosts file and search domains. */
export const systemResolver: Resolver = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map((answer) => answer.address);

/**
 * The addresses that a connection to `host` may use. One forbidden address rejects them all: a name with public and
 * private addresses is an attack or a mistake. Throws EgressError `dns` or `blocked`.
 */
export async function checkedAddresses(
  host: string,
  port: number,
  rules: readonly EgressRule[],
  resolve: Resolver,
): Promise<string[]> {
  const addresses = isIP(host) ? [host] : await answersFor(host, resolve);
  if (admitsHost(rules, host, port)) return addresses;
  for (const text of addresses) {
    const address = parseAddress(text);
    if (address && admitsAddress(rules, address, port)) continue;
    const reason = address ? specialRange(address) : 'unknown notation';
    if (reason !== null) throw new EgressError('blocked', `${host}:${port} is not a public address (${reason})`);
  }
  return addresses;
}

async function answersFor(host: string, resolve: Resolver): Promise<string[]> {
  const addresses = await resolve(host).catch((cause: unknown) => {
    throw new EgressError('dns', `the name ${host} cannot be resolved`, { cause });
  });
  if (addresses.length === 0) throw new EgressError('dns', `the name ${host} has no address`);
  return addresses;
}

/** A `lookup` for `net.connect` with a fixed result: the checked address is dialled, even if DNS changes. */
export function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, done) => {
    const first = answers[0];
    if (options.all || !first) done(null, answers);
    else done(null, first.address, first.family);
  };
}

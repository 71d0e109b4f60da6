import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { parseAddress, specialRange } from './address';
import { EgressError } from './error';
import { admitsAddress, admitsHost, type EgressRule } from './rules';

/** Every address of a host name, as text. Rejects when there is none. */
export type Resolver = (host: string) => Promise<string[]>;

/** The operating system's resolver: hosts file, search domains and all. */
export const systemResolver: Resolver = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map((answer) => answer.address);

/**
 * The addresses that a connection to `host` may be made to. One forbidden address among them refuses the whole answer:
 * a name that mixes public and private addresses is an attack or a mistake. Throws EgressError `dns` or `blocked`.
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

/** A lookup for `net.connect` that knows one answer: what was checked is what is dialled, whatever DNS says by then. */
export function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, done) => {
    const first = answers[0];
    if (options.all || !first) done(null, answers);
    else done(null, first.address, first.family);
  };
}

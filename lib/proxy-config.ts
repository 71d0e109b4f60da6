import { type EgressRule, parseEgressAllow } from './egress/rules';
import { errorMessage } from './errors';

/** Addresses of the proxies whose forwarding headers are trusted. */
export type TrustedProxies = readonly EgressRule[];

/** Reads TRUST_PROXY: addresses and CIDRs separated by commas; empty without it. Adds faults to the list. */
export function readTrustProxy(text: (name: string) => string | null, faults: string[]): TrustedProxies {
  const value = text('TRUST_PROXY') ?? '';
  try {
    const rules = parseEgressAllow(value);
    // Names are rejected: they depend on the resolver, and a proxy's source port is arbitrary.
    if (rules.every(({ kind, port }) => kind === 'network' && port === null)) return rules;
    faults.push(`TRUST_PROXY="${value}" must list only addresses or CIDRs, such as 10.0.0.7, 10.1.0.0/16 or ::1`);
  } catch (error) {
    faults.push(`TRUST_PROXY has ${errorMessage(error)}`);
  }
  return [];
}

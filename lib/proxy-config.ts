import { type EgressRule, parseEgressAllow } from './egress/rules';
import { errorMessage } from './errors';

/** Addresses of the proxies in front of the gateway, which alone may say whom they forward for. */
export type TrustedProxies = readonly EgressRule[];

/** What TRUST_PROXY names: addresses and CIDRs by comma; nobody without it. Faults are added to the list. */
export function readTrustProxy(text: (name: string) => string | null, faults: string[]): TrustedProxies {
  const value = text('TRUST_PROXY') ?? '';
  try {
    const rules = parseEgressAllow(value);
    // A name means whatever its resolver says today, and a proxy's outgoing port is any.
    if (rules.every(({ kind, port }) => kind === 'network' && port === null)) return rules;
    faults.push(`TRUST_PROXY="${value}" must name addresses or CIDRs alone, such as 10.0.0.7, 10.1.0.0/16 or ::1`);
  } catch (error) {
    faults.push(`TRUST_PROXY has ${errorMessage(error)}`);
  }
  return [];
}

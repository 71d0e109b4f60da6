import { parseAddress } from '../../../lib/egress/address';
import { admitsAddress, admitsHost, type EgressRule } from '../../../lib/egress/rules';

const LONGEST = 2_048;

/**
 * What is wrong with the address of a provider; null when nothing is. It must be https: what comes over it says who
 * somebody is. Plain http is for hosts that the operator has named in EGRESS_ALLOW, such as one for tests.
 */
export function addressFault(text: string, allow: readonly EgressRule[]): string | null {
  if (text.length > LONGEST || !URL.canParse(text)) return 'must be a URL such as https://id.example.com';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.hash !== '' || /[\s\p{Cc}]/u.test(text)) {
    return 'must have no user name, no fragment and no blanks';
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isAdmitted(url, allow))) return null;
  return 'must begin with https:// (http:// only for hosts in EGRESS_ALLOW)';
}

/** True for plain http to a host that the operator has not named. */
export const isInsecure = (text: string, allow: readonly EgressRule[]): boolean => {
  const url = new URL(text);
  return url.protocol !== 'https:' && !(url.protocol === 'http:' && isAdmitted(url, allow));
};

function isAdmitted({ hostname, port }: URL, allow: readonly EgressRule[]): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  const number = port === '' ? 80 : Number(port);
  const address = parseAddress(host);
  return admitsHost(allow, host, number) || (address !== null && admitsAddress(allow, address, number));
}

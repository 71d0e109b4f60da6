import { parseAddress } from '../../../lib/egress/address';
import { admitsAddress, admitsHost, type EgressRule } from '../../../lib/egress/rules';

const MAX_URL_CHARS = 2_048;

/**
 * The problem of a provider's address; null when it is valid. It must be https, because its responses authenticate users.
 * Plain http is allowed for hosts in EGRESS_ALLOW, such as test servers.
 */
export function addressProblem(text: string, allow: readonly EgressRule[]): string | null {
  if (text.length > MAX_URL_CHARS || !URL.canParse(text)) return 'must be a URL such as https://id.example.com';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.hash !== '' || /[\s\p{Cc}]/u.test(text)) {
    return 'must have no user name, no fragment and no spaces';
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isAllowedHost(url, allow))) return null;
  return 'must begin with https:// (http:// only for hosts in EGRESS_ALLOW)';
}

/** True for plain http to a host that is not in EGRESS_ALLOW. */
export const isInsecure = (text: string, allow: readonly EgressRule[]): boolean => {
  const url = new URL(text);
  return url.protocol !== 'https:' && !(url.protocol === 'http:' && isAllowedHost(url, allow));
};

function isAllowedHost({ hostname, port }: URL, allow: readonly EgressRule[]): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  const number = port === '' ? 80 : Number(port);
  const address = parseAddress(host);
  return admitsHost(allow, host, number) || (address !== null && admitsAddress(allow, address, number));
}

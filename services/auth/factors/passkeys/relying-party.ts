import { isIP } from 'node:net';
import type { Config } from '../../../../lib/config';

/**
 * For whom passkeys are made (WebAuthn Level 3, section 4: Relying Party). `id` is a domain that every passkey is bound
 * to; `origins` are the addresses of pages that may use them.
 */
export type RelyingParty =
  | { readonly kind: 'configured'; readonly id: string; readonly origins: readonly string[] }
  /** Without an address in the configuration: `localhost`, on every port, since containers publish others than ours. */
  | { readonly kind: 'local'; readonly id: 'localhost' };

type Addresses = { readonly signIn: Pick<Config['signIn'], 'frontendUrl'> } & Pick<Config, 'baseUrl'>;

/** Null where browsers offer no passkeys: an address by number, or one without TLS (section 5.1.2, secure contexts). */
export function relyingPartyOf({ signIn: { frontendUrl }, baseUrl }: Addresses): RelyingParty | null {
  const page = frontendUrl ?? baseUrl;
  if (page === null) return { kind: 'local', id: 'localhost' };
  const { hostname: id } = new URL(page);
  const addresses = [page, baseUrl ?? page].map((each) => new URL(each));
  const origins = addresses.filter((each) => isSecure(each) && isWithin(each.hostname, id)).map(({ origin }) => origin);
  return isSecure(new URL(page)) ? { kind: 'configured', id, origins: [...new Set(origins)] } : null;
}

/** Whether a page of that origin may use the passkeys. */
export function acceptsOrigin(party: RelyingParty, origin: string): boolean {
  if (party.kind === 'configured') return party.origins.includes(origin);
  // Other schemes have no origin of their own.
  return URL.canParse(origin) && new URL(origin).origin === origin && new URL(origin).hostname === party.id;
}

const isSecure = ({ protocol, hostname }: URL): boolean => {
  const isAddress = isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0;
  return !isAddress && (protocol === 'https:' || isWithin(hostname, 'localhost'));
};

const isWithin = (hostname: string, domain: string): boolean => hostname === domain || hostname.endsWith(`.${domain}`);

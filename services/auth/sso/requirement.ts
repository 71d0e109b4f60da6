import { canonicalHost } from '../../../lib/egress/host';
import type { Role } from '../../../lib/roles';
import type { SsoConfigDoc } from './models';

/** What of a configuration says who must sign in with the provider. */
type SsoRequirement = Pick<SsoConfigDoc, 'enabled' | 'enforce' | 'enforce_domains'>;

/** A member of the tenant, or a person who is becoming one. */
export interface SsoMember {
  readonly role: Role;
  readonly email: string;
}

/** The holder of an invitation. The exemption of owners is for those who are owners already: a new owner has no configuration to repair. */
export const invited = ({ email }: Pick<SsoMember, 'email'>): SsoMember => ({ email, role: 'member' });

/** True if a member must sign in with the tenant's provider. Owners are exempt, so that they can repair the configuration. */
export const requiresSso = (config: SsoRequirement | null, { role, email }: SsoMember): boolean =>
  role !== 'owner' && coversAddress(config, email);

/** True if the configuration requires the provider for members with the address, except owners. */
export function coversAddress(config: SsoRequirement | null, email: string): boolean {
  if (config === null || !config.enabled) return false;
  if (config.enforce) return true;
  // The part after the last @, which a quoted local part may contain, too.
  const domain = mailDomain(email.slice(email.lastIndexOf('@') + 1));
  return domain !== null && (config.enforce_domains ?? []).includes(domain);
}

/** A domain of e-mail addresses in lower case and ASCII form; null if it is none. */
export function mailDomain(text: string): string | null {
  const host = canonicalHost(text);
  return host?.includes('.') === true ? host : null;
}

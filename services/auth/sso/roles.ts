import type { MappableRole } from '../../../contracts/auth/sso';
import type { SsoConfigDoc } from './models';

/**
 * The role that a provider's values bring: the highest of those that the mapping knows, else the default; null when
 * the user may not sign in. Never `owner`: the type and the stored values know none.
 */
export function roleFor(
  { role_mapping, default_role }: Pick<SsoConfigDoc, 'role_mapping' | 'default_role'>,
  given: readonly string[],
): MappableRole | null {
  const values = new Set(given);
  const roles = (role_mapping?.values ?? []).filter(({ value }) => values.has(value)).map(({ role }) => role);
  if (roles.includes('admin')) return 'admin';
  return roles.includes('member') ? 'member' : default_role;
}

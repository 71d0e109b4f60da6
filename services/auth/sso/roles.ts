import type { MappableRole } from '../../../contracts/auth/sso';
import type { SsoConfigDoc } from './models';

/** Weakest first. */
const MAPPABLE: readonly MappableRole[] = ['viewer', 'member', 'admin'];

/**
 * Maps group values of a provider to the highest mapped role, else the default role. Null if the user may not sign in.
 * Never `owner`, which is not a MappableRole.
 */
export function roleFor(
  { role_mapping, default_role }: Pick<SsoConfigDoc, 'role_mapping' | 'default_role'>,
  given: readonly string[],
): MappableRole | null {
  const values = new Set(given);
  const roles = (role_mapping?.values ?? []).filter(({ value }) => values.has(value)).map(({ role }) => role);
  return MAPPABLE.findLast((role) => roles.includes(role)) ?? default_role;
}

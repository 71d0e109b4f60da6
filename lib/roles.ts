/** Roles of people, weakest first. A viewer reads what a member reads, and changes nothing but its own account. */
export const ROLES = ['viewer', 'member', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** True for a role with the rights of `needed`. A service has no role of a person, and so none of these rights. */
export const isAtLeast = (role: Role | 'service', needed: Role): boolean =>
  role !== 'service' && ROLES.indexOf(role) >= ROLES.indexOf(needed);

/** True for a person with fewer rights than `needed`. */
export const isBelow = (role: Role | 'service', needed: Role): boolean =>
  role !== 'service' && !isAtLeast(role, needed);

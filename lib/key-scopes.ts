import { isAtLeast, type Role } from './roles';

/** What an API key may do of what its user may, least first. */
export const KEY_SCOPES = ['read', 'run', 'edit', 'admin', 'scim'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/**
 * The role that a scope allows at most. `run` is more than a viewer and less than a member, and `scim` allows provisioning
 * alone: see `isInScope`.
 */
const MAX_ROLE: Readonly<Record<KeyScope, Role>> = {
  read: 'viewer',
  run: 'member',
  edit: 'member',
  admin: 'owner',
  scim: 'owner',
};

/** The role of a user as a key with that scope has it. */
export const roleInScope = (role: Role, scope: KeyScope): Role =>
  isAtLeast(MAX_ROLE[scope], role) ? role : MAX_ROLE[scope];

/** False for an action that changes more than runs, with a key that may only run, and for every one with a key for SCIM. */
export const isInScope = (scope: KeyScope | undefined, { access, runs }: { access: string; runs?: boolean }): boolean =>
  scope !== 'scim' && (scope !== 'run' || access === 'viewer' || runs === true);

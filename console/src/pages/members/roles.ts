import type { MemberView } from '../../api/client';

export type Role = MemberView['role'];

/** What each role may do, the strongest first. */
export const ROLES: readonly { readonly value: Role; readonly label: string; readonly allows: string }[] = [
  { value: 'owner', label: 'Owner', allows: 'Everything, with roles, single sign-on, billing and settings.' },
  {
    value: 'admin',
    label: 'Admin',
    allows: 'What members may do, and secrets, apps, approvals of changes and invitations.',
  },
  { value: 'member', label: 'Member', allows: 'Builds, runs and publishes workflows.' },
  { value: 'viewer', label: 'Viewer', allows: 'Sees what members see, and changes nothing.' },
];

/** The roles that someone with a role may give by an invitation. */
export const rolesToInvite = (own: Role | undefined) =>
  ROLES.filter(({ value }) => value !== 'owner' || own === 'owner');

/** Service accounts are no owners. */
export const ROLES_OF_SERVICES = ROLES.filter(({ value }) => value !== 'owner');

export const allowsOf = (role: Role): string => ROLES.find(({ value }) => value === role)?.allows ?? '';

import type { KeyScope } from './key-scopes';
import { isAtLeast, type Role } from './roles';

/** What a person may do with the workflows of a folder, least first. Each includes those before it. */
export const FOLDER_RIGHTS = ['view', 'run', 'edit', 'manage'] as const;
export type FolderRight = (typeof FOLDER_RIGHTS)[number];

/** `open`: the folder adds to what is inherited; `restricted`: of what is inherited only `manage` remains. */
export const FOLDER_ACCESS = ['open', 'restricted'] as const;
export type FolderAccess = (typeof FOLDER_ACCESS)[number];

/** Gives a right to a member, who may be a service account, or to the members of a group of the identity provider. */
export interface FolderGrant {
  readonly kind: 'member' | 'group';
  readonly id: string;
  readonly right: FolderRight;
}

interface FolderRule {
  readonly access: FolderAccess;
  readonly grants: readonly FolderGrant[];
}

/** By the folder. */
export type FolderRules = ReadonlyMap<string, FolderRule>;

export interface FolderPerson {
  readonly userId: string | null;
  /** Of the person, also where a key of the person is allowed less. */
  readonly role: Role;
  /** Of an API key; absent: all that the person may. */
  readonly scope?: KeyScope | undefined;
  /** Ids of the groups of the person. */
  readonly groups: ReadonlySet<string>;
}

/** The folders that contain a folder, from the outermost one, and the folder itself. None for the empty name. */
export function folderChain(folder: string): string[] {
  if (folder === '') return [];
  const names = folder.split('/');
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

/** True for `allowed` that includes `needed`. */
export const includesRight = (allowed: FolderRight | null, needed: FolderRight): boolean =>
  allowed !== null && FOLDER_RIGHTS.indexOf(allowed) >= FOLDER_RIGHTS.indexOf(needed);

const higher = (a: FolderRight | null, b: FolderRight | null): FolderRight | null =>
  a === null || (b !== null && includesRight(b, a)) ? b : a;

const lower = (a: FolderRight | null, b: FolderRight): FolderRight | null =>
  a !== null && includesRight(a, b) ? b : a;

/** At most these, whatever rules give. */
const MAX_OF_ROLE: Readonly<Record<Role, FolderRight>> = {
  viewer: 'view',
  member: 'manage',
  admin: 'manage',
  owner: 'manage',
};
const MAX_OF_SCOPE: Readonly<Record<KeyScope, FolderRight>> = {
  read: 'view',
  run: 'run',
  edit: 'edit',
  admin: 'manage',
  scim: 'manage',
};

/** What the role alone gives, where nothing is restricted. */
const RIGHT_OF_ROLE: Readonly<Record<Role, FolderRight>> = {
  viewer: 'view',
  member: 'edit',
  admin: 'manage',
  owner: 'manage',
};

/**
 * The right of a person on a folder; null for none. Pure.
 *  - Admins and owners manage every folder.
 *  - Without rules the role decides: viewers view, members edit. Workflows in no folder have no rules.
 *  - Grants of a folder also hold for the folders in it, and the highest one counts.
 *  - A restricted folder drops what is inherited, of the role and of grants, except grants of `manage`.
 *  - A viewer has at most `view`, and an API key at most what its scope allows.
 */
export function rightOn(folder: string, rules: FolderRules, person: FolderPerson): FolderRight | null {
  const max = lower(MAX_OF_ROLE[person.role], MAX_OF_SCOPE[person.scope ?? 'admin']) as FolderRight;
  let right: FolderRight | null = RIGHT_OF_ROLE[person.role];
  if (!isAtLeast(person.role, 'admin'))
    for (const each of folderChain(folder)) {
      const rule = rules.get(each);
      if (rule === undefined) continue;
      if (rule.access === 'restricted' && right !== 'manage') right = null;
      right = higher(right, grantedTo(person, rule.grants));
    }
  return lower(right, max);
}

function grantedTo({ userId, groups }: FolderPerson, grants: readonly FolderGrant[]): FolderRight | null {
  let right: FolderRight | null = null;
  for (const grant of grants)
    if (grant.kind === 'member' ? grant.id === userId : groups.has(grant.id)) right = higher(right, grant.right);
  return right;
}

/** True for a folder in which rules keep members out who are not named. */
export const isRestricted = (folder: string, rules: FolderRules): boolean =>
  folderChain(folder).some((each) => rules.get(each)?.access === 'restricted');

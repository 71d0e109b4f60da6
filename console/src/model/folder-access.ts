import type { FolderAccess } from '../api/client';

type FolderRight = FolderAccess['right'];

/** A grant of the form: `id` is an e-mail address until it is saved. */
interface Grant {
  readonly kind: 'member' | 'group';
  readonly id: string;
  readonly name: string;
  readonly right: FolderRight;
}

export interface AccessForm {
  readonly restricted: boolean;
  readonly grants: readonly Grant[];
}

export const RIGHTS: readonly { readonly value: FolderRight; readonly label: string }[] = [
  { value: 'view', label: 'View' },
  { value: 'run', label: 'Run' },
  { value: 'edit', label: 'Edit' },
  { value: 'manage', label: 'Manage' },
];

/** What a person with the right may do, as a sentence. */
export const RIGHT_TEXTS: Readonly<Record<FolderRight, string>> = {
  view: 'You may see its workflows and their runs.',
  run: 'You may see and start its workflows, and act on their runs.',
  edit: 'You may change its workflows.',
  manage: 'You may change its workflows and who has access.',
};

export const formOf = ({ access, grants }: Pick<FolderAccess, 'access' | 'grants'>): AccessForm => ({
  restricted: access === 'restricted',
  // Grants of members and groups that are gone cannot be saved again.
  grants: grants.flatMap(({ name, ...grant }) => (name === null ? [] : [{ ...grant, name }])),
});

/** The form with one more person; who is in it already gets the right. */
export function withGrant(form: AccessForm, email: string, right: FolderRight): AccessForm {
  const name = email.trim();
  const isSame = (grant: Grant): boolean => grant.name.toLowerCase() === name.toLowerCase();
  const known = form.grants.some(isSame);
  const grants = known
    ? form.grants.map((grant) => (isSame(grant) ? { ...grant, right } : grant))
    : [...form.grants, { kind: 'member', id: name, name, right } as const];
  return { ...form, grants };
}

export const bodyOf = ({ restricted, grants }: AccessForm, revision: number) => ({
  access: restricted ? ('restricted' as const) : ('open' as const),
  grants: grants.map(({ kind, id, right }) => ({ kind, id, right })),
  revision,
});

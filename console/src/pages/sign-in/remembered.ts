/** The workspace and address of the last sign-in in this browser; never a password. */
export interface Account {
  readonly workspace: string;
  readonly email: string;
}

const KEY = 'everstep.account';

export function rememberedAccount(): Account {
  const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
  if (typeof stored !== 'object' || stored === null) return { workspace: '', email: '' };
  const { workspace, email } = stored as Partial<Record<keyof Account, unknown>>;
  return {
    workspace: typeof workspace === 'string' ? workspace : '',
    email: typeof email === 'string' ? email : '',
  };
}

export const rememberAccount = (account: Account): void => localStorage.setItem(KEY, JSON.stringify(account));

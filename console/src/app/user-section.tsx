import { useNavigate } from '@tanstack/react-router';
import { api } from '../api/client';
import { ActionList, Badge, Popover, Skeleton } from '../ui';
import { DarkThemeIcon, LightThemeIcon, SettingsIcon, SignOutIcon, SwitcherIcon, SystemThemeIcon } from '../ui/icon';
import { useMe } from './queries';
import { session } from './session';
import { setTheme, type Theme, useTheme } from './theme';

/** The workspace, with its plan. */
export function WorkspaceSection() {
  const { data: me } = useMe();
  const name = me?.tenant.name;
  return (
    <div className="side-workspace">
      <span className="avatar avatar-square" aria-hidden="true">
        {initialOf(name)}
      </span>
      <span className="side-name">
        {name === undefined ? <Skeleton width={96} /> : <strong>{name}</strong>}
        {me && <span>{me.tenant.slug}</span>}
      </span>
      {me && <Badge>{me.tenant.plan}</Badge>}
    </div>
  );
}

const THEMES: readonly { readonly value: Theme; readonly label: string; readonly icon: typeof LightThemeIcon }[] = [
  { value: 'system', label: 'System', icon: SystemThemeIcon },
  { value: 'light', label: 'Light', icon: LightThemeIcon },
  { value: 'dark', label: 'Dark', icon: DarkThemeIcon },
];

/** Ends the session on the server, too; without a server the token is dropped here alone. */
export async function signOut(): Promise<void> {
  await api.auth.logout().catch(() => undefined);
  session.signOut();
}

/** The user at the foot of the side bar: theme, settings, sign out. */
export function UserSection() {
  const { data: me } = useMe();
  const navigate = useNavigate();
  return (
    <Popover
      label="Account"
      className="user-popover"
      trigger={(props) => (
        <button type="button" className="side-user" {...props}>
          <span className="avatar" aria-hidden="true">
            {initialOf(me?.email)}
          </span>
          <span className="side-name">
            {me === undefined ? <Skeleton width={112} /> : <span className="side-email">{me.email}</span>}
            {me && <span>{me.role}</span>}
          </span>
          <SwitcherIcon size={14} aria-hidden="true" />
        </button>
      )}
    >
      {(close) => (
        <>
          <ThemeSwitch />
          <ActionList
            close={close}
            actions={[
              { label: 'Settings', icon: SettingsIcon, onSelect: () => void navigate({ to: '/settings' }) },
              { label: 'Sign out', icon: SignOutIcon, onSelect: () => void signOut() },
            ]}
          />
        </>
      )}
    </Popover>
  );
}

function ThemeSwitch() {
  const theme = useTheme();
  return (
    <fieldset className="theme-switch">
      <legend className="visually-hidden">Theme</legend>
      {THEMES.map(({ value, label, icon: Glyph }) => (
        <label key={value}>
          <input type="radio" name="theme" checked={theme === value} onChange={() => setTheme(value)} />
          <Glyph size={14} aria-hidden="true" />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

const initialOf = (name: string | undefined): string => (name ?? '').trim().charAt(0).toUpperCase();

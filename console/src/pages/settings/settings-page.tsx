import { Link } from '@tanstack/react-router';
import { api } from '../../api/client';
import { meQuery, queryClient, useMe } from '../../app/queries';
import { session } from '../../app/session';
import { setTheme, type Theme, useTheme } from '../../app/theme';
import {
  Badge,
  Button,
  Card,
  Field,
  Form,
  type FormValues,
  KeyValues,
  LinkButton,
  Loaded,
  Page,
  RelativeTime,
  Select,
  TextField,
  toast,
} from '../../ui';
import { MIN_PASSWORD_CHARS, PASSWORD_HINT } from '../sign-in/password';
import { PasskeysCard } from './passkeys-card';
import { SecondFactorCard } from './second-factor-card';
import { SessionsCard } from './sessions-card';
import styles from './settings.module.css';

/** What concerns the user alone. */
export function SettingsPage() {
  return (
    <Page title="Settings" description="Your account in this workspace, and how the console looks." narrow>
      <AccountCard />
      <AppearanceCard />
      <PasswordCard />
      <PasskeysCard />
      <SecondFactorCard />
      <SessionsCard />
      <WorkspaceCard />
    </Page>
  );
}

/** What owners set up for all members. */
function WorkspaceCard() {
  if (useMe().data?.role !== 'owner') return null;
  return (
    <Card
      title="Workspace"
      description="Sign-in with your identity provider, and provisioning of users and groups by SCIM."
    >
      <LinkButton to="/single-sign-on">Single sign-on</LinkButton>
    </Card>
  );
}

function AccountCard() {
  const me = useMe();
  return (
    <Card title="Account">
      <Loaded query={me}>
        {(user) => (
          <KeyValues
            rows={[
              ['E-mail address', <Address key="address" email={user.email} verified={user.email_verified} />],
              ['Role', user.role],
              ['Workspace', `${user.tenant.name} (${user.tenant.slug})`],
              [
                'Public pages',
                <Link key="branding" to="/branding">
                  Name, logo and colour
                </Link>,
              ],
              ['Member since', <RelativeTime key="since" at={user.created_at} />],
              ['Last sign-in', user.last_sign_in_at && <RelativeTime key="last" at={user.last_sign_in_at} />],
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}

function Address({ email, verified }: { readonly email: string; readonly verified: boolean }) {
  return (
    <span className={styles.inline}>
      {email}
      {verified ? <Badge tone="ok">Confirmed</Badge> : <Badge tone="warn">Not confirmed</Badge>}
    </span>
  );
}

const THEMES = [
  { value: 'system', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

function AppearanceCard() {
  const theme = useTheme();
  return (
    <Card title="Appearance">
      <div className={styles.short}>
        <Field label="Theme">
          <Select options={THEMES} value={theme} onChange={(event) => setTheme(event.currentTarget.value as Theme)} />
        </Field>
      </div>
    </Card>
  );
}

function PasswordCard() {
  const { data: me } = useMe();
  const submit = async ({ current_password = '', new_password = '' }: FormValues): Promise<void> => {
    const { token } = await api.auth.change_password({ body: { current_password, new_password } });
    session.signIn(token);
    await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
    toast('The password is changed; your other sessions have ended.');
  };
  if (me !== undefined && !me.sign_in.includes('password')) return null;
  return (
    <Card title="Password" description="A new password ends your other sessions.">
      <Form onSubmit={submit} className={styles.short} label="Change the password">
        {({ busy }) => (
          <>
            <TextField
              name="current_password"
              type="password"
              label="Current password"
              autoComplete="current-password"
            />
            <TextField
              name="new_password"
              type="password"
              label="New password"
              autoComplete="new-password"
              minLength={MIN_PASSWORD_CHARS}
              hint={PASSWORD_HINT}
            />
            <div className="form-actions">
              <Button type="submit" busy={busy}>
                Change the password
              </Button>
            </div>
          </>
        )}
      </Form>
    </Card>
  );
}

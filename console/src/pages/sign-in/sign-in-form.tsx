import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { EverstepError, publicApi } from '../../api/client';
import { challengeOf, type FactorChallenge } from '../../model/second-factor';
import { AnchorButton, Button, Form, type FormValues, TextField } from '../../ui';
import { KeyIcon } from '../../ui/icon';
import { OtherSignIns } from './other-sign-ins';
import { type Account, rememberAccount, rememberedAccount } from './remembered';
import { SecondFactorForm } from './second-factor-form';
import styles from './sign-in.module.css';

interface SignInFormProps {
  /** Fixed where a user who was signed in has to sign in again. */
  readonly account?: Account;
  readonly onToken: (token: string) => void;
}

/** Sign-in by password, by the identity provider of the workspace, or by what else the installation has. */
export function SignInForm({ account, onToken }: SignInFormProps) {
  const [remembered] = useState(rememberedAccount);
  const known = account ?? remembered;
  const [workspace, setWorkspace] = useState(known.workspace);
  const [challenge, setChallenge] = useState<FactorChallenge | null>(null);
  const sso = useSsoOf(workspace);

  const submit = async ({ tenant_slug = '', email = '', password = '' }: FormValues): Promise<void> => {
    const entered = { workspace: tenant_slug.trim(), email };
    try {
      const { token } = await publicApi.auth.login({ body: { tenant_slug: entered.workspace, email, password } });
      rememberAccount(entered);
      onToken(token);
    } catch (error) {
      const found = error instanceof EverstepError ? challengeOf(error.body) : null;
      if (found === null) throw error;
      rememberAccount(entered);
      setChallenge(found);
    }
  };
  if (challenge !== null) {
    return <SecondFactorForm challenge={challenge} onToken={onToken} onBack={() => setChallenge(null)} />;
  }

  return (
    <>
      <Form onSubmit={submit} label="Sign in">
        {({ busy }) => (
          <>
            <TextField
              name="tenant_slug"
              label="Workspace"
              autoComplete="organization"
              placeholder="acme"
              defaultValue={known.workspace}
              readOnly={account !== undefined}
              autoFocus={known.workspace === ''}
              onChange={setWorkspace}
            />
            {sso?.enabled && (
              <AnchorButton
                icon={KeyIcon}
                kind={sso.enforce ? 'primary' : 'secondary'}
                className={styles.wide}
                href={`/api/v1/auth/sso/authorize?tenant_slug=${encodeURIComponent(workspace.trim())}`}
                onClick={() => rememberAccount({ workspace: workspace.trim(), email: known.email })}
              >
                Continue with single sign-on
              </AnchorButton>
            )}
            {sso?.enabled && !sso.enforce && <div className={styles.or}>or with a password</div>}
            {sso?.enforce !== true && (
              <>
                <TextField
                  name="email"
                  type="email"
                  label="E-mail address"
                  autoComplete={account === undefined ? 'username webauthn' : 'username'}
                  defaultValue={known.email}
                  readOnly={account !== undefined}
                  autoFocus={known.workspace !== '' && known.email === ''}
                />
                <TextField
                  name="password"
                  type="password"
                  label="Password"
                  autoComplete="current-password"
                  autoFocus={known.workspace !== '' && known.email !== ''}
                />
                <Button kind="primary" size="large" type="submit" busy={busy} className={styles.wide}>
                  Sign in
                </Button>
                {account === undefined && (
                  <div className={styles.links}>
                    <Link to="/forgot-password">Forgot the password?</Link>
                  </div>
                )}
              </>
            )}
          </>
        )}
      </Form>
      <OtherSignIns account={account} passkey={sso?.enforce !== true} onToken={onToken} />
    </>
  );
}

const SLUG = /^[a-z0-9][a-z0-9-]{1,}$/;
const CHECKED_MS = 60_000;

/** Whether the workspace has single sign-on; undefined while it is not known. */
function useSsoOf(workspace: string) {
  const slug = useDeferredValue(workspace.trim().toLowerCase());
  return useQuery({
    queryKey: ['sso', slug],
    queryFn: ({ signal }) => publicApi.auth.sso_check({ tenant_slug: slug }, { signal }),
    enabled: SLUG.test(slug),
    staleTime: CHECKED_MS,
    retry: false,
  }).data;
}

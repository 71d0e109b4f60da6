import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type RefCallback, useDeferredValue, useState } from 'react';
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
  const [email, setEmail] = useState(known.email);
  const [isOwner, setOwner] = useState(false);
  const [challenge, setChallenge] = useState<FactorChallenge | null>(null);
  const sso = useSsoOf(workspace, email);
  const isRequired = sso !== null && sso.requires !== 'none' && !isOwner;
  const provider = {
    href: `/api/v1/auth/sso/authorize?tenant_slug=${encodeURIComponent(workspace.trim())}`,
    onClick: () => rememberAccount({ workspace: workspace.trim(), email }),
  };

  const submit = async ({ tenant_slug = '', email: address = '', password = '' }: FormValues): Promise<void> => {
    const entered = { workspace: tenant_slug.trim(), email: address };
    try {
      const body = { tenant_slug: entered.workspace, email: address, password };
      const { token } = await publicApi.auth.login({ body });
      rememberAccount(entered);
      onToken(token);
    } catch (error) {
      const found = error instanceof EverstepError ? challengeOf(error.body) : null;
      if (found === null && !isSsoRequired(error)) throw error;
      rememberAccount(entered);
      if (found === null) location.assign(provider.href);
      else setChallenge(found);
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
            {sso !== null && sso.requires !== 'address' && <ProviderButton {...provider} isRequired={isRequired} />}
            {sso !== null && !isRequired && <div className={styles.or}>or with a password</div>}
            {!(isRequired && sso.requires === 'all') && (
              <TextField
                name="email"
                type="email"
                label="E-mail address"
                autoComplete={account === undefined ? 'username webauthn' : 'username'}
                defaultValue={email}
                readOnly={account !== undefined}
                autoFocus={known.workspace !== '' && known.email === ''}
                onLeave={setEmail}
              />
            )}
            {isRequired ? (
              <>
                {sso.requires === 'address' && <ProviderButton {...provider} isRequired ref={focused} />}
                <Button kind="ghost" className={styles.wide} onClick={() => setOwner(true)}>
                  Sign in as an owner with a password
                </Button>
              </>
            ) : (
              <>
                <TextField
                  name="password"
                  type="password"
                  label="Password"
                  autoComplete="current-password"
                  autoFocus={isOwner || (known.workspace !== '' && known.email !== '')}
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
      <OtherSignIns account={account} passkey={!isRequired} onToken={onToken} />
    </>
  );
}

interface ProviderButtonProps {
  readonly href: string;
  readonly isRequired: boolean;
  readonly onClick: () => void;
  readonly ref?: RefCallback<HTMLAnchorElement>;
}

/** It replaces the field that comes next when the field of the address is left. */
const focused: RefCallback<HTMLAnchorElement> = (button) => button?.focus();

const ProviderButton = ({ isRequired, ...rest }: ProviderButtonProps) => (
  <AnchorButton {...rest} icon={KeyIcon} kind={isRequired ? 'primary' : 'secondary'} className={styles.wide}>
    Continue with single sign-on
  </AnchorButton>
);

const isSsoRequired = (error: unknown): boolean => error instanceof EverstepError && error.code === 'sso_required';

const SLUG = /^[a-z0-9][a-z0-9-]{1,}$/;
const DOMAIN = /@([^@\s]+\.[^@\s]+)$/;
const CHECKED_MS = 60_000;

/** Of whom the workspace requires single sign-on: of all but owners, of this address, or of neither. Null without it, and while it is not known. */
function useSsoOf(workspace: string, email: string): { readonly requires: 'all' | 'address' | 'none' } | null {
  const slug = useDeferredValue(workspace.trim().toLowerCase());
  const domain = DOMAIN.exec(email)?.[1]?.toLowerCase();
  const all = useQuery({ ...ssoQuery(slug, undefined, undefined), enabled: SLUG.test(slug) }).data;
  const asksForAddress = all?.enabled === true && !all.enforce && domain !== undefined;
  const ofAddress = useQuery({ ...ssoQuery(slug, domain, email), enabled: asksForAddress }).data;
  if (all?.enabled !== true) return null;
  return { requires: all.enforce ? 'all' : asksForAddress && ofAddress?.enforce === true ? 'address' : 'none' };
}

/** The answer depends on the domain of the address alone. */
const ssoQuery = (slug: string, domain: string | undefined, email: string | undefined) =>
  queryOptions({
    queryKey: ['sso', slug, domain],
    queryFn: ({ signal }) =>
      publicApi.auth.sso_check({ tenant_slug: slug, ...(email === undefined ? {} : { email }) }, { signal }),
    staleTime: CHECKED_MS,
    retry: false,
  });

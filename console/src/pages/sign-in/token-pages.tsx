import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { publicApi } from '../../api/client';
import { session, useSession } from '../../app/session';
import { Button, Form, type FormValues, LinkButton, Notice, TextField } from '../../ui';
import { SignInFrame } from './frame';
import { MIN_PASSWORD_CHARS, PASSWORD_HINT } from './password';
import { rememberAccount, rememberedAccount } from './remembered';
import { SignInForm } from './sign-in-form';
import styles from './sign-in.module.css';

const toSignIn = <Link to="/sign-in">Back to the sign-in</Link>;

/** Asks for a mail with a link that sets a new password. */
export function ForgotPasswordPage() {
  const [known] = useState(rememberedAccount);
  const [sentTo, setSentTo] = useState<string | null>(null);
  const submit = async ({ tenant_slug = '', email = '' }: FormValues): Promise<void> => {
    await publicApi.auth.request_password_reset({ body: { tenant_slug, email } });
    setSentTo(email);
  };
  if (sentTo !== null)
    return (
      <SignInFrame title="Look into your mailbox" footer={toSignIn}>
        <p className="cell-muted">
          If {sentTo} has an account in this workspace, a mail with a link is on its way. The link works once, for an
          hour.
        </p>
      </SignInFrame>
    );
  return (
    <SignInFrame title="Forgot the password?" description="We send you a link to set a new one." footer={toSignIn}>
      <Form onSubmit={submit} label="Request a link">
        {({ busy }) => (
          <>
            <TextField
              name="tenant_slug"
              label="Workspace"
              defaultValue={known.workspace}
              autoFocus={known.workspace === ''}
            />
            <TextField
              name="email"
              type="email"
              label="E-mail address"
              autoComplete="username"
              defaultValue={known.email}
            />
            <Button kind="primary" size="large" type="submit" busy={busy} className={styles.wide}>
              Send the link
            </Button>
          </>
        )}
      </Form>
    </SignInFrame>
  );
}

const newPassword = (
  <TextField
    name="password"
    type="password"
    label="New password"
    autoComplete="new-password"
    minLength={MIN_PASSWORD_CHARS}
    hint={PASSWORD_HINT}
    autoFocus
  />
);

/** The target of the link in a mail about a forgotten password. */
export function ResetPasswordPage() {
  const { token } = useSearch({ from: '/reset-password' });
  const [done, setDone] = useState(false);
  if (token === undefined) return <IncompleteLink />;
  const submit = async ({ password = '' }: FormValues): Promise<void> => {
    await publicApi.auth.confirm_password_reset({ body: { token, password } });
    setDone(true);
  };
  if (done)
    return (
      <SignInFrame title="The password is changed" description="All other sessions of your account have ended.">
        <LinkButton kind="primary" size="large" to="/sign-in" className={styles.wide}>
          Sign in
        </LinkButton>
      </SignInFrame>
    );
  return (
    <SignInFrame title="Set a new password" footer={toSignIn}>
      <Form onSubmit={submit} label="Set a new password">
        {({ busy }) => (
          <>
            {newPassword}
            <Button kind="primary" size="large" type="submit" busy={busy} className={styles.wide}>
              Set the password
            </Button>
          </>
        )}
      </Form>
    </SignInFrame>
  );
}

/** The target of an invitation. */
export function AcceptInvitePage() {
  const { token } = useSearch({ from: '/accept-invite' });
  const navigate = useNavigate();
  if (token === undefined) return <IncompleteLink />;
  const submit = async ({ password = '' }: FormValues): Promise<void> => {
    const accepted = await publicApi.auth.accept_invite({ body: { token, password } });
    rememberAccount({ workspace: accepted.tenant.slug, email: accepted.user.email });
    session.signIn(accepted.token);
    await navigate({ to: '/' });
  };
  return (
    <SignInFrame title="Join your team" description="Choose a password to accept the invitation." footer={toSignIn}>
      <Form onSubmit={submit} label="Accept the invitation">
        {({ busy }) => (
          <>
            {newPassword}
            <Button kind="primary" size="large" type="submit" busy={busy} className={styles.wide}>
              Accept the invitation
            </Button>
          </>
        )}
      </Form>
    </SignInFrame>
  );
}

/** The target of the link that confirms an address. The API takes it with a session of the same account alone. */
export function VerifyEmailPage() {
  const { token } = useSearch({ from: '/verify-email' });
  const { token: credential } = useSession();
  const [email, setEmail] = useState<string | null>(null);
  if (token === undefined) return <IncompleteLink />;
  if (email !== null)
    return (
      <SignInFrame title="The address is confirmed" description={email}>
        <LinkButton kind="primary" size="large" to="/" className={styles.wide}>
          Go to the console
        </LinkButton>
      </SignInFrame>
    );
  if (credential === null)
    return (
      <SignInFrame title="Confirm your e-mail address" description="Sign in to the account that the mail was sent to.">
        <SignInForm onToken={(given) => session.signIn(given)} />
      </SignInFrame>
    );
  const submit = async (): Promise<void> => {
    const confirmed = await publicApi.auth.verify_email({ body: { token } }, { token: credential });
    setEmail(confirmed.email);
  };
  return (
    <SignInFrame title="Confirm your e-mail address">
      <Form onSubmit={submit} label="Confirm the address">
        {({ busy }) => (
          <Button kind="primary" size="large" type="submit" busy={busy} className={styles.wide}>
            Confirm the address
          </Button>
        )}
      </Form>
    </SignInFrame>
  );
}

function IncompleteLink() {
  return (
    <SignInFrame title="The link is incomplete" footer={toSignIn}>
      <Notice tone="warn">Open the link of the mail again, or copy all of it into the address bar.</Notice>
    </SignInFrame>
  );
}

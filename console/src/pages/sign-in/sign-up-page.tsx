import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { publicApi } from '../../api/client';
import { session } from '../../app/session';
import { slugOf } from '../../model/slug';
import { Button, Form, type FormValues, TextField } from '../../ui';
import { SignInFrame } from './frame';
import { MIN_PASSWORD_CHARS, PASSWORD_HINT } from './password';
import { rememberAccount } from './remembered';
import styles from './sign-in.module.css';

export function SignUpPage() {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  /** Null while it follows the name. */
  const [ownSlug, setOwnSlug] = useState<string | null>(null);

  const submit = async ({
    tenant_name = '',
    tenant_slug = '',
    email = '',
    password = '',
  }: FormValues): Promise<void> => {
    const { token, user, tenant } = await publicApi.auth.register({
      body: { tenant_name, tenant_slug, email, password },
    });
    rememberAccount({ workspace: tenant.slug, email: user.email });
    session.signIn(token);
    await navigate({ to: '/' });
  };

  return (
    <SignInFrame
      title="Create a workspace"
      description="You become its owner, and can invite others later."
      footer={
        <>
          Already have one? <Link to="/sign-in">Sign in</Link>
        </>
      }
    >
      <Form onSubmit={submit} label="Create a workspace">
        {({ busy }) => (
          <>
            <TextField
              name="tenant_name"
              label="Workspace name"
              placeholder="Acme"
              autoComplete="organization"
              autoFocus
              onChange={setName}
            />
            <TextField
              name="tenant_slug"
              label="Workspace address"
              hint="Three or more lowercase letters, digits and hyphens. You sign in with it, and it cannot be changed later."
              value={ownSlug ?? slugOf(name)}
              onChange={setOwnSlug}
            />
            <TextField name="email" type="email" label="E-mail address" autoComplete="username" />
            <TextField
              name="password"
              type="password"
              label="Password"
              autoComplete="new-password"
              minLength={MIN_PASSWORD_CHARS}
              hint={PASSWORD_HINT}
            />
            <Button kind="primary" size="large" type="submit" busy={busy} className={styles.wide}>
              Create the workspace
            </Button>
          </>
        )}
      </Form>
    </SignInFrame>
  );
}

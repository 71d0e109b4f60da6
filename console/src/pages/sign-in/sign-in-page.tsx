import { Link, useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { landing } from '../../app/landing';
import { session } from '../../app/session';
import { Notice } from '../../ui';
import { SignInFrame } from './frame';
import { SignInForm } from './sign-in-form';

export function SignInPage() {
  const { next } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  const router = useRouter();
  const enter = (token: string): void => {
    session.signIn(token);
    if (next === undefined) void navigate({ to: '/' });
    else router.history.push(`/console${next}`);
  };
  return (
    <SignInFrame
      title="Sign in to Everstep"
      footer={
        <>
          No workspace yet? <Link to="/sign-up">Create one</Link>
        </>
      }
    >
      {landing?.kind === 'error' && <Notice tone="danger">{landing.message}</Notice>}
      <SignInForm onToken={enter} />
    </SignInFrame>
  );
}

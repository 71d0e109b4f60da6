import { useState } from 'react';
import { Link, useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { landing } from '../../app/landing';
import { session } from '../../app/session';
import { Notice } from '../../ui';
import { SignInFrame } from './frame';
import { SecondFactorForm } from './second-factor-form';
import { SignInForm } from './sign-in-form';

export function SignInPage() {
  const { next } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  const router = useRouter();
  const [challenge, setChallenge] = useState(landing?.kind === 'challenge' ? landing.challenge : null);
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
      {landing?.kind === 'claim' && <Notice>Sign in to connect the account to your workspace.</Notice>}
      {challenge === null ? (
        <SignInForm onToken={enter} />
      ) : (
        <SecondFactorForm challenge={challenge} onToken={enter} onBack={() => setChallenge(null)} />
      )}
    </SignInFrame>
  );
}

import { useState } from 'react';
import { publicApi } from '../../api/client';
import { type FactorChallenge, plainCode } from '../../model/second-factor';
import { Button, Form, type FormValues, TextField } from '../../ui';
import styles from './sign-in.module.css';

interface SecondFactorFormProps {
  readonly challenge: FactorChallenge;
  readonly onToken: (token: string) => void;
  /** Back to the password, such as when the challenge is too old. */
  readonly onBack: () => void;
}

/** The second step of a sign-in: a code of the authenticator app, or a recovery code. */
export function SecondFactorForm({ challenge, onToken, onBack }: SecondFactorFormProps) {
  const [recovery, setRecovery] = useState(false);
  const submit = async ({ code = '' }: FormValues): Promise<void> => {
    const proof = recovery ? { recovery_code: code.trim() } : { code: plainCode(code) };
    const { token } = await publicApi.auth.complete_sign_in({ body: { challenge: challenge.challenge, ...proof } });
    onToken(token);
  };
  return (
    <Form key={String(recovery)} onSubmit={submit} label="Second factor">
      {({ busy }) => (
        <>
          {recovery ? (
            <TextField name="code" label="Recovery code" hint="Each code can be used once." autoFocus />
          ) : (
            <TextField
              name="code"
              label="Code"
              hint="The six digits that your authenticator app shows."
              autoComplete="one-time-code"
              autoFocus
            />
          )}
          <Button kind="primary" size="large" type="submit" busy={busy} className={styles.wide}>
            Sign in
          </Button>
          <div className={styles.links}>
            {challenge.methods.includes('recovery_code') && (
              <Button kind="ghost" size="small" onClick={() => setRecovery(!recovery)}>
                {recovery ? 'Use the authenticator app' : 'Use a recovery code'}
              </Button>
            )}
            <Button kind="ghost" size="small" onClick={onBack}>
              Back
            </Button>
          </div>
        </>
      )}
    </Form>
  );
}

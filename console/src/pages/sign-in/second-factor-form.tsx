import { useState } from 'react';
import { publicApi } from '../../api/client';
import { askPasskey, hasPasskeys } from '../../app/passkeys';
import { type FactorChallenge, type FactorMethod, methodsOf, plainCode } from '../../model/second-factor';
import { Button, Form, type FormValues, TextField } from '../../ui';
import { PasskeyIcon } from '../../ui/icon';
import styles from './sign-in.module.css';

interface SecondFactorFormProps {
  readonly challenge: FactorChallenge;
  readonly onToken: (token: string) => void;
  /** Back to the password, such as when the challenge is too old. */
  readonly onBack: () => void;
}

const SWITCH_TO: Readonly<Record<FactorMethod, string>> = {
  passkey: 'Use a passkey',
  totp: 'Use the authenticator app',
  recovery_code: 'Use a recovery code',
};

/** The second step of a sign-in: a passkey, a code of the authenticator app, or a recovery code. */
export function SecondFactorForm({ challenge: { challenge, methods }, onToken, onBack }: SecondFactorFormProps) {
  const offered = methodsOf(methods, hasPasskeys());
  const [method, setMethod] = useState<FactorMethod>(offered[0]);
  const proofOf = async (code: string) => {
    if (method === 'totp') return { code: plainCode(code) };
    if (method === 'recovery_code') return { recovery_code: code.trim() };
    return { passkey: await askPasskey(await publicApi.auth.begin_passkey_factor({ body: { challenge } })) };
  };
  const submit = async ({ code = '' }: FormValues): Promise<void> => {
    const proof = await proofOf(code);
    const { token } = await publicApi.auth.complete_sign_in({ body: { challenge, ...proof } });
    onToken(token);
  };
  return (
    <Form key={method} onSubmit={submit} label="Second factor">
      {({ busy }) => (
        <>
          <FactorField method={method} />
          <Button
            kind="primary"
            size="large"
            type="submit"
            busy={busy}
            className={styles.wide}
            autoFocus={method === 'passkey'}
            {...(method === 'passkey' && { icon: PasskeyIcon })}
          >
            {method === 'passkey' ? 'Continue with a passkey' : 'Sign in'}
          </Button>
          <div className={styles.links}>
            {offered
              .filter((other) => other !== method)
              .map((other) => (
                <Button key={other} kind="ghost" size="small" onClick={() => setMethod(other)}>
                  {SWITCH_TO[other]}
                </Button>
              ))}
            <Button kind="ghost" size="small" onClick={onBack}>
              Back
            </Button>
          </div>
        </>
      )}
    </Form>
  );
}

function FactorField({ method }: { readonly method: FactorMethod }) {
  if (method === 'passkey') return <p className="cell-muted">Confirm the sign-in with your passkey.</p>;
  if (method === 'recovery_code')
    return <TextField name="code" label="Recovery code" hint="Each code can be used once." autoFocus />;
  return (
    <TextField
      name="code"
      label="Code"
      hint="The six digits that your authenticator app shows."
      autoComplete="one-time-code"
      autoFocus
    />
  );
}

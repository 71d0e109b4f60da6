import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, EverstepError } from '../../api/client';
import { askPasskey, hasPasskeys } from '../../app/passkeys';
import { useMe } from '../../app/queries';
import { Button, Dialog, Form, FormFooter, Notice, TextField, toastError } from '../../ui';
import { PasskeyIcon } from '../../ui/icon';
import { factorsQuery } from './factors';
import styles from './settings.module.css';

type Work = () => Promise<void>;

/** Changes of factors need a sign-in, or a confirmation, in the last minutes. */
const asksToConfirm = (error: unknown): boolean =>
  error instanceof EverstepError && error.code === 'reauthentication_required';

/** Runs work that may ask who is at the session, and repeats it after the answer. `dialog` is to be rendered. */
export function useConfirmed(): { readonly run: (work: Work) => Promise<void>; readonly dialog: ReactNode } {
  const [waiting, setWaiting] = useState<Work | null>(null);
  const run = async (work: Work): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!asksToConfirm(error)) throw error;
      setWaiting(() => work);
    }
  };
  const confirmed = async (): Promise<void> => {
    if (waiting === null) return;
    setWaiting(null);
    await run(waiting).catch(toastError);
  };
  const dialog = waiting !== null && <ConfirmIdentity onClose={() => setWaiting(null)} onConfirmed={confirmed} />;
  return { run, dialog };
}

interface ConfirmIdentityProps {
  readonly onConfirmed: () => Promise<void>;
  readonly onClose: () => void;
}

function ConfirmIdentity({ onConfirmed, onClose }: ConfirmIdentityProps) {
  const { data: me } = useMe();
  const { data: factors } = useQuery(factorsQuery);
  const hasPassword = me === undefined || me.sign_in.includes('password');
  const canUsePasskey = factors !== undefined && factors.passkeys > 0 && hasPasskeys();
  const byPassword = async ({ password = '' }: Readonly<Record<string, string>>): Promise<void> => {
    await api.auth.confirm_identity({ body: { password } });
    await onConfirmed();
  };
  return (
    <Dialog title="Confirm that it is you" onClose={onClose}>
      {canUsePasskey && <ConfirmByPasskey onConfirmed={onConfirmed} />}
      {canUsePasskey && hasPassword && <div className={styles.or}>or with the password</div>}
      {hasPassword && (
        <Form label="Confirm that it is you" onSubmit={byPassword}>
          {({ busy }) => (
            <>
              <TextField
                name="password"
                type="password"
                label="Password"
                autoComplete="current-password"
                autoFocus={!canUsePasskey}
              />
              <FormFooter action="Confirm" busy={busy} onClose={onClose} />
            </>
          )}
        </Form>
      )}
      {!hasPassword && !canUsePasskey && <Notice>Sign out and in again, then repeat this within ten minutes.</Notice>}
    </Dialog>
  );
}

function ConfirmByPasskey({ onConfirmed }: Pick<ConfirmIdentityProps, 'onConfirmed'>) {
  const submit = async (): Promise<void> => {
    const asked = await api.auth.begin_passkey_confirmation();
    const passkey = await askPasskey(asked);
    await api.auth.confirm_identity({ body: { challenge: asked.challenge, passkey } });
    await onConfirmed();
  };
  return (
    <Form label="Confirm with a passkey" onSubmit={submit}>
      {({ busy }) => (
        <Button type="submit" kind="primary" icon={PasskeyIcon} busy={busy} className={styles.wide}>
          Confirm with a passkey
        </Button>
      )}
    </Form>
  );
}

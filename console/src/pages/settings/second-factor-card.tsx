import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, EverstepError } from '../../api/client';
import { queryClient } from '../../app/queries';
import { groupsOfFour, plainCode } from '../../model/second-factor';
import {
  AnchorButton,
  Badge,
  Button,
  Card,
  CodeBlock,
  ConfirmDialog,
  CopyText,
  Dialog,
  Form,
  FormFooter,
  KeyValues,
  Loaded,
  Notice,
  RelativeTime,
  TextField,
  toast,
  toastError,
} from '../../ui';
import { PhoneIcon } from '../../ui/icon';
import { QrCode } from './qr-code';
import styles from './settings.module.css';

const factorsQuery = queryOptions({
  queryKey: ['me', 'factors'],
  queryFn: async ({ signal }) => (await api.auth.account({}, { signal })).second_factor,
});

type Act = 'enrol' | 'renew' | 'remove';
/** Changes of factors need a sign-in, or a confirmation, in the last minutes. */
const asksToConfirm = (error: unknown): boolean =>
  error instanceof EverstepError && error.code === 'reauthentication_required';

interface Enrolment {
  readonly secret: string;
  readonly uri: string;
  readonly enrolment: string;
}

/** Authenticator app and recovery codes. */
export function SecondFactorCard() {
  const factors = useQuery(factorsQuery);
  const [enrolment, setEnrolment] = useState<Enrolment | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [confirming, setConfirming] = useState<Act | null>(null);
  const [removing, setRemoving] = useState(false);

  const changed = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['me'] });
  const act = async (which: Act): Promise<void> => {
    try {
      if (which === 'enrol') setEnrolment(await api.auth.begin_totp());
      else if (which === 'renew') setCodes((await api.auth.renew_recovery_codes()).recovery_codes);
      else {
        await api.auth.remove_totp();
        toast('The authenticator app is removed');
      }
      await changed();
    } catch (error) {
      if (!asksToConfirm(error)) throw error;
      setConfirming(which);
    }
  };
  return (
    <Card
      title="Second factor"
      description="A code of an app on your phone, asked for at each sign-in with your password."
    >
      <Loaded query={factors}>
        {({ totp_enrolled_at: enrolledAt, recovery_codes_left: left, required }) => (
          <div className={styles.factors}>
            <KeyValues
              rows={[
                [
                  'Authenticator app',
                  enrolledAt === null ? (
                    <Badge key="app" tone={required ? 'warn' : 'neutral'}>
                      Not set up
                    </Badge>
                  ) : (
                    <span key="app" className={styles.inline}>
                      <Badge tone="ok">In use</Badge>
                      <span className="cell-muted">
                        since <RelativeTime at={enrolledAt} />
                      </span>
                    </span>
                  ),
                ],
                ['Recovery codes', enrolledAt === null ? null : `${left} left`],
              ]}
            />
            <div className={styles.inline}>
              {enrolledAt === null ? (
                <Button icon={PhoneIcon} onClick={() => void act('enrol').catch(toastError)}>
                  Set up an authenticator app
                </Button>
              ) : (
                <>
                  <Button onClick={() => void act('renew').catch(toastError)}>New recovery codes</Button>
                  <Button kind="danger" onClick={() => setRemoving(true)}>
                    Remove
                  </Button>
                </>
              )}
            </div>
          </div>
        )}
      </Loaded>
      {enrolment !== null && (
        <EnrolDialog
          enrolment={enrolment}
          onClose={() => setEnrolment(null)}
          onEnrolled={async (recovery) => {
            setEnrolment(null);
            setCodes(recovery);
            await changed();
          }}
        />
      )}
      {codes !== null && <CodesDialog codes={codes} onClose={() => setCodes(null)} />}
      {confirming !== null && (
        <ConfirmIdentity
          onClose={() => setConfirming(null)}
          onConfirmed={async () => {
            setConfirming(null);
            await act(confirming);
          }}
        />
      )}
      {removing && (
        <ConfirmDialog
          title="Remove the authenticator app?"
          action="Remove"
          danger
          onConfirm={() => act('remove')}
          onClose={() => setRemoving(false)}
        >
          <p>A sign-in then needs your password alone. The recovery codes are removed as well.</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

interface EnrolDialogProps {
  readonly enrolment: Enrolment;
  readonly onEnrolled: (recoveryCodes: readonly string[] | null) => Promise<void>;
  readonly onClose: () => void;
}

function EnrolDialog({ enrolment: { secret, uri, enrolment }, onEnrolled, onClose }: EnrolDialogProps) {
  return (
    <Dialog title="Set up an authenticator app" onClose={onClose}>
      <Form
        label="Set up an authenticator app"
        onSubmit={async ({ code = '' }) => {
          const done = await api.auth.confirm_totp({ body: { enrolment, code: plainCode(code) } });
          await onEnrolled(done.recovery_codes);
        }}
      >
        {({ busy }) => (
          <>
            <p>
              Scan the code with your app, or add the key to it, as a time-based one. On a phone, the button opens the
              app.
            </p>
            <QrCode text={uri} label="QR code of the key" />
            <CopyText text={groupsOfFour(secret)} />
            <AnchorButton href={uri} icon={PhoneIcon}>
              Open the app on this device
            </AnchorButton>
            <TextField name="code" label="Code that the app shows" autoComplete="one-time-code" autoFocus />
            <FormFooter action="Confirm" busy={busy} onClose={onClose} />
          </>
        )}
      </Form>
    </Dialog>
  );
}

function CodesDialog({ codes, onClose }: { readonly codes: readonly string[]; readonly onClose: () => void }) {
  return (
    <Dialog title="Recovery codes" onClose={onClose}>
      <Notice tone="warn">Keep these codes in a safe place. They are shown once, and each can be used once.</Notice>
      <CodeBlock text={codes.join('\n')} label="Recovery codes" />
      <footer className="dialog-footer">
        <Button kind="primary" onClick={onClose}>
          I have stored them
        </Button>
      </footer>
    </Dialog>
  );
}

function ConfirmIdentity({
  onConfirmed,
  onClose,
}: {
  readonly onConfirmed: () => Promise<void>;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title="Confirm that it is you" onClose={onClose}>
      <Form
        label="Confirm that it is you"
        onSubmit={async ({ password = '' }) => {
          await api.auth.confirm_identity({ body: { password } });
          await onConfirmed();
        }}
      >
        {({ busy }) => (
          <>
            <TextField name="password" type="password" label="Password" autoComplete="current-password" autoFocus />
            <FormFooter action="Confirm" busy={busy} onClose={onClose} />
          </>
        )}
      </Form>
    </Dialog>
  );
}

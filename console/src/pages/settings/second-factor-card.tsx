import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client';
import { groupsOfFour, plainCode } from '../../model/second-factor';
import {
  AnchorButton,
  Badge,
  Button,
  Card,
  ConfirmDialog,
  CopyText,
  Dialog,
  Form,
  FormFooter,
  KeyValues,
  Loaded,
  RelativeTime,
  TextField,
  toast,
  toastError,
} from '../../ui';
import { PhoneIcon } from '../../ui/icon';
import { factorsQuery, reloadFactors } from './factors';
import { QrCode } from './qr-code';
import { RecoveryCodesDialog } from './recovery-codes-dialog';
import { useConfirmed } from './use-confirmed';
import styles from './settings.module.css';

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
  const [removing, setRemoving] = useState(false);
  const confirmed = useConfirmed();
  const enrol = () => confirmed.run(async () => setEnrolment(await api.auth.begin_totp()));
  const renew = () =>
    confirmed.run(async () => {
      setCodes((await api.auth.renew_recovery_codes()).recovery_codes);
      await reloadFactors();
    });
  const remove = () =>
    confirmed.run(async () => {
      await api.auth.remove_totp();
      toast('The authenticator app is removed');
      await reloadFactors();
    });
  return (
    <Card
      title="Second factor"
      description="Asked for at each sign-in with your password: a passkey, or a code of an app on your phone."
    >
      <Loaded query={factors}>
        {({ totp_enrolled_at: enrolledAt, recovery_codes_left: left, passkeys, required }) => (
          <div className={styles.factors}>
            <KeyValues
              rows={[
                [
                  'Authenticator app',
                  enrolledAt === null ? (
                    <Badge key="app" tone={required && passkeys === 0 ? 'warn' : 'neutral'}>
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
                ['Recovery codes', enrolledAt === null && passkeys === 0 ? null : `${left} left`],
              ]}
            />
            <div className={styles.inline}>
              {enrolledAt === null && (
                <Button icon={PhoneIcon} onClick={() => void enrol().catch(toastError)}>
                  Set up an authenticator app
                </Button>
              )}
              {(enrolledAt !== null || passkeys > 0) && (
                <Button onClick={() => void renew().catch(toastError)}>New recovery codes</Button>
              )}
              {enrolledAt !== null && (
                <Button kind="danger" onClick={() => setRemoving(true)}>
                  Remove the app
                </Button>
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
            await reloadFactors();
          }}
        />
      )}
      {codes !== null && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(null)} />}
      {confirmed.dialog}
      {removing && (
        <ConfirmDialog
          title="Remove the authenticator app?"
          action="Remove"
          danger
          onConfirm={remove}
          onClose={() => setRemoving(false)}
        >
          <p>
            Without a passkey, a sign-in then needs your password alone, and the recovery codes are removed as well.
          </p>
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

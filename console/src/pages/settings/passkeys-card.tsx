import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type PasskeyView } from '../../api/client';
import { createPasskey, hasPasskeys } from '../../app/passkeys';
import {
  Badge,
  Button,
  Card,
  ConfirmDialog,
  Dialog,
  Form,
  FormFooter,
  IconButton,
  Loaded,
  RelativeTime,
  TextField,
  toast,
  toastError,
} from '../../ui';
import { EditIcon, PasskeyIcon } from '../../ui/icon';
import { factorsQuery, passkeysQuery, reloadFactors } from './factors';
import { RecoveryCodesDialog } from './recovery-codes-dialog';
import { useConfirmed } from './use-confirmed';
import styles from './settings.module.css';

/** Passkeys of the user: each is a second factor, and signs in alone. */
export function PasskeysCard() {
  const passkeys = useQuery(passkeysQuery);
  const { data: factors } = useQuery(factorsQuery);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [busy, setBusy] = useState(false);
  const confirmed = useConfirmed();

  const add = async (): Promise<void> => {
    const asked = await api.auth.begin_passkey();
    const passkey = await createPasskey(asked);
    const added = await api.auth.add_passkey({ body: { enrolment: asked.enrolment, passkey } });
    toast('The passkey is added');
    setCodes(added.recovery_codes);
    await reloadFactors();
  };
  const click = (): void => {
    setBusy(true);
    confirmed
      .run(add)
      .catch(toastError)
      .finally(() => setBusy(false));
  };
  const canAdd = factors?.offersPasskeys === true && hasPasskeys();
  return (
    <Card
      title="Passkeys"
      description="Sign in by finger, face or PIN, without a password."
      flush
      actions={
        canAdd && (
          <Button size="small" icon={PasskeyIcon} busy={busy} onClick={click}>
            Add a passkey
          </Button>
        )
      }
    >
      <Loaded query={passkeys}>
        {(rows) =>
          rows.length === 0 ? (
            <p className={styles.empty}>{canAdd || factors === undefined ? 'No passkeys yet.' : UNAVAILABLE}</p>
          ) : (
            <ul className={styles.list}>
              {rows.map((row) => (
                <Passkey key={row.id} row={row} run={confirmed.run} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {codes !== null && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(null)} />}
      {confirmed.dialog}
    </Card>
  );
}

const UNAVAILABLE =
  'Browsers offer passkeys only to pages that have a name and come over HTTPS. Open the console at such an address.';

interface PasskeyProps {
  readonly row: PasskeyView;
  readonly run: (work: () => Promise<void>) => Promise<void>;
}

function Passkey({ row, run }: PasskeyProps) {
  const [open, setOpen] = useState<'rename' | 'remove' | null>(null);
  const close = (): void => setOpen(null);
  const rename = async ({ name = '' }: Readonly<Record<string, string>>): Promise<void> => {
    await api.auth.rename_passkey({ id: row.id, body: { name } });
    close();
    await reloadFactors();
  };
  const remove = (): Promise<void> =>
    run(async () => {
      await api.auth.remove_passkey({ id: row.id });
      toast('The passkey is removed');
      await reloadFactors();
    });
  return (
    <li className={styles.item}>
      <div className={styles.names}>
        <p className={styles.inline}>
          {row.name}
          {row.backed_up && <Badge tone="neutral">Backed up</Badge>}
        </p>
        <p className={styles.meta}>
          added <RelativeTime at={row.created_at} /> ·{' '}
          {row.last_used_at === null ? (
            'not used yet'
          ) : (
            <>
              used <RelativeTime at={row.last_used_at} />
            </>
          )}
        </p>
      </div>
      <div className={styles.acts}>
        <IconButton icon={EditIcon} size="small" label={`Rename ${row.name}`} onClick={() => setOpen('rename')} />
        <Button size="small" onClick={() => setOpen('remove')} aria-label={`Remove ${row.name}`}>
          Remove
        </Button>
      </div>
      {open === 'rename' && (
        <Dialog title="Rename the passkey" onClose={close}>
          <Form label="Rename the passkey" onSubmit={rename}>
            {({ busy }) => (
              <>
                <TextField name="name" label="Name" defaultValue={row.name} autoFocus />
                <FormFooter action="Rename" busy={busy} onClose={close} />
              </>
            )}
          </Form>
        </Dialog>
      )}
      {open === 'remove' && (
        <ConfirmDialog title={`Remove ${row.name}?`} action="Remove" danger onConfirm={remove} onClose={close}>
          <p>
            It no longer signs in. Remove it from your device or password manager as well. The recovery codes go with
            your last second factor.
          </p>
        </ConfirmDialog>
      )}
    </li>
  );
}

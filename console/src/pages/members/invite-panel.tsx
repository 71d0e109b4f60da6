import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client';
import { useMe } from '../../app/queries';
import { Button, CopyText, Field, Form, type FormValues, Notice, Select, SidePanel, TextField } from '../../ui';
import styles from './members.module.css';
import { allowsOf, type Role, rolesToInvite } from './roles';

interface Invited {
  readonly email: string;
  readonly invite_url: string;
  readonly mailed: boolean;
}

/** Invites a person; the link is shown once. */
export function InvitePanel({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const own = useMe().data?.role;
  const [role, setRole] = useState<Role>('member');
  const [invited, setInvited] = useState<Invited | null>(null);
  const submit = async ({ email = '' }: FormValues): Promise<void> => {
    setInvited(await api.auth.invite({ body: { email, role } }));
    await client.invalidateQueries({ queryKey: ['members'] });
  };
  if (invited !== null)
    return (
      <SidePanel title="Invited" onClose={onClose}>
        <div className={styles.stack}>
          <p className={styles.text}>
            {invited.mailed
              ? `A mail with this link is on its way to ${invited.email}.`
              : `Send this link to ${invited.email}.`}
          </p>
          <Notice tone="warn">
            The link works once, for seven days, for anyone who opens it. It is not shown again.
          </Notice>
          <CopyText text={invited.invite_url} />
          <div className={styles.actions}>
            <Button kind="primary" onClick={onClose}>
              Done
            </Button>
            <Button onClick={() => setInvited(null)}>Invite another person</Button>
          </div>
        </div>
      </SidePanel>
    );
  return (
    <SidePanel title="Invite a person" onClose={onClose}>
      <Form label="Invite a person" onSubmit={submit}>
        {({ busy }) => (
          <>
            <TextField name="email" type="email" label="E-mail address" autoComplete="off" autoFocus />
            <Field label="Role" hint={allowsOf(role)}>
              <Select
                options={rolesToInvite(own)}
                value={role}
                onChange={({ currentTarget: { value } }) => setRole(value as Role)}
              />
            </Field>
            <div className={styles.actions}>
              <Button type="submit" kind="primary" busy={busy}>
                Invite
              </Button>
              <Button onClick={onClose}>Cancel</Button>
            </div>
          </>
        )}
      </Form>
    </SidePanel>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client';
import { Button, Field, Form, type FormValues, Select, SidePanel, TextField } from '../../ui';
import styles from './members.module.css';
import { allowsOf, type Role, ROLES_OF_SERVICES } from './roles';

interface PanelProps {
  readonly onClose: () => void;
  readonly onMade: (id: string) => void;
}

/** Makes a member that has API keys and cannot sign in. */
export function ServiceAccountPanel({ onClose, onMade }: PanelProps) {
  const client = useQueryClient();
  const [role, setRole] = useState<Exclude<Role, 'owner'>>('member');
  const submit = async ({ name = '' }: FormValues): Promise<void> => {
    const { id } = await api.auth.create_service_account({ body: { name, role } });
    await client.invalidateQueries({ queryKey: ['members'] });
    onMade(id);
  };
  return (
    <SidePanel title="New service account" onClose={onClose}>
      <p className="cell-muted">
        For programs: it has API keys, which stay when people leave, and cannot sign in. It counts as a member.
      </p>
      <Form label="New service account" onSubmit={submit}>
        {({ busy }) => (
          <>
            <TextField
              name="name"
              label="Name"
              hint="Lower-case letters, digits and hyphens."
              pattern="[a-z0-9]([a-z0-9\-]*[a-z0-9])?"
              autoFocus
            />
            <Field label="Role" hint={allowsOf(role)}>
              <Select
                options={ROLES_OF_SERVICES}
                value={role}
                onChange={({ currentTarget: { value } }) => setRole(value as Exclude<Role, 'owner'>)}
              />
            </Field>
            <div className={styles.actions}>
              <Button type="submit" kind="primary" busy={busy}>
                Create
              </Button>
              <Button onClick={onClose}>Cancel</Button>
            </div>
          </>
        )}
      </Form>
    </SidePanel>
  );
}

import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type SecretView } from '../../api/client';
import { UsedBy } from '../../app/used-by';
import { formatInstant } from '../../model/format';
import { Button, CopyText, Form, FormFooter, KeyValues, SidePanel, TextField, toast } from '../../ui';
import { EntryPanel, Removal } from './entry-panel';
import { secretsQuery, secretUsedByQuery } from './queries';
import styles from './variables.module.css';

interface SecretPanelProps {
  readonly name: string;
  readonly query: UseQueryResult<SecretView[]>;
  readonly isAdmin: boolean;
  readonly onClose: () => void;
}

/** A secret: where it is used, a new value, the end of it. The value itself is nowhere. */
export function SecretPanel({ name, query, isAdmin, onClose }: SecretPanelProps) {
  const used = useQuery(secretUsedByQuery(name));
  const uses = used.data?.data.length ?? 0;
  return (
    <EntryPanel noun="secret" name={name} query={query} onClose={onClose}>
      {({ created_at: created, updated_at: updated }) => (
        <>
          <KeyValues
            rows={[
              ['In expressions', <CopyText key="text" text={`{{ secret.${name} }}`} />],
              ['Value since', formatInstant(Date.parse(updated))],
              ['Created', formatInstant(Date.parse(created))],
            ]}
          />
          <UsedBy query={used} none="No workflow names it." />
          {isAdmin && <Rotation name={name} />}
          {isAdmin && (
            <Removal
              noun="secret"
              name={name}
              uses={uses}
              listKey={secretsQuery.queryKey}
              remove={() => api.secrets.remove({ name, ...(uses > 0 ? { force: true } : {}) })}
              onRemoved={onClose}
            />
          )}
        </>
      )}
    </EntryPanel>
  );
}

/** Replaces the value. */
function Rotation({ name }: { readonly name: string }) {
  const client = useQueryClient();
  const [round, setRound] = useState(0);
  return (
    <section>
      <h3 className={styles.heading}>Replace the value</h3>
      <Form
        key={round}
        label="Replace the value"
        onSubmit={async ({ value = '' }) => {
          await api.secrets.put({ body: { name, value } });
          await client.invalidateQueries({ queryKey: secretsQuery.queryKey });
          toast('The new value is stored');
          setRound(round + 1);
        }}
      >
        {({ busy }) => (
          <>
            <TextField
              name="value"
              label="New value"
              type="password"
              autoComplete="new-password"
              hint="Runs that start from now on use it."
            />
            <div className={styles.actions}>
              <Button type="submit" busy={busy}>
                Replace
              </Button>
            </div>
          </>
        )}
      </Form>
    </section>
  );
}

/** Stores a secret. One of the same name gets the new value. */
export function NewSecretPanel({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  return (
    <SidePanel title="New secret" onClose={onClose}>
      <Form
        label="New secret"
        onSubmit={async ({ name = '', value = '' }) => {
          await api.secrets.put({ body: { name, value } });
          await client.invalidateQueries({ queryKey: secretsQuery.queryKey });
          toast(`${name} is stored`);
          onClose();
        }}
      >
        {({ busy }) => (
          <>
            <TextField
              name="name"
              label="Name"
              placeholder="STRIPE_KEY"
              hint="Letters, digits and underscores. A secret of this name gets the new value."
              autoFocus
            />
            <TextField
              name="value"
              label="Value"
              type="password"
              autoComplete="new-password"
              hint="At least 4 characters. It is not shown again."
            />
            <FormFooter action="Store" busy={busy} onClose={onClose} />
          </>
        )}
      </Form>
    </SidePanel>
  );
}

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button, Card, KeyValues, Loaded, RelativeTime, TextField } from '../../ui';
import { ValueDialog } from '../keys/value-dialog';
import { Address } from './address';
import { makeScimKey, scimKeysQuery } from './queries';
import styles from './single-sign-on.module.css';

/** The address and the tokens by which an identity provider provisions users and groups. */
export function ProvisioningCard({ base }: { readonly base: string }) {
  const keys = useQuery(scimKeysQuery);
  const [creating, setCreating] = useState(false);
  return (
    <Card
      title="Provisioning (SCIM)"
      description="The provider creates, changes and deactivates users here, and sends the groups that give roles."
    >
      <div className={styles.stack}>
        <Address label="Base URL" text={base} />
        <Loaded query={keys}>
          {(found) =>
            found.length === 0 ? (
              <p className="cell-muted">There is no token yet. Create one and enter it at the provider.</p>
            ) : (
              <>
                <KeyValues
                  rows={found.map(({ id, name, prefix, last_used_at }) => [
                    name,
                    <span key={id} className={styles.inline}>
                      <code>{prefix}…</code>
                      <span className="cell-muted">
                        {last_used_at === null ? (
                          'not used yet'
                        ) : (
                          <>
                            used <RelativeTime at={last_used_at} />
                          </>
                        )}
                      </span>
                    </span>,
                  ])}
                />
                <p className="cell-muted">
                  <Link to="/keys">API keys</Link> rotates and revokes them.
                </p>
              </>
            )
          }
        </Loaded>
        <div>
          <Button onClick={() => setCreating(true)}>New SCIM token</Button>
        </div>
      </div>
      {creating && <TokenDialog onClose={() => setCreating(false)} />}
    </Card>
  );
}

function TokenDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  return (
    <ValueDialog
      title="New SCIM token"
      what="token"
      action="Create"
      make={async ({ name = '' }) => ({ key: await makeScimKey(name) })}
      onChanged={() => client.invalidateQueries({ queryKey: ['keys'] })}
      onClose={onClose}
    >
      <p>It belongs to the service account service:scim, which counts as a member, and can do nothing but SCIM.</p>
      <TextField name="name" label="Name" defaultValue="SCIM" autoFocus />
    </ValueDialog>
  );
}

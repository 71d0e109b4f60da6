import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type InviteView } from '../../api/client';
import { Badge, Button, Card, ConfirmDialog, Loaded, RelativeTime, SkeletonRows, toast } from '../../ui';
import styles from './members.module.css';
import { invitesQuery } from './queries';

/** Invitations that are not accepted yet. */
export function InviteList() {
  const client = useQueryClient();
  const invites = useQuery(invitesQuery);
  const [withdrawing, setWithdrawing] = useState<InviteView | null>(null);
  return (
    <Card title="Invitations" description="Not accepted yet. Each counts as a member until it expires." flush>
      <Loaded query={invites} skeleton={<SkeletonRows rows={1} label="Loading invitations" />}>
        {({ data }) =>
          data.length === 0 ? (
            <p className={styles.none}>No invitation is open.</p>
          ) : (
            <ul className={styles.list} aria-label="Invitations">
              {data.map((invite) => (
                <li key={invite.id} className={styles.item}>
                  <div>
                    <p className={styles.inline}>
                      <span className={styles.text}>{invite.email}</span>
                      <Badge>{invite.role}</Badge>
                      {invite.status === 'expired' && <Badge tone="warn">Expired</Badge>}
                    </p>
                    <p className={styles.meta}>
                      {invite.status === 'expired' ? 'expired ' : 'expires '}
                      <RelativeTime at={invite.expires_at} />
                    </p>
                  </div>
                  <Button size="small" aria-label={`Withdraw ${invite.email}`} onClick={() => setWithdrawing(invite)}>
                    Withdraw
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {withdrawing !== null && (
        <ConfirmDialog
          title={`Withdraw the invitation of ${withdrawing.email}?`}
          action="Withdraw"
          danger
          onConfirm={async () => {
            await api.auth.withdraw_invite({ id: withdrawing.id });
            toast('The invitation is withdrawn');
            await client.invalidateQueries({ queryKey: ['members', 'invites'] });
          }}
          onClose={() => setWithdrawing(null)}
        >
          Its link stops working.
        </ConfirmDialog>
      )}
    </Card>
  );
}

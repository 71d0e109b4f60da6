import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type ApprovalRow } from '../../api/client';
import { myApprovalsQuery, queryClient } from '../../app/queries';
import { Button, Card, EmptyState, Loaded, RelativeTime, toast, toastError } from '../../ui';
import { ApprovalsIcon, CheckIcon, CloseIcon } from '../../ui/icon';
import styles from './home.module.css';

const MAX_SHOWN = 5;

/** Approvals that the user may decide, the longest waiting first. */
export function ApprovalsCard() {
  const approvals = useQuery(myApprovalsQuery);
  return (
    <Card title="Waiting for you" flush>
      <Loaded query={approvals}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState icon={ApprovalsIcon} title="No approvals">
              When a run asks you, the question is shown here.
            </EmptyState>
          ) : (
            <ul className={styles.list}>
              {data.slice(0, MAX_SHOWN).map((row) => (
                <Approval key={`${row.execution_id} ${row.address}`} row={row} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

type Decision = 'approve' | 'reject';

function Approval({ row }: { readonly row: ApprovalRow }) {
  const [busy, setBusy] = useState<Decision | null>(null);
  const decide = (decision: Decision): void => {
    setBusy(decision);
    api.executions
      .decide_by_link({ id: row.execution_id, step_id: row.address, decision, confirm: '1' })
      .then(() => {
        toast(decision === 'approve' ? 'Approved' : 'Rejected');
        return Promise.all([
          queryClient.invalidateQueries({ queryKey: ['approvals'] }),
          queryClient.invalidateQueries({ queryKey: ['runs'] }),
        ]);
      })
      .catch(toastError)
      .finally(() => setBusy(null));
  };
  return (
    <li className={styles.item}>
      <div className={styles.text}>
        <Link to="/runs/$id" params={{ id: row.execution_id }} className={styles.question}>
          {row.message}
        </Link>
        <p className={styles.meta}>
          {row.workflow_name} · <RelativeTime at={row.since} />
        </p>
      </div>
      {row.form === null && (
        <div className={styles.buttons}>
          <Button size="small" icon={CloseIcon} busy={busy === 'reject'} onClick={() => decide('reject')}>
            Reject
          </Button>
          <Button
            size="small"
            kind="primary"
            icon={CheckIcon}
            busy={busy === 'approve'}
            onClick={() => decide('approve')}
          >
            Approve
          </Button>
        </div>
      )}
    </li>
  );
}

import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type SessionView } from '../../api/client';
import { queryClient } from '../../app/queries';
import { session } from '../../app/session';
import { Badge, Button, Card, ConfirmDialog, Loaded, RelativeTime, toast, toastError } from '../../ui';
import styles from './settings.module.css';

const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => api.auth.list_sessions({ limit: 100 }, { signal }),
});

const reload = (): Promise<void> => queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });

/** Where the user is signed in. Each session can be ended, and all of them at once. */
export function SessionsCard() {
  const sessions = useQuery(sessionsQuery);
  const [asking, setAsking] = useState(false);
  const endOthers = async (): Promise<void> => {
    await api.auth.end_other_sessions();
    toast('Your other sessions have ended');
    await reload();
  };
  const endAll = async (): Promise<void> => {
    await api.auth.logout({ body: { everywhere: true } });
    session.signOut();
  };
  return (
    <Card
      title="Sessions"
      description="Where you are signed in. API keys stay valid."
      flush
      actions={
        <>
          <Button size="small" onClick={() => void endOthers().catch(toastError)}>
            End the others
          </Button>
          <Button size="small" kind="danger" onClick={() => setAsking(true)}>
            Sign out everywhere
          </Button>
        </>
      }
    >
      <Loaded query={sessions}>
        {({ data }) => (
          <ul className={styles.list}>
            {data.map((row) => (
              <Session key={row.id} row={row} />
            ))}
          </ul>
        )}
      </Loaded>
      {asking && (
        <ConfirmDialog
          title="Sign out everywhere?"
          action="Sign out everywhere"
          danger
          onConfirm={endAll}
          onClose={() => setAsking(false)}
        >
          Every session of your account ends, this one included.
        </ConfirmDialog>
      )}
    </Card>
  );
}

function Session({ row }: { readonly row: SessionView }) {
  const [busy, setBusy] = useState(false);
  const end = (): void => {
    setBusy(true);
    api.auth
      .end_session({ id: row.id })
      .then(reload)
      .catch(toastError)
      .finally(() => setBusy(false));
  };
  return (
    <li className={styles.item}>
      <div>
        <p className={styles.inline}>
          {row.device ?? 'Unknown device'}
          {row.current && <Badge tone="info">This session</Badge>}
        </p>
        <p className={styles.meta}>
          {row.via}
          {row.address !== null && ` from ${row.address}`} · used <RelativeTime at={row.last_used_at} />
        </p>
      </div>
      {!row.current && (
        <Button
          size="small"
          busy={busy}
          onClick={end}
          aria-label={`End the session on ${row.device ?? 'an unknown device'}`}
        >
          End
        </Button>
      )}
    </li>
  );
}

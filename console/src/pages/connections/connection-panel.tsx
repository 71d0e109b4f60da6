import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type ConnectionView } from '../../api/client';
import { UsedBy, usedByText } from '../../app/used-by';
import { connectionLook, limitsText } from '../../model/connections';
import { formatInstant } from '../../model/format';
import {
  Badge,
  Button,
  ConfirmDialog,
  EmptyState,
  KeyValues,
  Loaded,
  Notice,
  SidePanel,
  toast,
  toastError,
} from '../../ui';
import { ConnectorIcon, DeleteIcon, QueuedIcon, RetryIcon, TryIcon } from '../../ui/icon';
import { beginBuiltIn, beginWithApp, isBuiltIn } from './begin';
import styles from './connections.module.css';
import { LimitsDialog } from './limits-dialog';
import { connectionsQuery, usedByQuery } from './queries';

interface PanelProps {
  readonly id: string;
  readonly query: UseQueryResult<ConnectionView[]>;
  readonly onClose: () => void;
}

/** One connection: its state, where it is used, and what can be done with it. */
export function ConnectionPanel({ id, query, onClose }: PanelProps) {
  const found = query.data?.find((one) => one.id === id);
  const look = found && connectionLook(found.state);
  return (
    <SidePanel
      title={found?.name ?? 'Connection'}
      aside={look && <Badge tone={look.tone}>{look.label}</Badge>}
      onClose={onClose}
    >
      <Loaded query={query}>
        {() =>
          found === undefined ? (
            <EmptyState icon={ConnectorIcon} title="No such connection">
              It was deleted.
            </EmptyState>
          ) : (
            <Details connection={found} onClose={onClose} />
          )
        }
      </Loaded>
    </SidePanel>
  );
}

function Details({ connection, onClose }: { readonly connection: ConnectionView; readonly onClose: () => void }) {
  const { state, last_error: error, scopes, expires_at: expires } = connection;
  const used = useQuery(usedByQuery(connection.id));
  const instant = (at: string | null): string | null => (at === null ? null : formatInstant(Date.parse(at)));
  return (
    <>
      {error !== null && <Notice tone={state === 'reconnect' ? 'danger' : 'warn'}>{error}</Notice>}
      <Actions connection={connection} onClose={onClose} />
      <KeyValues
        rows={[
          ['For', <code key="for">{connection.connector}</code>],
          ['Account', connection.account],
          ['Kind', connection.kind === 'manual' ? 'Credentials by hand' : 'OAuth'],
          ['Token until', connection.kind === 'manual' ? null : (instant(expires) ?? 'Does not expire')],
          ['Limits', limitsText(connection.limits)],
          ['Paused until', instant(connection.paused_until)],
          ['Last used', instant(connection.last_used_at) ?? 'Never'],
          ['Connected', instant(connection.created_at)],
        ]}
      />
      {scopes.length > 0 && (
        <section>
          <h3 className={styles.heading}>Scopes</h3>
          <ul className={styles.scopes}>
            {scopes.map((scope) => (
              <li key={scope}>
                <code>{scope}</code>
              </li>
            ))}
          </ul>
        </section>
      )}
      <UsedBy query={used} none="No workflow names it. Steps without a connection may still use it." />
    </>
  );
}

function Actions({ connection, onClose }: { readonly connection: ConnectionView; readonly onClose: () => void }) {
  const client = useQueryClient();
  const [testing, setTesting] = useState(false);
  const [dialog, setDialog] = useState<'limits' | 'delete' | null>(null);
  const close = (): void => setDialog(null);
  const { id, name, kind, connector, app_id: app, state } = connection;
  const reload = () => client.invalidateQueries({ queryKey: connectionsQuery.queryKey });
  const test = async (): Promise<void> => {
    setTesting(true);
    try {
      const { outcome, message } = await api.connections.test({ id });
      if (outcome === 'failed') toastError(new Error(message ?? 'The test failed'));
      else toast(outcome === 'ok' ? 'The provider accepts the credentials' : 'There is no test for this provider');
      await reload();
    } catch (error) {
      toastError(error);
    } finally {
      setTesting(false);
    }
  };
  const reconnect =
    app === null
      ? isBuiltIn(connector)
        ? () => beginBuiltIn(connector, name)
        : null
      : () => beginWithApp(app, { connection: id });
  return (
    <div className={styles.actions}>
      {kind === 'oauth' && reconnect !== null && (
        <Button
          edits
          kind={state === 'reconnect' ? 'primary' : 'secondary'}
          icon={RetryIcon}
          onClick={() => void reconnect()}
        >
          Reconnect
        </Button>
      )}
      <Button edits icon={TryIcon} busy={testing} onClick={() => void test()}>
        Test
      </Button>
      <Button edits icon={QueuedIcon} onClick={() => setDialog('limits')}>
        Limits
      </Button>
      <Button edits icon={DeleteIcon} onClick={() => setDialog('delete')}>
        Delete
      </Button>
      {dialog === 'limits' && <LimitsDialog connection={connection} onClose={close} onChanged={reload} />}
      {dialog === 'delete' && (
        <DeleteDialog
          connection={connection}
          onClose={close}
          onDeleted={async () => {
            onClose();
            await reload();
          }}
        />
      )}
    </div>
  );
}

interface DeleteProps {
  readonly connection: ConnectionView;
  readonly onClose: () => void;
  readonly onDeleted: () => Promise<void>;
}

function DeleteDialog({ connection: { id, name }, onClose, onDeleted }: DeleteProps) {
  const used = useQuery(usedByQuery(id));
  const count = used.data?.data.length ?? 0;
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      action="Delete the connection"
      danger
      onClose={onClose}
      onConfirm={async () => {
        await api.connections.remove({ id, ...(count > 0 ? { force: true } : {}) });
        toast('The connection is deleted');
        await onDeleted();
      }}
    >
      {usedByText(count)} Its tokens are revoked at the provider where that is possible.
    </ConfirmDialog>
  );
}

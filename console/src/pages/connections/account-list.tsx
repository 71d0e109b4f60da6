import type { UseQueryResult } from '@tanstack/react-query';
import type { ConnectionView } from '../../api/client';
import { connectionLook, expiryOf } from '../../model/connections';
import {
  Badge,
  Button,
  Card,
  type Column,
  EmptyState,
  Loaded,
  RelativeTime,
  RowButton,
  SkeletonRows,
  Table,
} from '../../ui';
import { ConnectorIcon, PlusIcon } from '../../ui/icon';

interface AccountListProps {
  readonly query: UseQueryResult<ConnectionView[]>;
  readonly selected: string | undefined;
  readonly onOpen: (id: string) => void;
  readonly onConnect: () => void;
}

/** All connections with their states. */
export function AccountList({ query, selected, onOpen, onConnect }: AccountListProps) {
  return (
    <Card flush>
      <Loaded query={query} skeleton={<SkeletonRows rows={6} label="Loading connections" />}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState
              icon={ConnectorIcon}
              title="No account is connected"
              actions={
                <Button edits icon={PlusIcon} onClick={onConnect}>
                  Connect an account
                </Button>
              }
            >
              Connect GitHub, Google, Slack or any service with OAuth once; every workflow can use it.
            </EmptyState>
          ) : (
            <Table
              label="Connections"
              columns={columnsWith(onOpen)}
              rows={rows}
              rowKey={({ id }) => id}
              selected={selected ?? null}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

const columnsWith = (onOpen: (id: string) => void): readonly Column<ConnectionView>[] => [
  {
    key: 'name',
    title: 'Name',
    width: 'minmax(120px, 1.6fr)',
    cell: ({ id, name }) => <RowButton onClick={() => onOpen(id)}>{name}</RowButton>,
  },
  {
    key: 'state',
    title: 'State',
    width: '92px',
    cell: ({ state }) => <Badge tone={connectionLook(state).tone}>{connectionLook(state).label}</Badge>,
  },
  {
    key: 'connector',
    title: 'For',
    width: 'minmax(64px, 0.7fr)',
    wideOnly: true,
    cell: ({ connector }) => <code>{connector}</code>,
  },
  {
    key: 'account',
    title: 'Account',
    width: 'minmax(72px, 1.2fr)',
    wideOnly: true,
    cell: ({ account, kind }) => (
      <span className="cell-muted">{account ?? (kind === 'manual' ? 'Credentials by hand' : '')}</span>
    ),
  },
  {
    key: 'expires',
    title: 'Token',
    width: 'minmax(72px, 0.9fr)',
    wideOnly: true,
    cell: (row) => <span className="cell-muted">{expiryOf(row)}</span>,
  },
  {
    key: 'used',
    title: 'Last used',
    width: '76px',
    align: 'end',
    wideOnly: true,
    cell: ({ last_used_at: at }) =>
      at === null ? <span className="cell-muted">Never</span> : <RelativeTime at={at} />,
  },
];

import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { SecretView } from '../../api/client';
import { Card, type Column, EmptyState, Loaded, Notice, RelativeTime, RowButton, SkeletonRows, Table } from '../../ui';
import { KeyIcon } from '../../ui/icon';
import { keysStateQuery } from './queries';
import styles from './variables.module.css';

interface SecretTableProps {
  readonly query: UseQueryResult<SecretView[]>;
  readonly selected: string | null;
  readonly isAdmin: boolean;
  readonly onOpen: (name: string) => void;
  readonly create: ReactNode;
}

/** The names of the secrets. */
export function SecretTable({ query, selected, isAdmin, onOpen, create }: SecretTableProps) {
  const keys = useQuery({ ...keysStateQuery, enabled: isAdmin });
  return (
    <div className={styles.stack}>
      {keys.data?.master.done === false && (
        <Notice>The key of this installation was changed. Values are being encrypted with the new one.</Notice>
      )}
      <Card flush>
        <Loaded query={query} skeleton={<SkeletonRows rows={4} label="Loading secrets" />}>
          {(rows) =>
            rows.length === 0 ? (
              <EmptyState icon={KeyIcon} title="No secrets yet" actions={create}>
                Store a key once, and write {'{{ secret.NAME }}'} where a step needs it.
              </EmptyState>
            ) : (
              <Table
                label="Secrets"
                columns={columnsWith(onOpen)}
                rows={rows}
                rowKey={({ name }) => name}
                selected={selected}
              />
            )
          }
        </Loaded>
      </Card>
    </div>
  );
}

const columnsWith = (onOpen: (name: string) => void): readonly Column<SecretView>[] => [
  {
    key: 'name',
    title: 'Name',
    width: 'minmax(120px, 2fr)',
    cell: ({ name }) => <RowButton onClick={() => onOpen(name)}>{name}</RowButton>,
  },
  {
    key: 'changed',
    title: 'Value since',
    width: '112px',
    align: 'end',
    cell: ({ updated_at: at }) => <RelativeTime at={at} />,
  },
  {
    key: 'created',
    title: 'Created',
    width: '112px',
    align: 'end',
    wideOnly: true,
    cell: ({ created_at: at }) => <RelativeTime at={at} />,
  },
];

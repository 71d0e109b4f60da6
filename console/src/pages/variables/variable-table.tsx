import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { VariableView } from '../../api/client';
import { shortJson } from '../../model/evaluations';
import { Card, type Column, EmptyState, Loaded, RelativeTime, RowButton, SkeletonRows, Table } from '../../ui';
import { ExpressionIcon } from '../../ui/icon';

interface VariableTableProps {
  readonly query: UseQueryResult<VariableView[]>;
  readonly selected: string | null;
  readonly onOpen: (name: string) => void;
  readonly create: ReactNode;
}

/** The variables with their values. */
export function VariableTable({ query, selected, onOpen, create }: VariableTableProps) {
  return (
    <Card flush>
      <Loaded query={query} skeleton={<SkeletonRows rows={4} label="Loading variables" />}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon={ExpressionIcon} title="No variables yet" actions={create}>
              A variable is a value that steps read as {'{{ vars.name }}'}, such as an address that differs between
              workspaces.
            </EmptyState>
          ) : (
            <Table
              label="Variables"
              columns={columnsWith(onOpen)}
              rows={rows}
              rowKey={({ name }) => name}
              selected={selected}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

const columnsWith = (onOpen: (name: string) => void): readonly Column<VariableView>[] => [
  {
    key: 'name',
    title: 'Name',
    width: 'minmax(104px, 1fr)',
    cell: ({ name }) => <RowButton onClick={() => onOpen(name)}>{name}</RowButton>,
  },
  {
    key: 'value',
    title: 'Value',
    width: 'minmax(96px, 2fr)',
    cell: ({ value }) => <code className="cell-muted">{shortJson(value)}</code>,
  },
  {
    key: 'changed',
    title: 'Changed',
    width: '104px',
    align: 'end',
    wideOnly: true,
    cell: ({ updated_at: at }) => <RelativeTime at={at} />,
  },
];

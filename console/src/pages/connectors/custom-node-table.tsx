import type { UseQueryResult } from '@tanstack/react-query';
import type { CustomNodeView } from '../../api/client';
import { Badge, Card, type Column, EmptyState, Loaded, RelativeTime, RowButton, SkeletonRows, Table } from '../../ui';
import { ConnectorIcon } from '../../ui/icon';

interface CustomNodeTableProps {
  readonly query: UseQueryResult<CustomNodeView[]>;
  readonly selected: string | null;
  readonly onOpen: (type: string) => void;
}

/** The step types that the workspace has declared. */
export function CustomNodeTable({ query, selected, onOpen }: CustomNodeTableProps) {
  return (
    <Card flush>
      <Loaded query={query} skeleton={<SkeletonRows rows={4} label="Loading custom nodes" />}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon={ConnectorIcon} title="No custom nodes yet">
              A custom node is one HTTP request with fields of its own, as a step, a tool of agents or a trigger.
            </EmptyState>
          ) : (
            <Table
              label="Custom nodes"
              columns={columnsWith(onOpen)}
              rows={rows}
              rowKey={({ type }) => type}
              selected={selected}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

const columnsWith = (onOpen: (type: string) => void): readonly Column<CustomNodeView>[] => [
  {
    key: 'label',
    title: 'Name',
    width: 'minmax(120px, 1.2fr)',
    cell: ({ type, label }) => <RowButton onClick={() => onOpen(type)}>{label}</RowButton>,
  },
  {
    key: 'type',
    title: 'In steps',
    width: 'minmax(112px, 1fr)',
    wideOnly: true,
    cell: ({ type }) => <code>{type}</code>,
  },
  {
    key: 'kind',
    title: 'Kind',
    width: '72px',
    cell: ({ kind }) => (
      <Badge tone={kind === 'trigger' ? 'info' : 'neutral'}>{kind === 'trigger' ? 'Trigger' : 'Tool'}</Badge>
    ),
  },
  { key: 'version', title: 'Version', width: '64px', align: 'end', cell: ({ version }) => version },
  {
    key: 'changed',
    title: 'Changed',
    width: '104px',
    align: 'end',
    wideOnly: true,
    cell: ({ updated_at: at }) => <RelativeTime at={at} />,
  },
];

import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { OperatorTenantRow } from '../../api/client';
import { formatCompact } from '../../model/format';
import {
  Badge,
  Button,
  Card,
  type Column,
  EmptyState,
  Loaded,
  RelativeTime,
  RowButton,
  SearchInput,
  SkeletonRows,
  Table,
  Toolbar,
} from '../../ui';
import { UserIcon } from '../../ui/icon';
import { tenantsQuery } from './queries';

interface TenantsProps {
  readonly q: string | undefined;
  readonly selected: string | null;
  readonly onOpen: (id: string) => void;
  readonly onSearch: (text: string) => void;
}

/** All tenants by slug. */
export function Tenants({ q, selected, onOpen, onSearch }: TenantsProps) {
  const tenants = useInfiniteQuery({ ...tenantsQuery(q), placeholderData: keepPreviousData });
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = tenants;
  const onMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  return (
    <>
      <Toolbar>
        <SearchInput
          label="Search by slug, name or id"
          defaultValue={q}
          onChange={({ currentTarget: { value } }) => onSearch(value)}
        />
      </Toolbar>
      <Card flush>
        <Loaded query={tenants} skeleton={<SkeletonRows rows={8} label="Loading tenants" />}>
          {({ pages }) => {
            const rows = pages.flatMap(({ data }) => data);
            return rows.length === 0 ? (
              <EmptyState
                icon={UserIcon}
                title="No tenant matches"
                actions={<Button onClick={() => onSearch('')}>Show all</Button>}
              >
                The search is for a part of the slug or the name, or for an id.
              </EmptyState>
            ) : (
              <Table
                label="Tenants"
                columns={columnsWith(onOpen)}
                rows={rows}
                rowKey={({ id }) => id}
                selected={selected}
                onMore={onMore}
              />
            );
          }}
        </Loaded>
      </Card>
    </>
  );
}

const columnsWith = (onOpen: (id: string) => void): readonly Column<OperatorTenantRow>[] => [
  {
    key: 'slug',
    title: 'Tenant',
    width: 'minmax(104px, 1fr)',
    cell: ({ id, slug }) => <RowButton onClick={() => onOpen(id)}>{slug}</RowButton>,
  },
  {
    key: 'name',
    title: 'Name',
    width: 'minmax(104px, 1fr)',
    wideOnly: true,
    cell: ({ name }) => <span className="cell-muted">{name}</span>,
  },
  {
    key: 'plan',
    title: 'Plan',
    width: '96px',
    cell: ({ plan, suspended }) =>
      suspended === null ? <Badge>{plan}</Badge> : <Badge tone="danger">suspended</Badge>,
  },
  {
    key: 'members',
    title: 'Members',
    width: '72px',
    align: 'end',
    wideOnly: true,
    cell: ({ members }) => formatCompact(members),
  },
  {
    key: 'workflows',
    title: 'Workflows',
    width: '80px',
    align: 'end',
    wideOnly: true,
    cell: ({ active_workflows: active }) => formatCompact(active),
  },
  {
    key: 'runs',
    title: 'Runs',
    width: '72px',
    align: 'end',
    cell: ({ executions_this_month: runs }) => formatCompact(runs),
  },
  {
    key: 'created',
    title: 'Created',
    width: '96px',
    align: 'end',
    wideOnly: true,
    cell: ({ created_at: at }) => <RelativeTime at={at} />,
  },
];

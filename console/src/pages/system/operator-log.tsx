import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { AuditEventView } from '../../api/client';
import { actorText, changesOf } from '../../model/audit';
import { Card, type Column, EmptyState, Loaded, RelativeTime, SkeletonRows, Table } from '../../ui';
import { VersionsIcon } from '../../ui/icon';
import { logQuery } from './queries';

const changeText = ({ before, after }: AuditEventView): string =>
  changesOf(before, after)
    .map((change) =>
      change.before === undefined
        ? String(change.after)
        : `${change.path}: ${String(change.before)} → ${String(change.after)}`,
    )
    .join(' · ');

const COLUMNS: readonly Column<AuditEventView>[] = [
  { key: 'action', title: 'Action', width: 'minmax(128px, 1fr)', cell: ({ action }) => action },
  {
    key: 'target',
    title: 'Tenant',
    width: 'minmax(80px, 1fr)',
    cell: ({ target }) => target.name ?? target.id,
  },
  {
    key: 'change',
    title: 'Change',
    width: 'minmax(128px, 2fr)',
    wideOnly: true,
    cell: (event) => <span className="cell-muted">{changeText(event)}</span>,
  },
  {
    key: 'actor',
    title: 'By',
    width: 'minmax(96px, 1fr)',
    wideOnly: true,
    cell: ({ actor }) => <span className="cell-muted">{actorText(actor)}</span>,
  },
  { key: 'at', title: 'When', width: '92px', align: 'end', cell: ({ at }) => <RelativeTime at={at} /> },
];

/** What operators changed. */
export function OperatorLog() {
  const log = useInfiniteQuery(logQuery);
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = log;
  const onMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  return (
    <Card flush>
      <Loaded query={log} skeleton={<SkeletonRows rows={6} label="Loading the log" />}>
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          return rows.length === 0 ? (
            <EmptyState icon={VersionsIcon} title="Nothing was changed yet">
              Changes of operators are listed here, and never removed.
            </EmptyState>
          ) : (
            <Table label="Log of operators" columns={COLUMNS} rows={rows} rowKey={({ id }) => id} onMore={onMore} />
          );
        }}
      </Loaded>
    </Card>
  );
}

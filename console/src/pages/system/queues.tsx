import { useQuery } from '@tanstack/react-query';
import type { OperatorQueue } from '../../api/client';
import { formatCount } from '../../model/format';
import { QUEUES } from '../../model/system';
import { Card, type Column, Loaded, Notice, RelativeTime, ShortTable, SkeletonRows } from '../../ui';
import { queuesQuery } from './queries';

const COLUMNS: readonly Column<OperatorQueue>[] = [
  { key: 'kind', title: 'Waits for', width: 'minmax(120px, 1fr)', cell: ({ kind }) => QUEUES[kind].label },
  {
    key: 'about',
    title: 'What waits',
    width: 'minmax(160px, 2fr)',
    wideOnly: true,
    cell: ({ kind }) => <span className="cell-muted">{QUEUES[kind].about}</span>,
  },
  { key: 'waiting', title: 'Runs', width: '72px', align: 'end', cell: ({ waiting }) => formatCount(waiting) },
  {
    key: 'oldest',
    title: 'Oldest',
    width: '96px',
    align: 'end',
    cell: ({ oldest }) => oldest !== null && <RelativeTime at={oldest} />,
  },
];

/** Runs of all tenants that wait. */
export function Queues() {
  const queues = useQuery(queuesQuery);
  return (
    <>
      {queues.data?.truncated === true && (
        <Notice tone="info">More than 10,000 runs wait; the oldest of them are counted.</Notice>
      )}
      <Card flush>
        <Loaded query={queues} skeleton={<SkeletonRows rows={6} label="Loading queues" />}>
          {({ queues: rows }) => (
            <ShortTable label="Queues of all tenants" columns={COLUMNS} rows={rows} rowKey={({ kind }) => kind} />
          )}
        </Loaded>
      </Card>
    </>
  );
}

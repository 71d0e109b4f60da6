import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { QueueRow } from '../../api/client';
import { formatCount } from '../../model/format';
import { isQueueKind, limitText, queryOfQueue, usedText } from '../../model/queues';
import {
  Button,
  Card,
  type Column,
  EmptyState,
  LinkButton,
  Loaded,
  Notice,
  Page,
  RelativeTime,
  Select,
  SkeletonRows,
  Table,
  Toolbar,
} from '../../ui';
import { QueuedIcon } from '../../ui/icon';
import { connectionsQuery } from '../connections/queries';
import { queuesQuery } from './queries';
import { queuesRoute } from './route';

const KINDS = [
  { value: '', label: 'All limits' },
  { value: 'throttle', label: 'Starts in a period' },
  { value: 'concurrency', label: 'Runs at a time' },
  { value: 'connection', label: 'Quotas of connections' },
  { value: 'debounce', label: 'Debounced starts' },
  { value: 'batch', label: 'Batches' },
] as const;

const Muted = ({ text }: { readonly text: string }) => <span className="cell-muted">{text}</span>;

/** Connections are shown by their names, which only those know who may see them. */
const QueueKey = ({ row: { kind, name, key } }: { readonly row: QueueRow }) => {
  const connections = useQuery({ ...connectionsQuery, enabled: kind === 'connection' });
  const known = kind === 'connection' ? connections.data?.find(({ id }) => id === name)?.name : undefined;
  const shown = [known ?? name, key].filter((part) => part !== null).join(' · ');
  return shown === '' ? <Muted text="All runs" /> : shown;
};

const COLUMNS: readonly Column<QueueRow>[] = [
  {
    key: 'workflow',
    title: 'Workflow',
    width: 'minmax(120px, 1.4fr)',
    cell: (row) => (
      <Link className="row-link" to="/runs" search={{ q: queryOfQueue(row) }}>
        {row.workflow_name}
      </Link>
    ),
  },
  { key: 'key', title: 'Key', width: 'minmax(96px, 1fr)', cell: (row) => <QueueKey row={row} /> },
  { key: 'limit', title: 'Limit', width: 'minmax(128px, 1fr)', wideOnly: true, cell: limitText },
  { key: 'used', title: 'Used', width: '88px', align: 'end', wideOnly: true, cell: usedText },
  { key: 'waiting', title: 'Waiting', width: '72px', align: 'end', cell: ({ waiting }) => formatCount(waiting) },
  {
    key: 'oldest',
    title: 'Oldest',
    width: '104px',
    align: 'end',
    wideOnly: true,
    cell: ({ oldest }) => (oldest === null ? '' : <RelativeTime at={oldest} />),
  },
  {
    key: 'next',
    title: 'Next start',
    width: '104px',
    align: 'end',
    wideOnly: true,
    cell: ({ next_start: next, waiting }) => (next === null || waiting === 0 ? '' : <RelativeTime at={next} />),
  },
];

/** The limits of workflows, and the runs that wait for them. */
export function QueuesPage() {
  const { kind } = queuesRoute.useSearch();
  const navigate = queuesRoute.useNavigate();
  const queues = useQuery({ ...queuesQuery(kind), placeholderData: keepPreviousData });
  return (
    <Page title="Queues" description="Limits of workflows with runs that have not ended, the longest queue first.">
      <Toolbar>
        <Select
          aria-label="Kind of limit"
          options={KINDS}
          value={kind ?? ''}
          onChange={({ currentTarget: { value } }) =>
            void navigate({
              search: isQueueKind(value) ? { kind: value } : {},
              replace: true,
            })
          }
        />
      </Toolbar>
      {queues.data?.truncated === true && (
        <Notice tone="info">More than 10,000 runs have limits; the oldest of them are counted.</Notice>
      )}
      <Card flush>
        <Loaded query={queues} skeleton={<SkeletonRows rows={4} label="Loading queues" />}>
          {({ data }) =>
            data.length === 0 ? (
              <NoQueues filtered={kind !== undefined} onClear={() => void navigate({ search: {} })} />
            ) : (
              <Table label="Queues" columns={COLUMNS} rows={data} rowKey={({ id }) => id} />
            )
          }
        </Loaded>
      </Card>
    </Page>
  );
}

function NoQueues({ filtered, onClear }: { readonly filtered: boolean; readonly onClear: () => void }) {
  return filtered ? (
    <EmptyState icon={QueuedIcon} title="No queue matches" actions={<Button onClick={onClear}>Show all</Button>}>
      No run with a limit of this kind is active.
    </EmptyState>
  ) : (
    <EmptyState
      icon={QueuedIcon}
      title="Nothing waits"
      actions={<LinkButton to="/workflows">Show workflows</LinkButton>}
    >
      A workflow whose document has concurrency, throttle, debounce or batch is listed here while it has active runs,
      and a connection while steps wait for it.
    </EmptyState>
  );
}

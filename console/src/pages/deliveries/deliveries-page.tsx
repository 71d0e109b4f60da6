import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { DeliveryRow } from '../../api/client';
import { verdictLook } from '../../model/deliveries';
import { formatBytes } from '../../model/format';
import {
  Badge,
  Button,
  Card,
  type Column,
  EmptyState,
  LinkButton,
  Loaded,
  Page,
  RelativeTime,
  RowButton,
  Select,
  SkeletonRows,
  Table,
  Toolbar,
  WithPanel,
} from '../../ui';
import { DeliveriesIcon } from '../../ui/icon';
import { DeliveryPanel } from './delivery-panel';
import { deliveriesQuery } from './queries';
import { deliveriesRoute, type DeliveryFilters } from './route';

const OUTCOMES = [
  { value: '', label: 'All outcomes' },
  { value: 'started', label: 'Started' },
  { value: 'refused', label: 'Refused' },
  { value: 'replayed', label: 'Repeated' },
  { value: 'ignored', label: 'Ignored' },
];
const SOURCES = [
  { value: '', label: 'All addresses' },
  { value: 'http', label: 'Webhook' },
  { value: 'run', label: 'Run with a key' },
  { value: 'messaging-a', label: 'WhatsApp' },
  { value: 'messaging-b', label: 'Messenger' },
];

const keyOf = ({ workflow_id, id }: DeliveryRow): string => `${workflow_id}/${id}`;

/** Requests to webhooks and channels, with their outcomes. */
export function DeliveriesPage() {
  const { open, ...filters } = deliveriesRoute.useSearch();
  const navigate = deliveriesRoute.useNavigate();
  const deliveries = useInfiniteQuery({ ...deliveriesQuery(filters), placeholderData: keepPreviousData });
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = deliveries;
  const onMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  const filter = (changed: DeliveryFilters): void =>
    void navigate({ search: (previous) => ({ ...previous, ...changed }), replace: true });
  const show = (key: string | undefined): void =>
    void navigate({ search: (previous) => ({ ...previous, open: key }), replace: key === undefined });
  const filtered = Object.values(filters).some((value) => value !== undefined);
  return (
    <WithPanel
      panel={open === undefined ? null : <DeliveryPanel key={open} address={open} onClose={() => show(undefined)} />}
    >
      <Page
        title="Deliveries"
        description="Requests to your webhooks and channels of the last 30 days, accepted or refused."
      >
        <Toolbar>
          <Select
            aria-label="Outcome"
            options={OUTCOMES}
            value={filters.outcome ?? ''}
            onChange={({ currentTarget: { value } }) =>
              filter({ outcome: (value || undefined) as DeliveryFilters['outcome'] })
            }
          />
          <Select
            aria-label="Address"
            options={SOURCES}
            value={filters.source ?? ''}
            onChange={({ currentTarget: { value } }) =>
              filter({ source: (value || undefined) as DeliveryFilters['source'] })
            }
          />
          {filters.workflow !== undefined && (
            <Button size="small" onClick={() => filter({ workflow: undefined })}>
              Show all workflows
            </Button>
          )}
        </Toolbar>
        <Card flush>
          <Loaded query={deliveries} skeleton={<SkeletonRows rows={8} label="Loading deliveries" />}>
            {({ pages }) => {
              const rows = pages.flatMap(({ data }) => data);
              if (rows.length === 0)
                return <NoDeliveries filtered={filtered} onClear={() => void navigate({ search: {} })} />;
              return (
                <Table
                  label="Deliveries"
                  columns={columnsWith(show)}
                  rows={rows}
                  rowKey={keyOf}
                  selected={open ?? null}
                  onMore={onMore}
                />
              );
            }}
          </Loaded>
        </Card>
      </Page>
    </WithPanel>
  );
}

const columnsWith = (onOpen: (key: string) => void): readonly Column<DeliveryRow>[] => [
  {
    key: 'outcome',
    title: 'Outcome',
    width: '88px',
    cell: ({ outcome }) => <Badge tone={verdictLook(outcome).tone}>{verdictLook(outcome).label}</Badge>,
  },
  {
    key: 'workflow',
    title: 'Workflow',
    width: 'minmax(96px, 1fr)',
    cell: (row) => <RowButton onClick={() => onOpen(keyOf(row))}>{row.workflow_name}</RowButton>,
  },
  {
    key: 'reason',
    title: 'Details',
    width: 'minmax(72px, 1.4fr)',
    wideOnly: true,
    cell: ({ reason }) => <span className="cell-muted">{reason}</span>,
  },
  {
    key: 'request',
    title: 'Request',
    width: '96px',
    wideOnly: true,
    cell: ({ method, status }) => `${method} → ${status ?? 'left'}`,
  },
  { key: 'size', title: 'Size', width: '60px', align: 'end', wideOnly: true, cell: ({ size }) => formatBytes(size) },
  {
    key: 'received',
    title: 'Received',
    width: '92px',
    align: 'end',
    cell: ({ received_at: at }) => <RelativeTime at={at} />,
  },
];

function NoDeliveries({ filtered, onClear }: { readonly filtered: boolean; readonly onClear: () => void }) {
  return filtered ? (
    <EmptyState icon={DeliveriesIcon} title="No delivery matches" actions={<Button onClick={onClear}>Show all</Button>}>
      Change the filters.
    </EmptyState>
  ) : (
    <EmptyState
      icon={DeliveriesIcon}
      title="Nothing has come in"
      actions={<LinkButton to="/workflows">Show workflows</LinkButton>}
    >
      A request to the webhook of a workflow is listed here, also if it was refused.
    </EmptyState>
  );
}

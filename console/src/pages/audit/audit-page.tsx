import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { api, type AuditEventView } from '../../api/client';
import { useMe } from '../../app/queries';
import { actorText } from '../../model/audit';
import {
  Badge,
  Button,
  Card,
  type Column,
  EmptyState,
  Loaded,
  Page,
  RelativeTime,
  RowButton,
  SkeletonRows,
  Table,
  toastError,
  WithPanel,
} from '../../ui';
import { DownloadIcon, VersionsIcon } from '../../ui/icon';
import { EventPanel } from './event-panel';
import { Filters } from './filters';
import { eventsQuery, exportPath } from './queries';
import { type AuditFilters, auditRoute } from './route';
import { StreamCard } from './stream-card';
import { Verification } from './verification';

/** Downloads what the filters show, as the browser does with a link. */
const download = async (filters: AuditFilters): Promise<void> => {
  const { url } = await api.auth.create_download({ body: { path: exportPath(filters) } });
  window.location.assign(url);
};

/** Who did what in the workspace, newest first; for admins. */
export function AuditPage() {
  const { open, ...filters } = auditRoute.useSearch();
  const navigate = auditRoute.useNavigate();
  const me = useMe();
  const mayRead = me.data?.role === 'owner' || me.data?.role === 'admin';
  const show = (id: string | undefined): void =>
    void navigate({ search: (previous) => ({ ...previous, open: id }), replace: id === undefined });
  const filter = (changed: AuditFilters): void => void navigate({ search: changed, replace: true });
  return (
    <WithPanel
      panel={
        open === undefined || !mayRead ? null : (
          <EventPanel id={open} filters={filters} onClose={() => show(undefined)} onFilter={filter} />
        )
      }
    >
      <Page
        title="Audit log"
        description="Who did what, when and from where. Events are never changed or removed."
        actions={
          mayRead && (
            <Button icon={DownloadIcon} onClick={() => void download(filters).catch(toastError)}>
              Export as CSV
            </Button>
          )
        }
      >
        <Loaded query={me} skeleton={<SkeletonRows rows={8} label="Loading the audit log" />}>
          {() =>
            mayRead ? (
              <>
                <StreamCard isOwner={me.data?.role === 'owner'} />
                <Verification />
                <Filters key={JSON.stringify(filters)} filters={filters} onFilter={filter} />
                <EventList filters={filters} selected={open ?? null} onOpen={show} onClear={() => filter({})} />
              </>
            ) : (
              <Card>
                <EmptyState icon={VersionsIcon} title="Admins read the audit log">
                  Ask an admin or owner of the workspace.
                </EmptyState>
              </Card>
            )
          }
        </Loaded>
      </Page>
    </WithPanel>
  );
}

interface ListProps {
  readonly filters: AuditFilters;
  readonly selected: string | null;
  readonly onOpen: (id: string) => void;
  readonly onClear: () => void;
}

function EventList({ filters, selected, onOpen, onClear }: ListProps) {
  const events = useInfiniteQuery({ ...eventsQuery(filters), placeholderData: keepPreviousData });
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = events;
  const onMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  return (
    <Card flush>
      <Loaded query={events} skeleton={<SkeletonRows rows={8} label="Loading the audit log" />}>
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          if (rows.length === 0)
            return (
              <EmptyState
                icon={VersionsIcon}
                title="No event matches"
                actions={<Button onClick={onClear}>Show all events</Button>}
              >
                Change the filters.
              </EmptyState>
            );
          return (
            <Table
              label="Audit log"
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
  );
}

const columnsWith = (onOpen: (id: string) => void): readonly Column<AuditEventView>[] => [
  {
    key: 'action',
    title: 'Action',
    width: 'minmax(96px, 1fr)',
    cell: (row) => <RowButton onClick={() => onOpen(row.id)}>{row.action}</RowButton>,
  },
  {
    key: 'target',
    title: 'Target',
    width: 'minmax(96px, 1.4fr)',
    wideOnly: true,
    cell: ({ target }) => target.name ?? target.id,
  },
  {
    key: 'actor',
    title: 'By',
    width: 'minmax(72px, 1.2fr)',
    // On a phone, the room is for the action; the panel of an event has the actor.
    wideOnly: true,
    cell: ({ actor }) => <span className="cell-muted">{actorText(actor)}</span>,
  },
  {
    key: 'outcome',
    title: 'Outcome',
    titleHidden: true,
    width: '72px',
    wideOnly: true,
    cell: ({ outcome }) => outcome !== null && <Badge tone="danger">Failed</Badge>,
  },
  { key: 'at', title: 'When', width: '92px', align: 'end', cell: ({ at }) => <RelativeTime at={at} /> },
];

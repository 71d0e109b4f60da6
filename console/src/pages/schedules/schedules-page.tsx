import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { ScheduleRow } from '../../api/client';
import { outcomeLook, stateOf, timesOf } from '../../model/schedules';
import {
  Button,
  Card,
  type Column,
  EmptyState,
  LinkButton,
  Loaded,
  OutcomeBars,
  Page,
  RelativeTime,
  RowButton,
  Select,
  SkeletonRows,
  Status,
  Table,
  Toolbar,
  WithPanel,
} from '../../ui';
import { ScheduleIcon } from '../../ui/icon';
import { DayStrip } from './day-strip';
import { schedulesQuery } from './queries';
import { schedulesRoute } from './route';
import { SchedulePanel } from './schedule-panel';
import styles from './schedules.module.css';

const STATES = [
  { value: '', label: 'Active and paused' },
  { value: 'active', label: 'Active' },
  { value: 'paused', label: 'Paused' },
] as const;

/** The schedules of all workflows: when they start next, and how their last times went. */
export function SchedulesPage() {
  const { state, open } = schedulesRoute.useSearch();
  const navigate = schedulesRoute.useNavigate();
  const schedules = useInfiniteQuery({
    ...schedulesQuery(state === undefined ? undefined : state === 'paused'),
    placeholderData: keepPreviousData,
  });
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = schedules;
  const onMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  const show = (id: string | undefined): void =>
    void navigate({ search: (previous) => ({ ...previous, open: id }), replace: id === undefined });
  const columns = columnsWith(show);
  return (
    <WithPanel
      panel={open === undefined ? null : <SchedulePanel key={open} id={open} onClose={() => show(undefined)} />}
    >
      <Page title="Schedules" description="When your workflows start by the clock, and how the last times went.">
        <DayStrip onOpen={show} />
        <Toolbar>
          <Select
            aria-label="State"
            options={STATES}
            value={state ?? ''}
            onChange={({ currentTarget: { value } }) =>
              void navigate({
                search: (previous) => ({
                  ...previous,
                  state: value === 'active' || value === 'paused' ? value : undefined,
                }),
                replace: true,
              })
            }
          />
        </Toolbar>
        <Card flush>
          <Loaded query={schedules} skeleton={<SkeletonRows rows={6} label="Loading schedules" />}>
            {({ pages }) => {
              const rows = pages.flatMap(({ data }) => data);
              if (rows.length === 0)
                return <NoSchedules filtered={state !== undefined} onClear={() => void navigate({ search: {} })} />;
              return (
                <Table
                  label="Schedules"
                  columns={columns}
                  rows={rows}
                  rowKey={({ id }) => id}
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

const columnsWith = (onOpen: (id: string) => void): readonly Column<ScheduleRow>[] => [
  {
    key: 'workflow',
    title: 'Workflow',
    width: 'minmax(104px, 1.4fr)',
    cell: (row) => <RowButton onClick={() => onOpen(row.id)}>{row.workflow_name}</RowButton>,
  },
  {
    key: 'times',
    title: 'Times',
    width: 'minmax(84px, 1fr)',
    cell: (row) => <code className={styles.times}>{timesOf(row)}</code>,
  },
  {
    key: 'state',
    title: 'State',
    width: '128px',
    wideOnly: true,
    cell: (row) => <Status {...stateOf(row)} />,
  },
  {
    key: 'slots',
    title: 'Last times',
    width: '72px',
    wideOnly: true,
    cell: ({ recent_runs: slots }) => (
      <OutcomeBars
        label={
          slots.length === 0
            ? 'No times yet'
            : `Last times, newest first: ${slots.map(({ outcome }) => outcomeLook(outcome).label).join(', ')}`
        }
        outcomes={slots.toReversed().map(({ outcome }) => ({ status: outcome, tone: outcomeLook(outcome).tone }))}
      />
    ),
  },
  {
    key: 'next',
    title: 'Next start',
    width: '84px',
    align: 'end',
    cell: ({ next_at: at, paused }) =>
      at === null ? <span className="cell-muted">{paused ? 'Paused' : 'Never'}</span> : <RelativeTime at={at} />,
  },
];

function NoSchedules({ filtered, onClear }: { readonly filtered: boolean; readonly onClear: () => void }) {
  return filtered ? (
    <EmptyState icon={ScheduleIcon} title="No schedule matches" actions={<Button onClick={onClear}>Show all</Button>}>
      Change the filter.
    </EmptyState>
  ) : (
    <EmptyState
      icon={ScheduleIcon}
      title="No schedules yet"
      actions={<LinkButton to="/workflows">Show workflows</LinkButton>}
    >
      A workflow with a trigger of the type schedule starts by the clock, and is listed here.
    </EmptyState>
  );
}

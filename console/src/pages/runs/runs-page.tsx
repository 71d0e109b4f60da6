import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { EverstepError, type ExecutionRow } from '../../api/client';
import { formatUsd } from '../../model/format';
import { asksForTrials } from '../../model/run-views';
import { shownStatus, waitSentence } from '../../model/waiting';
import {
  Button,
  Card,
  type Column,
  Duration,
  EmptyState,
  LinkButton,
  Loaded,
  Page,
  RelativeTime,
  SkeletonRows,
  Status,
  Switch,
  Table,
} from '../../ui';
import { RunsIcon } from '../../ui/icon';
import { BulkActions } from './bulk-actions';
import { LabelChips } from './label-chips';
import { runsQuery } from './queries';
import { QueryLine } from './query-line';
import { runsRoute } from './route';
import { RunViews } from './run-views';
import styles from './runs.module.css';

const COLUMNS: readonly Column<ExecutionRow>[] = [
  {
    key: 'status',
    title: 'Status',
    width: '104px',
    iconWhenSmall: true,
    cell: (run) => <Status status={shownStatus(run)} />,
  },
  {
    key: 'workflow',
    title: 'Workflow',
    width: 'minmax(72px, 1.2fr)',
    cell: (run) => (
      <Link className="row-link" to="/runs/$id" params={{ id: run.id }}>
        {run.workflow_name}
      </Link>
    ),
  },
  {
    key: 'reason',
    title: 'Details',
    width: 'minmax(96px, 1.6fr)',
    wideOnly: true,
    cell: (run) => <span className={styles.reason}>{reasonOf(run)}</span>,
  },
  { key: 'trigger', title: 'Trigger', width: '88px', wideOnly: true, cell: (run) => run.trigger_type },
  {
    key: 'cost',
    title: 'Cost',
    width: '80px',
    align: 'end',
    wideOnly: true,
    cell: (run) => (run.cost_usd === 0 ? '' : formatUsd(run.cost_usd)),
  },
  {
    key: 'duration',
    title: 'Duration',
    width: '96px',
    align: 'end',
    wideOnly: true,
    cell: (run) => <Duration from={run.started_at} to={run.ended_at} />,
  },
  {
    key: 'started',
    title: 'Started',
    width: '84px',
    align: 'end',
    cell: (run) => <RelativeTime at={run.started_at} />,
  },
];

/** Runs with labels have a column for them. */
const withLabels = (query: string): readonly Column<ExecutionRow>[] =>
  COLUMNS.flatMap((column) => (column.key === 'trigger' ? [labelColumn(query), column] : [column]));

const labelColumn = (query: string): Column<ExecutionRow> => ({
  key: 'labels',
  title: 'Labels',
  width: 'minmax(176px, 1.6fr)',
  wideOnly: true,
  cell: (run) => (
    <span className={styles.labels}>
      <LabelChips labels={run.labels} within={query} />
    </span>
  ),
});

const hasLabels = ({ labels }: ExecutionRow): boolean => Object.keys(labels).length > 0;

const reasonOf = ({ error, waiting }: ExecutionRow): string =>
  error?.message ?? (waiting[0] === undefined ? '' : waitSentence(waiting[0]));

/** All runs of the workspace, by the query language of the API. */
export function RunsPage() {
  const { q = '', trials: trialsParam } = runsRoute.useSearch();
  const trials = trialsParam === 'show';
  const navigate = runsRoute.useNavigate();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const runs = useInfiniteQuery({ ...runsQuery(q, trials || asksForTrials(q)), placeholderData: keepPreviousData });
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = runs;
  const onMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  const selectedIds = runs.data?.pages.flatMap(({ data }) =>
    data.filter(({ id }) => selected.has(id)).map(({ id }) => id),
  );
  const show = (query: string, withTrials = trials): void => {
    setSelected(new Set());
    void navigate({
      search: { ...(query === '' ? {} : { q: query }), ...(withTrials ? { trials: 'show' as const } : {}) },
    });
  };
  const hidesTrials = !trials && !asksForTrials(q);
  const fault = runs.error instanceof EverstepError && runs.error.code === 'invalid_query' ? runs.error : null;
  return (
    <Page title="Runs" description="Every execution of your workflows, newest first. The list keeps itself up to date.">
      <div className={styles.toolbar}>
        <QueryLine value={q} onSubmit={(query) => show(query)} invalid={fault !== null} describedBy="query-fault" />
        {fault !== null && (
          <p id="query-fault" className={styles.fault} role="alert">
            {fault.message}
          </p>
        )}
        <RunViews query={q} trials={trials} onShow={show} />
        <Switch
          className={styles.trials}
          label="Show trials"
          checked={!hidesTrials}
          disabled={asksForTrials(q)}
          onChange={({ currentTarget }) => show(q, currentTarget.checked)}
        />
        {selectedIds !== undefined && selectedIds.length > 0 && (
          <div className={styles.selected}>
            <BulkActions ids={selectedIds} onDone={() => setSelected(new Set())} />
          </div>
        )}
      </div>
      {fault === null && (
        <Card flush>
          <Loaded query={runs} skeleton={<SkeletonRows rows={10} label="Loading runs" />}>
            {({ pages }) => {
              const rows = pages.flatMap(({ data }) => data);
              if (rows.length === 0)
                return (
                  <NoRuns
                    filtered={q !== ''}
                    onClear={() => show('')}
                    onShowTrials={hidesTrials ? () => show(q, true) : null}
                  />
                );
              return (
                <Table
                  label="Runs"
                  columns={rows.some(hasLabels) ? withLabels(q) : COLUMNS}
                  rows={rows}
                  rowKey={({ id }) => id}
                  onMore={onMore}
                  selection={{ keys: selected, onChange: setSelected }}
                />
              );
            }}
          </Loaded>
        </Card>
      )}
    </Page>
  );
}

interface NoRunsProps {
  readonly filtered: boolean;
  readonly onClear: () => void;
  /** Null where trials are shown. */
  readonly onShowTrials: (() => void) | null;
}

function NoRuns({ filtered, onClear, onShowTrials }: NoRunsProps) {
  return filtered ? (
    <EmptyState
      icon={RunsIcon}
      title="No run matches"
      actions={
        <>
          <Button onClick={onClear}>Show all runs</Button>
          {onShowTrials && <Button onClick={onShowTrials}>Show trials too</Button>}
        </>
      }
    >
      Change the filter, or show all runs.
    </EmptyState>
  ) : (
    <EmptyState icon={RunsIcon} title="No runs yet" actions={<LinkButton to="/">Run a template</LinkButton>}>
      A run appears here as soon as a workflow is started: by hand, by its webhook, on its schedule or over the API.
    </EmptyState>
  );
}

import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { EvaluationDetail } from '../../api/client';
import { formatScore, isActive, outcomeOf } from '../../model/evaluations';
import { formatCount, formatDuration, formatUsd } from '../../model/format';
import {
  Card,
  EmptyState,
  ErrorState,
  Loaded,
  Meter,
  Notice,
  Page,
  Select,
  SkeletonRows,
  Status,
  Table,
  Toolbar,
  WithPanel,
} from '../../ui';
import { type KeyValue, KeyValues } from '../../ui/key-values';
import { TryIcon } from '../../ui/icon';
import { EvaluationActions } from './evaluation-actions';
import { evaluationQuery, resultsQuery } from './queries';
import { ResultPanel } from './result-panel';
import { resultColumns } from './result-columns';
import { evaluationRoute } from './routes';
import { Summary } from './summary';

/** An evaluation: its scores and gates, and each row with its run. */
export function EvaluationPage() {
  const { id } = evaluationRoute.useParams();
  const { row } = evaluationRoute.useSearch();
  const navigate = evaluationRoute.useNavigate();
  const evaluation = useQuery(evaluationQuery(id));
  if (evaluation.data === undefined)
    return (
      <Page title="Evaluation">
        <Card flush>
          {evaluation.isPending ? (
            <SkeletonRows rows={8} label="Loading the evaluation" />
          ) : (
            <ErrorState error={evaluation.error} onRetry={() => void evaluation.refetch()} />
          )}
        </Card>
      </Page>
    );
  const open = (rowId: string | undefined): void =>
    void navigate({ search: (previous) => ({ ...previous, row: rowId }), replace: row !== undefined });
  return <Content evaluation={evaluation.data} open={open} />;
}

interface ContentProps {
  readonly evaluation: EvaluationDetail;
  readonly open: (row: string | undefined) => void;
}

function Content({ evaluation, open }: ContentProps) {
  const search = evaluationRoute.useSearch();
  const results = useInfiniteQuery({
    ...resultsQuery(evaluation.id, search, isActive(evaluation)),
    placeholderData: keepPreviousData,
  });
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = results;
  const onMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  const rows = results.data?.pages.flatMap(({ data }) => data) ?? [];
  const shown = search.row === undefined ? undefined : rows.find(({ row_id }) => row_id === search.row);
  return (
    <WithPanel panel={shown === undefined ? null : <ResultPanel result={shown} onClose={() => open(undefined)} />}>
      <Page
        title={evaluation.name}
        aside={<Status {...outcomeOf(evaluation)} />}
        actions={<EvaluationActions evaluation={evaluation} />}
      >
        {evaluation.error !== null && <Notice tone="danger">{evaluation.error}</Notice>}
        {isActive(evaluation) && (
          <Card>
            <Meter label="Rows" value={evaluation.progress.done} max={evaluation.progress.total} tone="info" />
          </Card>
        )}
        <EvaluationFacts evaluation={evaluation} />
        <Summary evaluation={evaluation} />
        <ResultFilters evaluation={evaluation} />
        <Card flush>
          <Loaded query={results} skeleton={<SkeletonRows rows={8} label="Loading rows" />}>
            {() =>
              rows.length === 0 ? (
                <EmptyState icon={TryIcon} title="No row matches" />
              ) : (
                <Table
                  label="Rows"
                  columns={resultColumns(open)}
                  rows={rows}
                  rowKey={({ row_id }) => row_id}
                  selected={search.row ?? null}
                  onMore={onMore}
                />
              )
            }
          </Loaded>
        </Card>
      </Page>
    </WithPanel>
  );
}

const OUTCOMES = [
  { value: '', label: 'All rows' },
  { value: 'failed', label: 'Not passed' },
  { value: 'passed', label: 'Passed' },
  { value: 'error', label: 'With errors' },
] as const;
const SORTS = [
  { value: '', label: 'In the order of the data set' },
  { value: 'score', label: 'Lowest score first' },
  { value: '-score', label: 'Highest score first' },
] as const;

/** Filters of the rows, which are in the address. */
function ResultFilters({ evaluation }: { readonly evaluation: EvaluationDetail }) {
  const { outcome, metric, sort } = evaluationRoute.useSearch();
  const navigate = evaluationRoute.useNavigate();
  const set = (change: object): void =>
    void navigate({ search: (previous) => ({ ...previous, row: undefined, ...change }), replace: true });
  const metrics = [
    { value: '', label: 'Any metric' },
    ...evaluation.summary.metrics.map(({ name }) => ({ value: name, label: `Fails ${name}` })),
  ];
  return (
    <Toolbar>
      <Select
        aria-label="Outcome"
        options={OUTCOMES}
        value={outcome ?? ''}
        onChange={({ currentTarget: { value } }) => set({ outcome: value === '' ? undefined : value })}
      />
      <Select
        aria-label="Metric"
        options={metrics}
        value={metric ?? ''}
        onChange={({ currentTarget: { value } }) => set({ metric: value === '' ? undefined : value })}
      />
      <Select
        aria-label="Order"
        options={SORTS}
        value={sort ?? ''}
        onChange={({ currentTarget: { value } }) => set({ sort: value === '' ? undefined : value })}
      />
    </Toolbar>
  );
}

/** The figures of the evaluation in one line. */
function EvaluationFacts({ evaluation }: { readonly evaluation: EvaluationDetail }) {
  const { summary, progress, workflow_id, dataset_id, version } = evaluation;
  const { p50_ms, p95_ms } = summary.latency;
  const facts: readonly KeyValue[] = [
    ['Score', formatScore(summary.score)],
    ['Rows', `${formatCount(progress.done)} of ${formatCount(progress.total)}`],
    ['Passed', `${formatCount(summary.passed)} (${formatScore(summary.pass_rate)})`],
    ['Failed runs', summary.run_failures === 0 ? null : formatCount(summary.run_failures)],
    [
      'Latency',
      p50_ms === null || p95_ms === null ? null : `${formatDuration(p50_ms)}, 95%: ${formatDuration(p95_ms)}`,
    ],
    ['Tokens', summary.tokens === 0 ? null : formatCount(summary.tokens)],
    ['Cost', summary.cost_usd === 0 ? null : formatUsd(summary.cost_usd)],
    [
      'Workflow',
      <Link key="workflow" to="/workflows/$id" params={{ id: workflow_id }}>
        {`${evaluation.workflow_name}, ${typeof version === 'number' ? `version ${version}` : version}`}
      </Link>,
    ],
    [
      'Data set',
      <Link key="dataset" to="/datasets/$id" params={{ id: dataset_id }}>
        {`${evaluation.dataset_name}, revision ${evaluation.dataset_revision}`}
      </Link>,
    ],
    ['Steps not run', [...evaluation.suppressed, ...evaluation.pinned].join(', ') || null],
  ];
  return <KeyValues rows={facts} sideBySide />;
}

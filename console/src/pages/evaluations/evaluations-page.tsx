import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { EvaluationRow } from '../../api/client';
import { formatCount } from '../../model/format';
import { formatScore, isActive, outcomeOf } from '../../model/evaluations';
import {
  Card,
  type Column,
  EmptyState,
  LinkButton,
  Loaded,
  Page,
  RelativeTime,
  Select,
  SkeletonRows,
  Status,
  Table,
  Toolbar,
} from '../../ui';
import { PlusIcon, TryIcon } from '../../ui/icon';
import { History } from './history';
import { evaluationsQuery, workflowChoicesQuery } from './queries';
import { evaluationsRoute } from './routes';
import { ScoreBar } from './score';
import styles from './evaluations.module.css';

/** Evaluations of all workflows, or of one with the course of its scores. */
export function EvaluationsPage() {
  const { workflow } = evaluationsRoute.useSearch();
  const navigate = evaluationsRoute.useNavigate();
  const workflows = useQuery(workflowChoicesQuery);
  const evaluations = useInfiniteQuery({ ...evaluationsQuery(workflow), placeholderData: keepPreviousData });
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = evaluations;
  const onMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  const create = (
    <LinkButton edits kind="primary" icon={PlusIcon} to="/evaluations/new" search={{ workflow }}>
      New evaluation
    </LinkButton>
  );
  const options = [
    { value: '', label: 'All workflows' },
    ...(workflows.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
  ];
  return (
    <Page
      title="Evaluations"
      description="Runs of a workflow over a data set, with scores of the outputs."
      actions={
        <>
          <LinkButton to="/datasets">Data sets</LinkButton>
          {create}
        </>
      }
    >
      <Toolbar>
        <Select
          aria-label="Workflow"
          options={options}
          value={workflow ?? ''}
          onChange={({ currentTarget: { value } }) =>
            void navigate({ search: value === '' ? {} : { workflow: value }, replace: true })
          }
        />
      </Toolbar>
      {workflow !== undefined && <History workflow={workflow} />}
      <Card flush>
        <Loaded query={evaluations} skeleton={<SkeletonRows rows={6} label="Loading evaluations" />}>
          {({ pages }) => {
            const rows = pages.flatMap(({ data }) => data);
            return rows.length === 0 ? (
              <EmptyState icon={TryIcon} title="No evaluations yet" actions={create}>
                An evaluation shows whether a change of a workflow made its outputs better.
              </EmptyState>
            ) : (
              <Table label="Evaluations" columns={COLUMNS} rows={rows} rowKey={({ id }) => id} onMore={onMore} />
            );
          }}
        </Loaded>
      </Card>
    </Page>
  );
}

const COLUMNS: readonly Column<EvaluationRow>[] = [
  {
    key: 'name',
    title: 'Name',
    width: 'minmax(80px, 2fr)',
    cell: ({ id, name }) => (
      <Link to="/evaluations/$id" params={{ id }} className={styles.name}>
        {name}
      </Link>
    ),
  },
  {
    key: 'status',
    title: 'Status',
    width: '124px',
    cell: (row) =>
      isActive(row) ? (
        <Status status={row.status} label={`${formatCount(row.progress.done)} of ${formatCount(row.progress.total)}`} />
      ) : (
        <Status {...outcomeOf(row)} />
      ),
  },
  {
    key: 'score',
    title: 'Score',
    width: '128px',
    wideOnly: true,
    cell: (row) => <ScoreBar score={row.summary.score} />,
  },
  {
    key: 'shortScore',
    title: 'Passed',
    width: '60px',
    align: 'end',
    cell: (row) => formatScore(row.summary.pass_rate),
  },
  {
    key: 'workflow',
    title: 'Workflow',
    width: 'minmax(100px, 1.4fr)',
    wideOnly: true,
    cell: ({ workflow_name, version }) => (
      <span className={styles.name}>
        {workflow_name}{' '}
        {version !== 'live' && <span className="cell-muted">{version === 'draft' ? 'draft' : `v${version}`}</span>}
      </span>
    ),
  },
  {
    key: 'dataset',
    title: 'Data set',
    width: 'minmax(100px, 1.2fr)',
    wideOnly: true,
    cell: ({ dataset_id, dataset_name }) => (
      <Link to="/datasets/$id" params={{ id: dataset_id }} className={styles.name}>
        {dataset_name}
      </Link>
    ),
  },
  {
    key: 'began',
    title: 'Began',
    width: '104px',
    wideOnly: true,
    cell: ({ created_at }) => <RelativeTime at={created_at} />,
  },
];

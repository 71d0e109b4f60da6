import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { ExecutionView, StepView } from '../../api/client';
import { formatDuration, formatUsd } from '../../model/format';
import { Card, type Column, EmptyState, Loaded, Status, Table } from '../../ui';
import { RunsIcon } from '../../ui/icon';
import { stepsQuery } from './queries';
import styles from './run.module.css';

interface StepsTabProps {
  readonly run: ExecutionView;
  readonly selected: string | undefined;
  readonly onOpenStep: (path: string) => void;
}

/** All steps in the order of the document, loaded a page at a time. */
export function StepsTab({ run, selected, onOpenStep }: StepsTabProps) {
  const steps = useInfiniteQuery(stepsQuery(run.id));
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = steps;
  const onMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  return (
    <Card flush>
      <Loaded query={steps}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.steps);
          if (rows.length === 0) return <EmptyState icon={RunsIcon} title="This run has no steps" />;
          return (
            <Table
              label="Steps"
              columns={columnsOf(onOpenStep)}
              rows={rows}
              rowKey={({ path }) => path}
              selected={selected ?? null}
              onMore={onMore}
            />
          );
        }}
      </Loaded>
    </Card>
  );
}

const columnsOf = (onOpenStep: (path: string) => void): readonly Column<StepView>[] => [
  {
    key: 'step',
    title: 'Step',
    width: 'minmax(140px, 1fr)',
    cell: (step) => (
      <button type="button" className={`row-link ${styles.linkButton}`} onClick={() => onOpenStep(step.path)}>
        {step.iteration === null ? step.step_id : step.path}
      </button>
    ),
  },
  {
    key: 'type',
    title: 'Type',
    width: 'minmax(100px, 0.7fr)',
    wideOnly: true,
    cell: ({ type }) => <span className="cell-muted">{type}</span>,
  },
  { key: 'status', title: 'Status', width: '116px', cell: ({ status }) => <Status status={status} /> },
  {
    key: 'error',
    title: 'Error',
    width: 'minmax(80px, 1fr)',
    wideOnly: true,
    cell: ({ error }) => <span className="cell-muted">{error?.message ?? ''}</span>,
  },
  {
    key: 'cost',
    title: 'Cost',
    width: '72px',
    align: 'end',
    wideOnly: true,
    cell: ({ cost_usd: cost }) => (cost === null || cost === 0 ? '' : formatUsd(cost)),
  },
  {
    key: 'duration',
    title: 'Duration',
    width: '88px',
    align: 'end',
    cell: ({ duration_ms: ms }) => (ms === null ? '' : formatDuration(ms)),
  },
];

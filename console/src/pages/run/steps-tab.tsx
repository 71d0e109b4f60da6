import { useMemo } from 'react';
import type { StepView } from '../../api/client';
import { formatDuration, formatUsd } from '../../model/format';
import { loopText } from '../../model/loop-path';
import { Card, type Column, EmptyState, IconButton, Loaded, Status, Table } from '../../ui';
import { ChevronRightIcon, RunsIcon } from '../../ui/icon';
import { LoopBar } from './loop-bar';
import { stepsList } from './queries';
import type { StepListProps } from './step-list';
import styles from './run.module.css';
import { useWindows } from './windows';

/** The steps in the order of the document; those inside a loop are listed when it is opened. */
export function StepsTab({ run, selected, filter, onOpenStep, onFilter }: StepListProps) {
  const list = useWindows(stepsList(run.id, filter));
  const columns = useMemo(() => columnsOf(onOpenStep, (parent) => onFilter({ parent })), [onOpenStep, onFilter]);
  return (
    <Card flush>
      {filter.parent !== undefined && (
        <LoopBar run={run} loop={filter.parent} status={filter.status} onFilter={onFilter} />
      )}
      <Loaded query={list.first}>
        {({ total }) =>
          total === 0 ? (
            <EmptyState
              icon={RunsIcon}
              title={filter.parent === undefined ? 'This run has no steps' : 'No such step'}
            />
          ) : (
            <Table
              key={filter.parent}
              label="Steps"
              columns={columns}
              rows={list.rows()}
              rowKey={({ path }) => path}
              selected={selected ?? null}
              onRange={list.onRange}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

const columnsOf = (
  onOpenStep: (path: string) => void,
  onOpenLoop: (path: string) => void,
): readonly Column<StepView>[] => [
  {
    key: 'step',
    title: 'Step',
    width: 'minmax(90px, 1fr)',
    cell: (step) => (
      <>
        <button type="button" className={`row-link ${styles.linkButton}`} onClick={() => onOpenStep(step.path)}>
          {step.iteration === null ? step.step_id : `${step.step_id} · ${step.iteration}`}
        </button>
        {step.loop && <span className={`cell-muted ${styles.loopText}`}>{loopText(step.loop)}</span>}
      </>
    ),
  },
  {
    key: 'type',
    title: 'Type',
    width: 'minmax(100px, 0.7fr)',
    wideOnly: true,
    cell: ({ type }) => <span className="cell-muted">{type}</span>,
  },
  {
    key: 'status',
    title: 'Status',
    width: '108px',
    iconWhenSmall: true,
    cell: ({ status }) => <Status status={status} />,
  },
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
    width: '72px',
    align: 'end',
    cell: ({ duration_ms: ms }) => (ms === null ? '' : formatDuration(ms)),
  },
  {
    key: 'loop',
    title: 'Loop',
    titleHidden: true,
    width: '28px',
    cell: ({ step_id: id, path, loop }) =>
      loop && (
        <IconButton
          icon={ChevronRightIcon}
          label={`Steps inside ${id}`}
          size="small"
          className={styles.openLoop}
          onClick={() => onOpenLoop(path)}
        />
      ),
  },
];

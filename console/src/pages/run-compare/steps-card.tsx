import { useCallback, useEffect, useMemo } from 'react';
import type { ComparedStep } from '../../api/client';
import { formatCount, formatDuration } from '../../model/format';
import { differenceText } from '../../model/run-comparison';
import { Button, Card, type Column, EmptyState, IconButton, StatusIcon, Table } from '../../ui';
import { ChevronRightIcon, CompletedIcon } from '../../ui/icon';
import { LoopTrail } from '../run/loop-trail';
import type { RunComparison } from './queries';
import styles from './run-compare.module.css';

interface StepsCardProps {
  readonly windows: readonly RunComparison[];
  readonly all: boolean;
  readonly parent: string | undefined;
  readonly selected: string | undefined;
  /** Asks for the next window; undefined while one is on its way, and after the last. */
  readonly onMore: (() => void) | undefined;
  readonly onShowAll: (all: boolean) => void;
  readonly onOpenStep: (path: string) => void;
  readonly onOpenLoop: (path?: string) => void;
}

/** The steps of both runs, those that differ or all. */
export function StepsCard({ windows, all, parent, selected, onMore, ...on }: StepsCardProps) {
  const { onShowAll, onOpenStep, onOpenLoop } = on;
  const steps = windows.flatMap((window) => window.steps);
  const last = windows.at(-1);
  const unfinished = last !== undefined && last.next_cursor !== null;
  // A window may have no difference at all while others follow.
  const isLastEmpty = last?.steps.length === 0;
  useEffect(() => {
    if (isLastEmpty) onMore?.();
  }, [isLastEmpty, onMore]);
  const more = useCallback(() => onMore?.(), [onMore]);
  const columns = useMemo(() => columnsOf(onOpenStep, onOpenLoop), [onOpenStep, onOpenLoop]);
  return (
    <Card
      title="Steps"
      description={last && progressText(last, steps.length, all)}
      actions={
        <Button size="small" aria-pressed={all} onClick={() => onShowAll(!all)}>
          {all ? 'Show differences alone' : 'Show all steps'}
        </Button>
      }
      flush
    >
      {parent !== undefined && (
        <div className={styles.trail}>
          <LoopTrail loop={parent} onOpen={onOpenLoop} />
        </div>
      )}
      {steps.length === 0 ? (
        <EmptyState icon={CompletedIcon} title={unfinished ? 'No difference so far' : 'No step differs'} />
      ) : (
        <Table
          key={parent}
          label="Compared steps"
          columns={columns}
          rows={steps}
          rowKey={({ path }) => path}
          selected={selected ?? null}
          onMore={more}
        />
      )}
    </Card>
  );
}

function progressText(last: RunComparison, shown: number, all: boolean): string {
  const { compared, total, only_in_a: a, only_in_b: b } = last;
  const of = compared < total ? `${formatCount(compared)} of ${formatCount(total)}` : formatCount(total);
  return [
    `${of} ${total === 1 ? 'step' : 'steps'} compared`,
    ...(all ? [] : [`${formatCount(shown)} ${shown === 1 ? 'differs' : 'differ'}`]),
    ...(a > 0 ? [`${formatCount(a)} only in A`] : []),
    ...(b > 0 ? [`${formatCount(b)} only in B`] : []),
  ].join(', ');
}

const NONE = <span className="cell-muted">–</span>;

const columnsOf = (
  onOpenStep: (path: string) => void,
  onOpenLoop: (path: string) => void,
): readonly Column<ComparedStep>[] => [
  {
    key: 'step',
    title: 'Step',
    width: 'minmax(80px, 0.9fr)',
    cell: ({ step_id: id, iteration, path }) => (
      <button type="button" className={`row-link ${styles.linkButton}`} onClick={() => onOpenStep(path)}>
        {iteration === null ? id : `${id} · ${iteration}`}
      </button>
    ),
  },
  {
    key: 'type',
    title: 'Type',
    width: 'minmax(72px, 0.5fr)',
    wideOnly: true,
    cell: ({ type }) => <span className="cell-muted">{type}</span>,
  },
  { key: 'a', title: 'A', width: '20px', cell: ({ a }) => (a === null ? NONE : <StatusIcon status={a.status} />) },
  { key: 'b', title: 'B', width: '20px', cell: ({ b }) => (b === null ? NONE : <StatusIcon status={b.status} />) },
  {
    key: 'differs',
    title: 'Difference',
    width: 'minmax(120px, 1.2fr)',
    cell: (step) => <span className={step.result === 'same' ? 'cell-muted' : undefined}>{differenceText(step)}</span>,
  },
  {
    key: 'duration_a',
    title: 'Duration A',
    width: '88px',
    align: 'end',
    wideOnly: true,
    cell: ({ a }) => (a === null || a.duration_ms === null ? '' : formatDuration(a.duration_ms)),
  },
  {
    key: 'duration_b',
    title: 'Duration B',
    width: '88px',
    align: 'end',
    wideOnly: true,
    cell: ({ b }) => (b === null || b.duration_ms === null ? '' : formatDuration(b.duration_ms)),
  },
  {
    key: 'loop',
    title: 'Loop',
    titleHidden: true,
    width: '28px',
    cell: ({ step_id: id, path, a, b }) =>
      (a?.loop ?? b?.loop) && (
        <IconButton
          icon={ChevronRightIcon}
          label={`Steps inside ${id}`}
          size="small"
          onClick={() => onOpenLoop(path)}
        />
      ),
  },
];

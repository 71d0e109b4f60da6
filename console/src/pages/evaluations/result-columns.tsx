import type { EvaluationResult } from '../../api/client';
import { shortJson } from '../../model/evaluations';
import { formatDuration } from '../../model/format';
import { type Column, RowButton, Status } from '../../ui';
import { ScoreBar } from './score';
import styles from './evaluations.module.css';

/** How the row of an evaluation ended, as a status with its word. */
function resultStatus({
  state,
  passed,
  has_error: hasError,
}: {
  readonly state: string;
  readonly passed: boolean | null;
  readonly has_error: boolean;
}): { readonly status: string; readonly label: string } {
  if (state === 'done') {
    if (hasError) return { status: 'failed', label: 'Error' };
    return passed === true ? { status: 'completed', label: 'Passed' } : { status: 'rejected', label: 'Not passed' };
  }
  if (state === 'pending') return { status: 'queued', label: 'Pending' };
  return { status: 'cancelled', label: state === 'cancelled' ? 'Cancelled' : 'Not run' };
}

const hasError = ({ run_status, metrics }: EvaluationResult): boolean =>
  (run_status !== null && run_status !== 'completed') || metrics.some(({ error }) => error !== null);

export const statusOf = (result: EvaluationResult) => resultStatus({ ...result, has_error: hasError(result) });

export const resultColumns = (open: (row: string) => void): readonly Column<EvaluationResult>[] => [
  {
    key: 'row',
    title: 'Row',
    width: 'minmax(72px, 1fr)',
    cell: ({ row_id }) => <RowButton onClick={() => open(row_id)}>{row_id}</RowButton>,
  },
  { key: 'status', title: 'Result', width: '112px', cell: (result) => <Status {...statusOf(result)} /> },
  { key: 'score', title: 'Score', width: '104px', cell: ({ score }) => <ScoreBar score={score} /> },
  {
    key: 'expected',
    title: 'Expected',
    width: 'minmax(72px, 2fr)',
    wideOnly: true,
    cell: ({ expected }) => <code className={styles.value}>{expected === undefined ? '' : shortJson(expected)}</code>,
  },
  {
    key: 'output',
    title: 'Output',
    width: 'minmax(72px, 2fr)',
    wideOnly: true,
    cell: ({ output, state }) => <code className={styles.value}>{state === 'done' ? shortJson(output) : ''}</code>,
  },
  {
    key: 'duration',
    title: 'Duration',
    width: '72px',
    align: 'end',
    wideOnly: true,
    cell: ({ duration_ms }) => (
      <span className="cell-muted">{duration_ms === null ? '' : formatDuration(duration_ms)}</span>
    ),
  },
];

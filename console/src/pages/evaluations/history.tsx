import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { EvaluationRow } from '../../api/client';
import { formatScore } from '../../model/evaluations';
import { formatInstant } from '../../model/format';
import { Card, classes } from '../../ui';
import { historyQuery } from './queries';
import styles from './evaluations.module.css';

const VIEW = { width: 960, height: 120, pad: 8 } as const;

/** The scores of the last evaluations of a workflow, the oldest at the left. */
export function History({ workflow }: { readonly workflow: string }) {
  const { data } = useQuery(historyQuery(workflow));
  const navigate = useNavigate();
  const rows = (data?.data ?? []).filter(({ summary }) => summary.score !== null).toReversed();
  if (rows.length < 2) return null;
  const placed = rows.map((row, index) => ({ row, x: xOf(index, rows.length), y: yOf(row.summary.score ?? 0) }));
  return (
    <Card title="Scores" description={`The last ${rows.length} evaluations of ${rows.at(-1)?.workflow_name}.`}>
      <div className={styles.history}>
        <svg
          viewBox={`0 0 ${VIEW.width} ${VIEW.height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`Scores from ${formatScore(rows[0]?.summary.score ?? null)} to ${formatScore(rows.at(-1)?.summary.score ?? null)}`}
        >
          {[0, 0.5, 1].map((share) => (
            <line key={share} className={styles.grid} x1={0} x2={VIEW.width} y1={yOf(share)} y2={yOf(share)} />
          ))}
          <polyline className={styles.line} points={placed.map(({ x, y }) => `${x},${y}`).join(' ')} />
          {placed.map(({ row, x, y }) => (
            <g
              key={row.id}
              className={styles.point}
              onClick={() => void navigate({ to: '/evaluations/$id', params: { id: row.id } })}
            >
              <title>{titleOf(row)}</title>
              <line className={styles.hit} x1={x} x2={x} y1={0} y2={VIEW.height} />
              <line
                className={classes(styles.dot, row.passed === false && styles.dotFailed)}
                x1={x}
                x2={x}
                y1={y}
                y2={y}
              />
            </g>
          ))}
        </svg>
        <span className={styles.top}>100%</span>
        <span className={styles.bottom}>0%</span>
      </div>
    </Card>
  );
}

const xOf = (index: number, count: number): number =>
  VIEW.pad + (index / Math.max(1, count - 1)) * (VIEW.width - 2 * VIEW.pad);
const yOf = (score: number): number => VIEW.pad + (1 - score) * (VIEW.height - 2 * VIEW.pad);

const titleOf = ({ name, summary, created_at }: EvaluationRow): string =>
  `${name}: ${formatScore(summary.score)}, ${formatInstant(Date.parse(created_at))}`;

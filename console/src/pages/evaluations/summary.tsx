import type { EvaluationDetail, EvaluationSummary, GateResult } from '../../api/client';
import { formatScore } from '../../model/evaluations';
import { formatCount } from '../../model/format';
import { Badge, Card, type Column, ShortTable } from '../../ui';
import { ScoreBar } from './score';
import styles from './evaluations.module.css';

type Metric = EvaluationSummary['metrics'][number];

/** The metrics over all rows, and the gates. */
export function Summary({ evaluation }: { readonly evaluation: EvaluationDetail }) {
  const { gates, summary } = evaluation;
  return (
    <div className={styles.columns}>
      <Card title="Metrics" flush>
        <ShortTable label="Metrics" columns={METRICS} rows={summary.metrics} rowKey={({ name }) => name} />
      </Card>
      {gates.length > 0 && (
        <Card title="Gates">
          <ul className={styles.gates}>
            {gates.map((gate) => (
              <li key={gate.gate}>
                <Gate gate={gate} />
              </li>
            ))}
          </ul>
        </Card>
      )}
    </div>
  );
}

const METRICS: readonly Column<Metric>[] = [
  {
    key: 'name',
    title: 'Metric',
    width: 'minmax(96px, 1.4fr)',
    cell: ({ name, type }) => (
      <span className={styles.name}>
        {name} {type !== name && <span className="cell-muted">{type}</span>}
      </span>
    ),
  },
  { key: 'mean', title: 'Mean score', width: 'minmax(112px, 1fr)', cell: ({ mean }) => <ScoreBar score={mean} /> },
  { key: 'passed', title: 'Passed', width: '72px', align: 'end', cell: ({ pass_rate }) => formatScore(pass_rate) },
  {
    key: 'errors',
    title: 'Errors',
    width: '64px',
    align: 'end',
    wideOnly: true,
    cell: ({ errors }) => (errors === 0 ? <span className="cell-muted">0</span> : formatCount(errors)),
  },
];

function Gate({ gate: { gate, value, passed } }: { readonly gate: GateResult }) {
  const look =
    passed === null
      ? ({ tone: 'neutral', label: 'Open' } as const)
      : passed
        ? ({ tone: 'ok', label: 'Passed' } as const)
        : ({ tone: 'danger', label: 'Failed' } as const);
  return (
    <>
      <Badge tone={look.tone}>{look.label}</Badge>
      <code>{gate}</code>
      <span className="cell-muted">{value === null ? 'no value' : `is ${Number(value.toFixed(4))}`}</span>
    </>
  );
}

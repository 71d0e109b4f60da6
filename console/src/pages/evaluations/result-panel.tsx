import type { EvaluationResult } from '../../api/client';
import { formatScore } from '../../model/evaluations';
import { formatCount, formatDuration, formatUsd } from '../../model/format';
import { Badge, JsonView, KeyValues, LinkButton, Notice, SidePanel, Status } from '../../ui';
import { RunsIcon } from '../../ui/icon';
import { statusOf } from './result-columns';
import styles from './evaluations.module.css';

/** A row of an evaluation: what was expected beside what came out, and what each metric says. */
export function ResultPanel({ result, onClose }: { readonly result: EvaluationResult; readonly onClose: () => void }) {
  const { execution_id, expected, input, output, output_truncated, metrics, run_error } = result;
  return (
    <SidePanel title={`Row ${result.row_id}`} aside={<Status {...statusOf(result)} />} onClose={onClose}>
      {run_error !== null && <Notice tone="danger">{run_error}</Notice>}
      <KeyValues
        rows={[
          ['Score', formatScore(result.score)],
          ['Duration', result.duration_ms === null ? null : formatDuration(result.duration_ms)],
          ['Tokens', result.tokens === 0 ? null : formatCount(result.tokens)],
          ['Cost', result.cost_usd === 0 ? null : formatUsd(result.cost_usd)],
          ['Tags', result.tags.length === 0 ? null : result.tags.join(', ')],
          ['Attempt', result.attempt === 1 ? null : formatCount(result.attempt)],
        ]}
      />
      {execution_id !== null && (
        <div>
          <LinkButton icon={RunsIcon} to="/runs/$id" params={{ id: execution_id }}>
            Open the run
          </LinkButton>
        </div>
      )}
      {metrics.length > 0 && (
        <section className={styles.part}>
          <h3>Metrics</h3>
          <ul className={styles.metricResults}>
            {metrics.map(({ name, score, passed, error, reason }) => (
              <li key={name}>
                <span className={styles.metricHead}>
                  <Badge tone={error !== null ? 'danger' : passed ? 'ok' : 'warn'}>{formatScore(score)}</Badge>
                  {name}
                </span>
                {(error ?? reason) !== null && <p className={styles.reason}>{error ?? reason}</p>}
              </li>
            ))}
          </ul>
        </section>
      )}
      <div className={styles.sides}>
        <section className={styles.part}>
          <h3>Expected</h3>
          {expected === undefined ? (
            <p className="cell-muted">Nothing</p>
          ) : (
            <JsonView value={expected} label="Expected" />
          )}
        </section>
        <section className={styles.part}>
          <h3>Output</h3>
          <JsonView value={output} label="Output" />
          {output_truncated && <p className="cell-muted">The beginning alone; the run has all of it.</p>}
        </section>
      </div>
      <section className={styles.part}>
        <h3>Input</h3>
        <JsonView value={input} label="Input" />
      </section>
    </SidePanel>
  );
}

import type { ReactNode } from 'react';
import type { ComparedSide, ComparedStep } from '../../api/client';
import { formatCount, formatDuration, formatUsd } from '../../model/format';
import { loopText } from '../../model/loop-path';
import { changeText, differenceText } from '../../model/run-comparison';
import { LinkButton, SidePanel, Status } from '../../ui';
import { ComparedValueView } from './compared-value';
import styles from './run-compare.module.css';

interface StepComparisonProps {
  readonly step: ComparedStep;
  /** The ids of the runs. */
  readonly runs: readonly [a: string, b: string];
  readonly onClose: () => void;
}

/** One step in both runs: state, error, and where input and output differ. */
export function StepComparison({ step, runs, onClose }: StepComparisonProps) {
  return (
    <SidePanel title={step.step_id} onClose={onClose}>
      <p className="cell-muted">{`${step.type} · ${differenceText(step)}`}</p>
      <div className={styles.sides}>
        <Side letter="A" run={runs[0]} path={step.path} side={step.a} change={null} />
        <Side
          letter="B"
          run={runs[1]}
          path={step.path}
          side={step.b}
          change={changeText(step.a?.duration_ms ?? null, step.b?.duration_ms ?? null)}
        />
      </div>
      {step.result === 'different' || step.result === 'same' ? (
        <>
          <Part title="Input">
            <ComparedValueView value={step.input} />
          </Part>
          <Part title="Output">
            <ComparedValueView value={step.output} />
          </Part>
        </>
      ) : null}
    </SidePanel>
  );
}

const Part = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section className={styles.part}>
    <h3>{title}</h3>
    {children}
  </section>
);

interface SideProps {
  readonly letter: string;
  readonly run: string;
  readonly path: string;
  readonly side: ComparedSide | null;
  readonly change: string | null;
}

function Side({ letter, run, path, side, change }: SideProps) {
  return (
    <section className={styles.side} aria-label={`Run ${letter}`}>
      <h3>
        <span className={styles.letter}>{letter}</span>
        {side === null ? <span className="cell-muted">Did not begin</span> : <Status status={side.status} />}
      </h3>
      {side !== null && (
        <>
          <ul>
            {textsOf(side, change).map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
          {side.error !== null && <p className={styles.error}>{side.error.message}</p>}
          <div>
            <LinkButton size="small" to="/runs/$id" params={{ id: run }} search={{ step: path }}>
              Open in the run
            </LinkButton>
          </div>
        </>
      )}
    </section>
  );
}

function textsOf(side: ComparedSide, change: string | null): string[] {
  const { duration_ms: ms, attempts, input_tokens: input, output_tokens: output, cost_usd: cost, loop } = side;
  return [
    ...(ms === null ? [] : [`${formatDuration(ms)}${change === null ? '' : ` (${change})`}`]),
    ...(attempts > 1 ? [`${formatCount(attempts)} attempts`] : []),
    ...(loop === undefined ? [] : [loopText(loop)]),
    ...(input === null && output === null ? [] : [`${formatCount((input ?? 0) + (output ?? 0))} tokens`]),
    ...(cost === null ? [] : [formatUsd(cost)]),
  ];
}

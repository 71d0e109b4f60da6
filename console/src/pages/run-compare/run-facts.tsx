import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ComparedRun } from '../../api/client';
import { formatCount, formatDuration, formatUsd } from '../../model/format';
import { changeText } from '../../model/run-comparison';
import { RelativeTime, Status } from '../../ui';
import styles from './run-compare.module.css';

interface Fact {
  readonly name: string;
  readonly of: (run: ComparedRun) => ReactNode;
  /** By how much B differs. */
  readonly change?: (a: ComparedRun, b: ComparedRun) => string | null;
  /** Left out where neither run has it. */
  readonly has?: (run: ComparedRun) => boolean;
}

const MAX_ERROR_CHARS = 300;

const FACTS: readonly Fact[] = [
  { name: 'Status', of: ({ status }) => <Status status={status} /> },
  { name: 'Started', of: ({ started_at: at }) => <RelativeTime at={at} /> },
  { name: 'Trigger', of: ({ trigger_type: type }) => type },
  {
    name: 'Duration',
    of: ({ duration_ms: ms }) => (ms === null ? 'Not ended' : formatDuration(ms)),
    change: (a, b) => changeText(a.duration_ms, b.duration_ms),
  },
  {
    name: 'Steps',
    of: (run) => (run.ended_at === null ? 'Not ended' : formatCount(run.steps)),
    change: (a, b) => (a.ended_at === null || b.ended_at === null ? null : changeText(a.steps, b.steps, formatCount)),
  },
  {
    name: 'Tokens',
    of: ({ tokens }) => formatCount(tokens),
    change: (a, b) => changeText(a.tokens, b.tokens, formatCount),
    has: ({ tokens }) => tokens > 0,
  },
  {
    name: 'Cost',
    of: ({ cost_usd: cost }) => formatUsd(cost),
    change: (a, b) => changeText(a.cost_usd, b.cost_usd, formatUsd),
    has: ({ cost_usd: cost }) => cost > 0,
  },
  {
    name: 'Error',
    of: ({ error }) => error?.message.slice(0, MAX_ERROR_CHARS) ?? 'None',
    has: ({ error }) => error !== null,
  },
];

/** Both runs side by side. */
export function RunFacts({ a, b }: { readonly a: ComparedRun; readonly b: ComparedRun }) {
  return (
    <table className={styles.facts}>
      <caption className="visually-hidden">The two runs</caption>
      <thead>
        <tr>
          <td />
          {[a, b].map((run, side) => (
            <th key={side} scope="col">
              <span className={styles.letter}>{side === 0 ? 'A' : 'B'}</span>
              <Link to="/runs/$id" params={{ id: run.id }} title={run.id}>
                {run.workflow_name}
              </Link>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {FACTS.filter(({ has }) => has === undefined || has(a) || has(b)).map(({ name, of, change }) => {
          const more = change?.(a, b) ?? null;
          return (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{of(a)}</td>
              <td>
                {of(b)} {more !== null && <span className={styles.change}>{more}</span>}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useEffect, useReducer } from 'react';
import { formatDuration } from '../../model/format';
import { loopText } from '../../model/loop-path';
import { type Bar, type PauseBar, pauseBars, ticksOf, type TimelineRow, timelineRows } from '../../model/run-timeline';
import { waitSentence } from '../../model/waiting';
import { Card, classes, EmptyState, IconButton, Loaded, ROW_PX, Skeleton, useVirtualRows } from '../../ui';
import { ChevronRightIcon, ClockIcon } from '../../ui/icon';
import { LoopBar } from './loop-bar';
import { pausesQuery, timelineList } from './queries';
import type { StepListProps } from './step-list';
import styles from './run.module.css';
import { useWindows } from './windows';

/** What goes on grows while it is looked at. */
const GROW_MS = 500;

/** Each step as a row of bars: work, waits and pauses before another attempt. Loops are one row until they are opened. */
export function TimelineTab({ run, selected, filter, onOpenStep, onFilter }: StepListProps) {
  const list = useWindows(timelineList(run.id, filter));
  const { body, placed, height } = useVirtualRows(list.total, list.onRange);
  const now = useNow(run.ended_at === null);
  const from = Date.parse(run.started_at);
  const to = run.ended_at === null ? now : Date.parse(run.ended_at);
  const loop = filter.parent;
  const pauses = pauseBars(useQuery(pausesQuery(run.id)).data ?? [], { from, to }, now);
  const rowAt = (index: number): TimelineRow | undefined => timelineRows(list.rowAt(index) ?? [], { from, to }, now)[0];
  return (
    <Card flush>
      {loop !== undefined && <LoopBar run={run} loop={loop} status={filter.status} onFilter={onFilter} />}
      <Axis lengthMs={Math.max(1, to - from)} />
      <div ref={body} className={styles.rows} style={{ height }}>
        <ol aria-label="Steps over time" aria-busy={list.first.isPending}>
          {placed.map(({ index, start }) => (
            <li key={index} className={styles.row} style={{ height: ROW_PX, transform: `translateY(${start}px)` }}>
              <Row
                row={rowAt(index)}
                pauses={pauses}
                selected={selected}
                inLoop={loop !== undefined}
                now={now}
                onOpen={onOpenStep}
                onOpenLoop={(parent) => onFilter({ parent })}
              />
            </li>
          ))}
        </ol>
      </div>
      <Loaded query={list.first}>
        {({ total }) =>
          total === 0 && (
            <EmptyState icon={ClockIcon} title={loop === undefined ? 'No step has begun' : 'No such step'}>
              Steps appear here as they run.
            </EmptyState>
          )
        }
      </Loaded>
    </Card>
  );
}

/** The current time, renewed while something goes on. */
function useNow(moving: boolean): number {
  const [, renew] = useReducer((round: number) => round + 1, 0);
  useEffect(() => {
    if (!moving) return;
    const timer = setInterval(renew, GROW_MS);
    return () => clearInterval(timer);
  }, [moving]);
  return Date.now();
}

function Axis({ lengthMs }: { readonly lengthMs: number }) {
  return (
    <div className={styles.axis} aria-hidden="true">
      <span />
      <div className={styles.track}>
        {ticksOf(lengthMs, 5).map((tick) => (
          <span key={tick} className={styles.tick} style={{ left: `${(tick / lengthMs) * 100}%` }}>
            {tick === 0 ? '0' : formatDuration(tick)}
          </span>
        ))}
      </div>
      <span />
    </div>
  );
}

interface RowProps {
  /** Undefined until it is loaded. */
  readonly row: TimelineRow | undefined;
  /** Of the whole run. */
  readonly pauses: readonly PauseBar[];
  readonly selected: string | undefined;
  readonly inLoop: boolean;
  readonly now: number;
  readonly onOpen: (path: string) => void;
  readonly onOpenLoop: (path: string) => void;
}

function Row({ row, pauses, selected, inLoop, now, onOpen, onOpenLoop }: RowProps) {
  if (row === undefined) return <Skeleton width="40%" className={styles.loadingRow} />;
  const duration = formatDuration((row.endedAt ?? now) - row.startedAt);
  const attempts = row.bars.at(-1)?.span.attempt ?? 1;
  const { loop } = row;
  return (
    <div className={styles.rowLine} aria-current={row.path === selected || undefined}>
      <button type="button" className={styles.rowButton} onClick={() => onOpen(row.path)}>
        <span className={styles.name} style={{ paddingLeft: inLoop ? 0 : row.depth * 16 }}>
          <span className={styles.stepId}>{row.address}</span>
          <span className={styles.type}>{loop === undefined ? row.type : loopText(loop)}</span>
        </span>
        <span className={styles.track} aria-hidden="true">
          {pauses.map(({ left, width, pause }) => (
            <span
              key={pause.started_at}
              className={styles.paused}
              style={{ left: `${left}%`, width: `${width}%` }}
              title={waitSentence({ kind: 'paused', step_id: null, name: null, until: null, ...pause })}
            />
          ))}
          {row.bars.map((bar) => (
            <span
              key={`${bar.span.started_at} ${bar.span.kind}`}
              className={classes(styles.bar, styles[barLook(bar)])}
              style={{ left: `${bar.left}%`, width: `${bar.width}%` }}
              title={barTitle(bar)}
            />
          ))}
        </span>
        <span className={styles.duration}>
          {attempts > 1 && <span className="cell-muted">{`${attempts} attempts · `}</span>}
          {duration}
        </span>
      </button>
      {loop !== undefined && (
        <IconButton
          icon={ChevronRightIcon}
          label={`Steps inside ${row.stepId}`}
          size="small"
          className={styles.openLoop}
          onClick={() => onOpenLoop(row.path)}
        />
      )}
    </div>
  );
}

function barLook({ span }: Bar): 'wait' | 'pause' | 'failed' | 'running' | 'neutral' | 'done' {
  if (span.kind !== 'run') return span.kind;
  if (span.ended_at === null) return 'running';
  if (span.outcome === 'failed') return 'failed';
  return span.outcome === 'cancelled' || span.outcome === 'interrupted' ? 'neutral' : 'done';
}

const KINDS = { run: 'Ran', wait: 'Waited', pause: 'Paused before the next attempt' } as const;

const barTitle = ({ span }: Bar): string =>
  [KINDS[span.kind], `attempt ${span.attempt}`, span.outcome].filter((part) => part !== null).join(', ');

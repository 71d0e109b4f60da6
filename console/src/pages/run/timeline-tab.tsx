import { useQuery } from '@tanstack/react-query';
import { useEffect, useReducer, useState } from 'react';
import type { ExecutionView } from '../../api/client';
import { formatDuration } from '../../model/format';
import { type Bar, ticksOf, type TimelineRow, timelineRows } from '../../model/run-timeline';
import { Button, Card, classes, EmptyState, Loaded, Notice } from '../../ui';
import { ClockIcon } from '../../ui/icon';
import { timelineQuery } from './queries';
import styles from './run.module.css';

const PAGE_ROWS = 200;
/** What goes on grows while it is looked at. */
const GROW_MS = 500;

interface TimelineTabProps {
  readonly run: ExecutionView;
  readonly selected: string | undefined;
  readonly onOpenStep: (path: string) => void;
}

/** Each step as a row of bars: work, waits and pauses before another attempt. */
export function TimelineTab({ run, selected, onOpenStep }: TimelineTabProps) {
  const timeline = useQuery(timelineQuery(run.id));
  const [max, setMax] = useState(PAGE_ROWS);
  const now = useNow(run.ended_at === null);
  return (
    <Card flush>
      <Loaded query={timeline}>
        {({ spans, truncated, started_at: startedAt, ended_at: endedAt }) => {
          if (spans.length === 0) {
            return (
              <EmptyState icon={ClockIcon} title="No step has begun">
                Steps appear here as they run.
              </EmptyState>
            );
          }
          const from = Date.parse(startedAt);
          const to = endedAt === null ? now : Date.parse(endedAt);
          const rows = timelineRows(spans, { from, to }, now);
          return (
            <>
              {truncated && (
                <Notice className={styles.inset}>
                  Only the first steps are drawn. The list of steps has all of them.
                </Notice>
              )}
              <Axis lengthMs={Math.max(1, to - from)} />
              <ol className={styles.rows} aria-label="Steps over time">
                {rows.slice(0, max).map((row) => (
                  <Row key={row.path} row={row} selected={row.path === selected} now={now} onOpen={onOpenStep} />
                ))}
              </ol>
              {rows.length > max && (
                <div className={styles.more}>
                  <Button size="small" onClick={() => setMax(max + PAGE_ROWS)}>
                    {`Show more (${rows.length - max} left)`}
                  </Button>
                </div>
              )}
            </>
          );
        }}
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
  readonly row: TimelineRow;
  readonly selected: boolean;
  readonly now: number;
  readonly onOpen: (path: string) => void;
}

function Row({ row, selected, now, onOpen }: RowProps) {
  const duration = formatDuration((row.endedAt ?? now) - row.startedAt);
  const attempts = row.bars.at(-1)?.span.attempt ?? 1;
  return (
    <li className={styles.row} aria-current={selected || undefined}>
      <button type="button" className={styles.rowButton} onClick={() => onOpen(row.path)}>
        <span className={styles.name} style={{ paddingLeft: row.depth * 16 }}>
          <span className={styles.stepId}>{row.address}</span>
          <span className={styles.type}>{row.type}</span>
        </span>
        <span className={styles.track} aria-hidden="true">
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
    </li>
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

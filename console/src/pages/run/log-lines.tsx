import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { RunLogLine } from '../../api/client';
import { formatClock } from '../../model/format';
import { Button, classes, EmptyState, Loaded } from '../../ui';
import { LogIcon } from '../../ui/icon';
import { logsQuery } from './queries';
import styles from './run.module.css';

interface LogLinesProps {
  readonly runId: string;
  /** Of one step alone. */
  readonly path?: string;
  readonly onOpenStep?: (path: string) => void;
}

/** Log lines in the order in which they were written. */
export function LogLines({ runId, path, onOpenStep }: LogLinesProps) {
  const logs = useInfiniteQuery(logsQuery(runId, path));
  return (
    <Loaded query={logs}>
      {({ pages }) => {
        const lines = pages.flatMap(({ data }) => data);
        if (lines.length === 0)
          return (
            <EmptyState icon={LogIcon} title="No log lines">
              What a code step writes with console.log is kept here, and warnings of other steps.
            </EmptyState>
          );
        return (
          <>
            <ol className={styles.log} aria-label="Log lines">
              {lines.map((line) => (
                <Line key={line.position} line={line} onOpenStep={onOpenStep} />
              ))}
            </ol>
            {logs.hasNextPage && (
              <div className={styles.more}>
                <Button size="small" busy={logs.isFetchingNextPage} onClick={() => void logs.fetchNextPage()}>
                  Show more
                </Button>
              </div>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

function Line({ line, onOpenStep }: { line: RunLogLine; onOpenStep: ((path: string) => void) | undefined }): ReactNode {
  const name = line.iteration === null ? line.step_id : `${line.step_id} · ${line.iteration}`;
  return (
    <li className={classes(styles.logLine, styles[`level-${line.level}`])}>
      <time dateTime={line.at}>{formatClock(Date.parse(line.at))}</time>
      <span className={styles.level}>{line.level}</span>
      {onOpenStep !== undefined && (
        <button type="button" className={styles.trailLink} onClick={() => onOpenStep(line.path)}>
          {name}
        </button>
      )}
      {line.attempt > 1 && <span className={styles.attempt}>{`attempt ${line.attempt}`}</span>}
      <span className={styles.message}>
        {line.message}
        {line.data !== undefined && ` ${JSON.stringify(line.data)}`}
      </span>
    </li>
  );
}

import { useQuery } from '@tanstack/react-query';
import type { ScheduleRow } from '../../api/client';
import { formatClock, formatCount } from '../../model/format';
import { dayLane, hourMarks } from '../../model/schedules';
import { Card } from '../../ui';
import { dayQuery, LANE_TIMES, MAX_LANES } from './queries';
import styles from './schedules.module.css';

/** Width of the drawing; it is stretched to its place. */
const VIEW = 1_000;

/** The next 24 hours: a lane for each of the schedules that start next, with a mark for each start. */
export function DayStrip({ onOpen }: { readonly onOpen: (id: string) => void }) {
  const { data } = useQuery(dayQuery);
  const now = Date.now();
  const rows = (data?.data ?? []).filter((row) => dayLane(row.next_runs, now, LANE_TIMES).ticks.length > 0);
  if (rows.length === 0) return null;
  const marks = hourMarks(now, 3);
  return (
    <Card
      title="Next 24 hours"
      description={data?.next_cursor ? `The ${formatCount(MAX_LANES)} schedules that start next.` : undefined}
    >
      <div className={styles.day}>
        <ul className={styles.lanes}>
          {rows.map((row) => (
            <li key={row.id} className={styles.lane}>
              <button type="button" className={styles.laneName} onClick={() => onOpen(row.id)}>
                {row.workflow_name}
              </button>
              <Lane row={row} now={now} marks={marks} />
            </li>
          ))}
        </ul>
        <div className={styles.axis} aria-hidden="true">
          {marks.map(({ at, place }) => (
            <span key={at} style={{ left: `${place * 100}%` }}>
              {formatClock(at).slice(0, 5)}
            </span>
          ))}
        </div>
      </div>
    </Card>
  );
}

interface LaneProps {
  readonly row: ScheduleRow;
  readonly now: number;
  readonly marks: ReturnType<typeof hourMarks>;
}

function Lane({ row, now, marks }: LaneProps) {
  const { ticks, moreFrom } = dayLane(row.next_runs, now, LANE_TIMES);
  return (
    <svg
      className={styles.marks}
      viewBox={`0 0 ${VIEW} 20`}
      preserveAspectRatio="none"
      role="img"
      aria-label={
        moreFrom === null
          ? `${formatCount(ticks.length)} starts in the next 24 hours`
          : `More than ${formatCount(ticks.length)} starts in the next 24 hours`
      }
    >
      {marks.map(({ at, place }) => (
        <line key={at} className={styles.hour} x1={place * VIEW} x2={place * VIEW} y1={0} y2={20} />
      ))}
      {moreFrom !== null && (
        <rect className={styles.more} x={moreFrom * VIEW} y={5} width={(1 - moreFrom) * VIEW} height={10} />
      )}
      {ticks.map((place) => (
        <line key={place} className={styles.tick} x1={place * VIEW} x2={place * VIEW} y1={3} y2={17} />
      ))}
    </svg>
  );
}

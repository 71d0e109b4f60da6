import { useQuery } from '@tanstack/react-query';
import type { ExecutionView, StepStatus } from '../../api/client';
import { formatCount } from '../../model/format';
import { loopText, loopTrail } from '../../model/loop-path';
import { statusLook } from '../../model/status';
import { classes } from '../../ui';
import { loopQuery, type StepFilter } from './queries';
import styles from './run.module.css';

const ORDER: readonly StepStatus[] = ['failed', 'running', 'waiting', 'retrying', 'completed', 'skipped', 'cancelled'];

interface LoopBarProps {
  readonly run: ExecutionView;
  /** The path of the open loop. */
  readonly loop: string;
  readonly status: StepStatus | undefined;
  readonly onFilter: (filter: StepFilter) => void;
}

/** Above the steps inside a loop: the way back, its progress, and a filter by status. */
export function LoopBar({ run, loop, status, onFilter }: LoopBarProps) {
  const step = useQuery(loopQuery(run.id, loop)).data;
  const trail = loopTrail(loop);
  const counts = step?.loop?.steps ?? {};
  return (
    <div className={styles.loopBar}>
      <nav aria-label="Loops" className={styles.trail}>
        <button type="button" className={styles.trailLink} onClick={() => onFilter({})}>
          All steps
        </button>
        {trail.map(({ path, label }, at) => (
          <span key={path} className={styles.trailPart}>
            <span aria-hidden="true">/</span>
            {at === trail.length - 1 ? (
              <strong aria-current="location">{label}</strong>
            ) : (
              <button type="button" className={styles.trailLink} onClick={() => onFilter({ parent: path })}>
                {label}
              </button>
            )}
          </span>
        ))}
        {step?.loop && <span className="cell-muted">{loopText(step.loop)}</span>}
      </nav>
      <div role="group" aria-label="Filter by status" className={styles.chips}>
        <Chip label="All" pressed={status === undefined} onClick={() => onFilter({ parent: loop })} />
        {ORDER.filter((each) => (counts[each] ?? 0) > 0 || each === status).map((each) => (
          <Chip
            key={each}
            label={`${statusLook(each).label} ${formatCount(counts[each] ?? 0)}`}
            pressed={status === each}
            onClick={() => onFilter({ parent: loop, status: each })}
          />
        ))}
      </div>
    </div>
  );
}

function Chip({ label, pressed, onClick }: { label: string; pressed: boolean; onClick: () => void }) {
  return (
    <button
      type="button"
      className={classes(styles.chip, pressed && styles.chipPressed)}
      aria-pressed={pressed}
      onClick={onClick}
    >
      {label}
    </button>
  );
}

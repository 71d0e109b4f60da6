import { useQuery } from '@tanstack/react-query';
import type { ExecutionView, StepStatus } from '../../api/client';
import { formatCount } from '../../model/format';
import { loopText } from '../../model/loop-path';
import { statusLook } from '../../model/status';
import { classes } from '../../ui';
import { LoopTrail } from './loop-trail';
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
  const counts = step?.loop?.steps ?? {};
  return (
    <div className={styles.loopBar}>
      <LoopTrail loop={loop} onOpen={(parent) => onFilter(parent === undefined ? {} : { parent })}>
        {step?.loop && <span className="cell-muted">{loopText(step.loop)}</span>}
      </LoopTrail>
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

import type { ReactNode } from 'react';
import { loopTrail } from '../../model/loop-path';
import styles from './run.module.css';

interface LoopTrailProps {
  /** The path of the open loop. */
  readonly loop: string;
  /** Without a path: the steps around loops. */
  readonly onOpen: (parent?: string) => void;
  /** After the trail. */
  readonly children?: ReactNode;
}

/** The loops around the listed steps, as the way back. */
export function LoopTrail({ loop, onOpen, children }: LoopTrailProps) {
  const trail = loopTrail(loop);
  return (
    <nav aria-label="Loops" className={styles.trail}>
      <button type="button" className={styles.trailLink} onClick={() => onOpen()}>
        All steps
      </button>
      {trail.map(({ path, label }, at) => (
        <span key={path} className={styles.trailPart}>
          <span aria-hidden="true">/</span>
          {at === trail.length - 1 ? (
            <strong aria-current="location">{label}</strong>
          ) : (
            <button type="button" className={styles.trailLink} onClick={() => onOpen(path)}>
              {label}
            </button>
          )}
        </span>
      ))}
      {children}
    </nav>
  );
}

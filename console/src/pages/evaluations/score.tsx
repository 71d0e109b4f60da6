import { formatScore, toneOfScore } from '../../model/evaluations';
import styles from './evaluations.module.css';

/** A score as a bar with its percentage. */
export function ScoreBar({ score }: { readonly score: number | null }) {
  return (
    <span className={styles.score}>
      <svg className={styles.scoreTrack} viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect className={styles[toneOfScore(score)]} width={(score ?? 0) * 100} height={6} />
      </svg>
      <span className={styles.scoreText}>{formatScore(score)}</span>
    </span>
  );
}

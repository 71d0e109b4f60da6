import type { ReactNode } from 'react';
import { classes } from '../classes';
import styles from './canvas.module.css';

interface CardState {
  readonly selected?: boolean;
  /** Has the focus of the list box. */
  readonly active?: boolean;
  readonly faulty?: boolean;
}

/** The class of the element of a card. */
export const cardClass = ({ selected = false, active = false, faulty = false }: CardState): string =>
  classes(styles.card, selected && styles.selected, active && styles.active, faulty && styles.faulty);

interface NodeCardProps {
  readonly glyph: ReactNode;
  readonly name: string;
  readonly kind: ReactNode;
  readonly marks?: ReactNode;
}

/** What a card shows: the icon of its type, a name over a line about it, and marks at its end. */
export function NodeCard({ glyph, name, kind, marks }: NodeCardProps) {
  return (
    <>
      <span className={styles.glyph} aria-hidden="true">
        {glyph}
      </span>
      <span className={styles.texts}>
        <span className={styles.name}>{name}</span>
        <span className={styles.kind}>{kind}</span>
      </span>
      {marks !== undefined && <span className={styles.marks}>{marks}</span>}
    </>
  );
}

/** An id for `aria-activedescendant`. */
export const domId = (key: string): string => `step-${key.replaceAll(/[^\w]+/g, '-')}`;

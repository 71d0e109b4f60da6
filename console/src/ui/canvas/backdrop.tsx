import { memo, type ReactNode } from 'react';
import type { Layout } from '../../model/layout';
import { classes } from '../classes';
import styles from './canvas.module.css';

/** Frames of blocks, lines and headings, under the cards. */
export const Backdrop = memo(function Backdrop({ layout }: { readonly layout: Layout }): ReactNode {
  return (
    <>
      {layout.frames
        .toSorted((a, b) => a.depth - b.depth)
        .map(({ key, depth, x, y, width, height }) => (
          <div
            key={key}
            className={classes(styles.frame, depth % 2 === 1 && styles.frameOdd)}
            style={{ left: x, top: y, width, height }}
          />
        ))}
      <svg className={styles.lines} width={layout.width} height={layout.height} aria-hidden="true">
        {layout.edges.map(({ key, line }) => (
          <path key={key} d={line} />
        ))}
      </svg>
      {layout.lists.map(
        ({ key, label, x, y, width, height }) =>
          label !== '' && (
            <div key={key} className={styles.label} style={{ left: x, top: y, width, height }} title={label}>
              <span>{label}</span>
            </div>
          ),
      )}
    </>
  );
});

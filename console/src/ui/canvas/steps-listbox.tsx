import type { KeyboardEvent, ReactNode, RefObject } from 'react';
import { type Direction, stopToward } from '../../model/canvas-keys';
import type { Layout } from '../../model/layout';
import styles from './canvas.module.css';
import { domId } from './node-card';

const DIRECTIONS: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
};

interface StepsListboxProps {
  readonly element?: RefObject<HTMLDivElement | null>;
  readonly label: string;
  readonly layout: Layout;
  readonly active: string | undefined;
  readonly multiple?: boolean;
  /** An arrow key leads to another step. */
  readonly onMove: (key: string, event: KeyboardEvent) => void;
  /** Enter on the active step. */
  readonly onEnter: (key: string) => void;
  /** Any other key. */
  readonly onKey?: (event: KeyboardEvent) => void;
  readonly onFocus?: () => void;
  readonly children: ReactNode;
}

/** The steps as options of a list box: arrow keys go to the nearest in their direction. */
export function StepsListbox(props: StepsListboxProps) {
  const { element, label, layout, active, multiple, onMove, onEnter, onKey, onFocus, children } = props;
  const press = (event: KeyboardEvent): void => {
    const direction = DIRECTIONS[event.key];
    if (direction !== undefined && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      const next = stopToward(layout.stops, active, direction);
      if (next !== undefined) onMove(next, event);
      return;
    }
    if (event.key === 'Enter' && active !== undefined) {
      event.preventDefault();
      onEnter(active);
      return;
    }
    onKey?.(event);
  };
  return (
    <div
      ref={element}
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-multiselectable={multiple}
      aria-activedescendant={active === undefined ? undefined : domId(active)}
      className={styles.steps}
      onKeyDown={press}
      onFocus={onFocus}
    >
      {children}
    </div>
  );
}

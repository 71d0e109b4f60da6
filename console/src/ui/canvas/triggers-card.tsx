import type { Layout } from '../../model/layout';
import { classes } from '../classes';
import { TriggerIcon } from '../icon';
import styles from './canvas.module.css';
import { cardClass, NodeCard } from './node-card';

interface TriggersCardProps {
  readonly layout: Layout;
  readonly name: string;
  readonly kind: string;
  readonly onOpen: () => void;
}

/** Above the steps: what starts them. */
export function TriggersCard({ layout, name, kind, onOpen }: TriggersCardProps) {
  const { x, y, width, height } = layout.triggers;
  return (
    <button
      type="button"
      className={classes(cardClass({}), styles.trigger)}
      style={{ left: x, top: y, width, height }}
      onClick={onOpen}
    >
      <NodeCard glyph={<TriggerIcon size={18} />} name={name} kind={kind} />
    </button>
  );
}

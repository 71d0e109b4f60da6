import { memo, useState } from 'react';
import { type Path, pathText, type Target } from '../../model/document';
import type { Layout, LayoutList, LayoutSlot } from '../../model/layout';
import { classes } from '../../ui';
import { domId } from '../../ui/canvas/node-card';
import { PlusIcon } from '../../ui/icon';
import styles from './canvas.module.css';

interface EmptyPlaceProps {
  readonly list: LayoutList;
  readonly selected: boolean;
  readonly onAdd: (target: Target) => void;
}

/** The place of an empty list. */
export function EmptyPlace({ list: { key, list, label, empty, needsSteps }, selected, onAdd }: EmptyPlaceProps) {
  if (empty === null) return null;
  const { x, y, width, height } = empty;
  return (
    <div
      id={domId(key)}
      role="option"
      aria-selected={selected}
      className={classes(styles.empty, selected && styles.selected, needsSteps && styles.needed)}
      style={{ left: x, top: y, width, height }}
      onClick={() => onAdd({ list: list.path, index: 0 })}
    >
      <span>{label === '' ? 'Add the first step' : 'Add a step'}</span>
      <span className="visually-hidden">{label}</span>
    </div>
  );
}

interface SlotsProps {
  readonly layout: Layout;
  readonly adding: Target | null;
  readonly onAdd: (target: Target) => void;
  readonly onDrop: ((target: Target) => void) | null;
}

const sameSlot = (before: SlotProps, after: SlotProps): boolean =>
  before.slot.key === after.slot.key &&
  before.slot.x === after.slot.x &&
  before.slot.y === after.slot.y &&
  before.slot.empty === after.slot.empty &&
  before.open === after.open &&
  before.onAdd === after.onAdd &&
  before.onDrop === after.onDrop;

const sameTarget = (target: Target | null, list: Path, index: number): boolean =>
  target !== null && target.index === index && pathText(target.list) === pathText(list);

/** Buttons between the steps; while a step is dragged, places to drop it. */
export const Slots = memo(function Slots({ layout, adding, onAdd, onDrop }: SlotsProps) {
  return (
    <div className={styles.slots}>
      {layout.slots.map((slot) => (
        <Slot
          key={slot.key}
          slot={slot}
          open={sameTarget(adding, slot.list, slot.index)}
          onAdd={onAdd}
          onDrop={onDrop}
        />
      ))}
    </div>
  );
});

interface SlotProps {
  readonly slot: LayoutSlot;
  readonly open: boolean;
  readonly onAdd: (target: Target) => void;
  readonly onDrop: ((target: Target) => void) | null;
}

const Slot = memo(function Slot({ slot: { list, index, empty, x, y }, open, onAdd, onDrop }: SlotProps) {
  const [over, setOver] = useState(false);
  if (empty && onDrop === null) return null;
  const where = `${pathText(list)}, place ${index + 1}`;
  return (
    <button
      type="button"
      // The keyboard adds at the selected step, so that the many places are no stops of the Tab key.
      tabIndex={-1}
      className={classes(styles.slot, (open || (over && onDrop !== null)) && styles.slotOpen)}
      style={{ left: x, top: y }}
      aria-label={`Add a step to ${where}`}
      onClick={() => onAdd({ list, index })}
      onDragOver={(event) => {
        if (onDrop === null) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onDrop?.({ list, index });
      }}
    >
      <PlusIcon size={14} aria-hidden="true" />
    </button>
  );
}, sameSlot);

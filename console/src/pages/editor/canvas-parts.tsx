import { memo, type ReactNode, useState } from 'react';
import { type JsonObject, type Path, pathText, type Target } from '../../model/document';
import type { Layout, LayoutList, LayoutSlot } from '../../model/layout';
import { triggersOf, triggerTitle } from '../../model/trigger-form';
import { classes } from '../../ui';
import { PlusIcon, TriggerIcon } from '../../ui/icon';
import styles from './canvas.module.css';
import { domId } from './step-card';

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

interface TriggersProps {
  readonly layout: Layout;
  readonly document: JsonObject;
  readonly onOpen: () => void;
}

export function Triggers({ layout, document, onOpen }: TriggersProps) {
  const { x, y, width, height } = layout.triggers;
  const types = triggersOf(document).map(({ type }) => triggerTitle(type));
  return (
    <button
      type="button"
      className={classes(styles.card, styles.trigger)}
      style={{ left: x, top: y, width, height }}
      onClick={onOpen}
    >
      <span className={styles.glyph} aria-hidden="true">
        <TriggerIcon size={18} />
      </span>
      <span className={styles.texts}>
        <span className={styles.name}>{types.length > 1 ? 'Triggers' : 'Trigger'}</span>
        <span className={styles.kind}>{types.length === 0 ? 'None yet' : types.join(', ')}</span>
      </span>
    </button>
  );
}

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

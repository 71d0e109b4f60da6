import { memo, type MouseEvent } from 'react';
import type { NodeTypeRow } from '../../api/client';
import type { LayoutStep } from '../../model/layout';
import type { Tone } from '../../model/status';
import type { StepChange } from '../../model/step-changes';
import { Badge, StatusIcon } from '../../ui';
import { cardClass, domId, NodeCard } from '../../ui/canvas/node-card';
import { TypeIcon } from '../../ui/canvas/type-icon';
import { AlertIcon, PinIcon, RetryIcon, WarningIcon } from '../../ui/icon';
import styles from './canvas.module.css';

interface StepCardProps {
  readonly item: LayoutStep;
  readonly type: NodeTypeRow | undefined;
  readonly selected: boolean;
  readonly active: boolean;
  readonly errors: number;
  readonly warnings: number;
  readonly status: string | undefined;
  /** Against the document that this one is compared with. */
  readonly change: StepChange | undefined;
  /** Among all that the arrow keys reach, of which only those in sight are drawn. */
  readonly position: number;
  readonly count: number;
  readonly onSelect: (key: string, event: MouseEvent) => void;
  readonly onDrag: (key: string | null) => void;
}

const CHANGES: Readonly<Record<StepChange, { readonly label: string; readonly tone: Tone }>> = {
  added: { label: 'Added', tone: 'ok' },
  changed: { label: 'Changed', tone: 'warn' },
  moved: { label: 'Moved', tone: 'info' },
};

/** The card of a step. Drawn again only when something of it has changed. */
export const StepCard = memo(
  function StepCard({
    item,
    type,
    selected,
    active,
    errors,
    warnings,
    status,
    change,
    position,
    count,
    onSelect,
    onDrag,
  }: StepCardProps) {
    const { key, step, x, y, width, height } = item;
    const id = typeof step.id === 'string' ? step.id : '';
    const name = typeof step.name === 'string' && step.name !== '' ? step.name : id;
    const kind = type?.title ?? (typeof step.type === 'string' ? step.type : 'No type');
    return (
      <div
        id={domId(key)}
        role="option"
        aria-selected={selected}
        aria-posinset={position}
        aria-setsize={count}
        data-key={key}
        className={cardClass({ selected, active, faulty: errors > 0 })}
        data-tone={change && CHANGES[change].tone}
        style={{ left: x, top: y, width, height }}
        draggable
        onDragStart={(event) => {
          event.dataTransfer.effectAllowed = 'move';
          event.dataTransfer.setData('text/plain', id);
          onDrag(key);
        }}
        onDragEnd={() => onDrag(null)}
        onClick={(event) => onSelect(key, event)}
      >
        <NodeCard
          glyph={<TypeIcon row={type} type={step.type} />}
          name={name === '' ? 'Step without an id' : name}
          kind={name === id || id === '' ? kind : `${kind} · ${id}`}
          marks={
            <>
              {change && <Badge tone={CHANGES[change].tone}>{CHANGES[change].label}</Badge>}
              {step.retry !== undefined && <RetryIcon size={14} aria-label="is retried" />}
              {step.pin !== undefined && <PinIcon size={14} aria-label="has a pinned output" />}
              {warnings > 0 && <WarningIcon size={16} className={styles.warn} aria-label="has a warning" />}
              {errors > 0 && <AlertIcon size={16} className={styles.danger} aria-label="has a problem" />}
              {status !== undefined && <StatusIcon status={status} />}
            </>
          }
        />
      </div>
    );
  },
  (before, after) =>
    before.item.step === after.item.step &&
    before.item.key === after.item.key &&
    before.item.x === after.item.x &&
    before.item.y === after.item.y &&
    before.type === after.type &&
    before.selected === after.selected &&
    before.active === after.active &&
    before.errors === after.errors &&
    before.warnings === after.warnings &&
    before.status === after.status &&
    before.change === after.change &&
    before.position === after.position &&
    before.count === after.count &&
    before.onSelect === after.onSelect &&
    before.onDrag === after.onDrag,
);

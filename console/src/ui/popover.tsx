import { type ButtonHTMLAttributes, type ReactNode, useContext, useId, useRef, useState } from 'react';
import { classes } from './classes';
import type { Icon } from './icon';
import { MayEdit } from './may-edit';
import './popover.css';

/** Pixels between a popover and what it belongs to, and to the edges of the window. */
const GAP_PX = 4;
const MARGIN_PX = 8;

interface PopoverProps {
  /** Renders the button that opens it, with the given attributes. */
  readonly trigger: (props: ButtonHTMLAttributes<HTMLButtonElement>) => ReactNode;
  readonly label: string;
  readonly align?: 'start' | 'end';
  readonly className?: string;
  readonly children: (close: () => void) => ReactNode;
}

/** A small surface above the page. Escape and a click outside close it; the focus goes back to the button. */
export function Popover({ trigger, label, align = 'start', className, children }: PopoverProps) {
  const id = useId();
  const anchor = useRef<HTMLSpanElement>(null);
  const surface = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  return (
    <span className="popover-anchor" ref={anchor}>
      {trigger({ popoverTarget: id, 'aria-expanded': open })}
      <div
        ref={surface}
        id={id}
        popover="auto"
        role="group"
        aria-label={label}
        className={classes('popover', className)}
        onBeforeToggle={(event) => {
          if (event.newState === 'open') setOpen(true);
        }}
        onToggle={(event) => {
          const opened = event.newState === 'open';
          setOpen(opened);
          if (opened) place(anchor.current, surface.current, align);
        }}
      >
        {open && children(() => surface.current?.hidePopover())}
      </div>
    </span>
  );
}

/** Below its button where there is room, else above it, and within the window. */
function place(anchor: HTMLElement | null, surface: HTMLElement | null, align: 'start' | 'end'): void {
  if (anchor === null || surface === null) return;
  const at = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = surface;
  const below = at.bottom + GAP_PX + height <= window.innerHeight - MARGIN_PX || at.top < height;
  const left = align === 'start' ? at.left : at.right - width;
  surface.style.top = `${below ? at.bottom + GAP_PX : at.top - GAP_PX - height}px`;
  surface.style.left = `${Math.max(MARGIN_PX, Math.min(left, window.innerWidth - width - MARGIN_PX))}px`;
}

interface Action {
  readonly label: string;
  readonly icon?: Icon;
  readonly onSelect: () => void;
  readonly danger?: boolean;
  readonly hint?: string;
  readonly disabled?: boolean;
  /** Changes the workspace; not shown to viewers. */
  readonly edits?: boolean;
}

interface ActionListProps {
  readonly actions: readonly Action[];
  readonly close: () => void;
}

/** The actions of a thing, in a popover. Arrow keys move between them. */
export function ActionList({ actions, close }: ActionListProps) {
  const mayEdit = useContext(MayEdit);
  const shown = actions.filter(({ edits = false }) => mayEdit || !edits);
  return (
    <ul className="action-list" onKeyDown={moveFocus}>
      {shown.map(({ label, icon: Glyph, onSelect, danger = false, hint, disabled = false }, index) => (
        <li key={label}>
          <button
            type="button"
            className={classes('action', danger && 'action-danger')}
            disabled={disabled}
            autoFocus={index === 0}
            onClick={() => {
              close();
              onSelect();
            }}
          >
            {Glyph && <Glyph size={16} aria-hidden="true" />}
            <span className="action-label">{label}</span>
            {hint && <span className="action-hint">{hint}</span>}
          </button>
        </li>
      ))}
    </ul>
  );
}

function moveFocus(event: React.KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const buttons = [...event.currentTarget.querySelectorAll<HTMLButtonElement>('button:not(:disabled)')];
  const at = buttons.findIndex((button) => button === document.activeElement);
  buttons[(at + step + buttons.length) % buttons.length]?.focus();
}

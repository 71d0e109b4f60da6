import { cloneElement, type HTMLAttributes, type ReactElement, useId, useRef } from 'react';
import './tooltip.css';

const GAP_PX = 6;

/** A short explanation of its child, on hover and on focus. Not for what has to be read to go on. */
export function Tooltip({
  text,
  children,
}: {
  readonly text: string;
  readonly children: ReactElement<HTMLAttributes<HTMLElement>>;
}) {
  const id = useId();
  const tip = useRef<HTMLSpanElement>(null);
  const show = (element: HTMLElement): void => {
    const surface = tip.current;
    if (surface === null) return;
    surface.showPopover();
    const at = element.getBoundingClientRect();
    const left = at.left + at.width / 2 - surface.offsetWidth / 2;
    const above = at.top - surface.offsetHeight - GAP_PX;
    surface.style.left = `${Math.max(GAP_PX, Math.min(left, window.innerWidth - surface.offsetWidth - GAP_PX))}px`;
    surface.style.top = `${above < 0 ? at.bottom + GAP_PX : above}px`;
  };
  const hide = (): void => tip.current?.hidePopover();
  return (
    <>
      {cloneElement(children, {
        'aria-describedby': id,
        onMouseEnter: (event) => show(event.currentTarget),
        onMouseLeave: hide,
        onFocus: (event) => show(event.currentTarget),
        onBlur: hide,
      })}
      <span ref={tip} id={id} role="tooltip" popover="manual" className="tooltip">
        {text}
      </span>
    </>
  );
}

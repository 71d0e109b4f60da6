import { type ReactNode, useEffect, useId, useRef } from 'react';
import { IconButton } from './button';
import { CloseIcon } from './icon';
import './panel.css';

interface PanelProps {
  readonly title: ReactNode;
  readonly onClose: () => void;
  /** Beside the title, such as a status. */
  readonly aside?: ReactNode;
  /** False where the focus stays where it is, such as in a list that is gone through by keys. */
  readonly takesFocus?: boolean;
  readonly children: ReactNode;
}

/** Details beside a list, at the right of the page; over the whole of a small screen. Escape closes it. */
export function SidePanel({ title, onClose, aside, takesFocus = true, children }: PanelProps) {
  const titleId = useId();
  const element = useRef<HTMLElement>(null);
  useEffect(() => {
    // A control of the content may have it already.
    if (takesFocus && element.current?.contains(document.activeElement) === false) element.current.focus();
  }, [takesFocus]);
  return (
    <section
      ref={element}
      className="panel"
      aria-labelledby={titleId}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.stopPropagation();
        onClose();
      }}
    >
      <header className="panel-header">
        <h2 id={titleId}>{title}</h2>
        {aside}
        <IconButton icon={CloseIcon} label="Close the panel" size="small" onClick={onClose} className="panel-close" />
      </header>
      <div className="panel-content">{children}</div>
    </section>
  );
}

/** A page with a side panel: `panel` is null while it is closed. */
export function WithPanel({ panel, children }: { readonly panel: ReactNode; readonly children: ReactNode }) {
  return (
    <div className="with-panel" data-open={panel !== null || undefined}>
      <div className="with-panel-main">{children}</div>
      {panel}
    </div>
  );
}

import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import './tabs.css';

interface Tab<K extends string> {
  readonly key: K;
  readonly label: string;
  readonly count?: number;
}

interface TabsProps<K extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<K>[];
  readonly active: K;
  /** Usually writes the tab into the address. */
  readonly onChange: (key: K) => void;
  /** The content of the active tab. */
  readonly children: ReactNode;
}

/** Tabs with arrow keys (WAI-ARIA). */
export function Tabs<K extends string>({ label, tabs, active, onChange, children }: TabsProps<K>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  // On a small screen the active tab may be outside the list, whose place on the page stays as it is.
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[aria-selected="true"]');
    if (!list.current || !tab) return;
    const { scrollLeft, clientWidth, offsetLeft } = list.current;
    const start = tab.offsetLeft - offsetLeft;
    if (start < scrollLeft || start + tab.offsetWidth > scrollLeft + clientWidth) list.current.scrollLeft = start;
  }, [active]);
  const move = (event: KeyboardEvent<HTMLElement>): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const at = tabs.findIndex(({ key }) => key === active);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    onChange(next.key);
    document.getElementById(`${id}-${next.key}`)?.focus();
  };
  return (
    <>
      <div ref={list} className="tabs" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(({ key, label: text, count }) => (
          <button
            key={key}
            id={`${id}-${key}`}
            type="button"
            role="tab"
            className="tab"
            aria-selected={key === active}
            aria-controls={`${id}-panel`}
            tabIndex={key === active ? 0 : -1}
            onClick={() => onChange(key)}
          >
            {text}
            {count !== undefined && <span className="tab-count">{count}</span>}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${active}`} className="tab-panel" tabIndex={-1}>
        {children}
      </div>
    </>
  );
}

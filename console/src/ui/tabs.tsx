import { type KeyboardEvent, type ReactNode, useId } from 'react';
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
      <div className="tabs" role="tablist" aria-label={label} onKeyDown={move}>
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

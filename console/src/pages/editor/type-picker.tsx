import { type KeyboardEvent, useDeferredValue, useMemo, useRef, useState } from 'react';
import type { NodeTypeRow } from '../../api/client';
import { findTypes } from '../../model/node-types';
import { EmptyState, SearchInput, SidePanel } from '../../ui';
import { SearchIcon } from '../../ui/icon';
import { useEditor } from './editor-context';
import styles from './editor.module.css';
import { TypeIcon } from '../../ui/canvas/type-icon';

interface TypePickerProps {
  readonly onPick: (type: string) => void;
  readonly onClose: () => void;
  /** What the panel is for. */
  readonly title: string;
}

/** All types of steps with a search; Enter takes the first. */
export function TypePicker({ onPick, onClose, title }: TypePickerProps) {
  const { nodeTypes } = useEditor();
  const [query, setQuery] = useState('');
  const shown = useDeferredValue(query);
  const groups = useMemo(() => findTypes(nodeTypes, shown), [nodeTypes, shown]);
  const list = useRef<HTMLDivElement>(null);
  const press = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.key === 'Enter' && event.target instanceof HTMLInputElement) {
      // The list may be behind what was typed.
      const first = findTypes(nodeTypes, query)[0]?.types[0];
      event.preventDefault();
      if (first !== undefined) onPick(first.type);
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])];
    const at = buttons.findIndex((button) => button === document.activeElement);
    if (at + step < 0) event.currentTarget.querySelector('input')?.focus();
    else buttons[Math.min(at + step, buttons.length - 1)]?.focus();
  };
  return (
    <SidePanel title={title} onClose={onClose}>
      <div className={styles.picker} onKeyDown={press}>
        <SearchInput
          label="Search the types of steps"
          autoFocus
          value={query}
          onChange={({ currentTarget: { value } }) => setQuery(value)}
        />
        <div ref={list} className={styles.types}>
          {groups.length === 0 && (
            <EmptyState icon={SearchIcon} title="No type matches">
              An HTTP request reaches any other service.
            </EmptyState>
          )}
          {groups.map(({ category, types }) => (
            <section key={category} aria-label={category}>
              <h3>{category}</h3>
              {types.map((type) => (
                <TypeRow key={type.type} type={type} onPick={onPick} />
              ))}
            </section>
          ))}
        </div>
      </div>
    </SidePanel>
  );
}

function TypeRow({ type, onPick }: { readonly type: NodeTypeRow; readonly onPick: (type: string) => void }) {
  return (
    <button type="button" className={styles.type} onClick={() => onPick(type.type)}>
      <TypeIcon row={type} type={type.type} />
      <span>
        <span className={styles.typeTitle}>
          {type.title} <code>{type.type}</code>
        </span>
        <span className={styles.typeText}>{type.description}</span>
      </span>
    </button>
  );
}

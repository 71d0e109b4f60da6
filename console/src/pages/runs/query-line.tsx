import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { complete, type Completions, completionsAt } from '../../model/run-query';
import { classes } from '../../ui';
import { SearchIcon } from '../../ui/icon';
import '../../ui/field.css';
import styles from './runs.module.css';

interface QueryLineProps {
  readonly value: string;
  /** Called with Enter, and when the line is cleared. */
  readonly onSubmit: (query: string) => void;
  readonly invalid: boolean;
  readonly describedBy?: string;
}

const NONE: Completions = { from: 0, to: 0, items: [] };

/** The list filter of the API as text, with completion of fields, comparisons and values (WAI-ARIA combobox). */
export function QueryLine({ value, onSubmit, invalid, describedBy }: QueryLineProps) {
  const listId = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  const [offered, setOffered] = useState(NONE);
  const [active, setActive] = useState(-1);
  useEffect(() => setText(value), [value]);

  const offer = (next: string, caret: number | null): void => {
    setOffered(completionsAt(next, caret ?? next.length));
    setActive(-1);
  };
  const close = (): void => setOffered(NONE);
  const take = (index: number): void => {
    const item = offered.items[index];
    if (item === undefined) return;
    const next = complete(text, offered, item);
    setText(next.text);
    offer(next.text, next.caret);
    requestAnimationFrame(() => input.current?.setSelectionRange(next.caret, next.caret));
  };
  const submit = (query: string): void => {
    close();
    onSubmit(query.trim());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const { length } = offered.items;
    if (event.key === 'Enter') {
      event.preventDefault();
      if (active >= 0) take(active);
      else submit(text);
    } else if (event.key === 'Tab' && active >= 0) {
      event.preventDefault();
      take(active);
    } else if (event.key === 'Escape' && length > 0) {
      event.preventDefault();
      close();
    } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && length > 0) {
      event.preventDefault();
      setActive((active + (event.key === 'ArrowDown' ? 1 : length - (active < 0 ? 0 : 1))) % length);
    }
  };
  return (
    <span className={classes('input-group', styles.line)}>
      <SearchIcon size={16} className="input-icon" aria-hidden="true" />
      <input
        ref={input}
        className="input input-search input-code"
        role="combobox"
        aria-label="Filter runs"
        aria-expanded={offered.items.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={active >= 0 ? `${listId}-${active}` : undefined}
        aria-invalid={invalid || undefined}
        aria-describedby={describedBy}
        placeholder='Filter, such as ExecutionStatus = "Failed" AND StartTime > now() - 1d'
        spellCheck={false}
        autoComplete="off"
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          offer(currentTarget.value, currentTarget.selectionStart);
        }}
        onFocus={({ currentTarget }) => offer(text, currentTarget.selectionStart)}
        onBlur={close}
        onKeyDown={onKeyDown}
      />
      <ul
        id={listId}
        role="listbox"
        aria-label="Completions"
        className={styles.offers}
        hidden={offered.items.length === 0}
      >
        {offered.items.map(({ label, hint }, index) => (
          <li
            key={label}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === active}
            className={styles.offer}
            onMouseDown={(event) => {
              event.preventDefault();
              take(index);
            }}
          >
            <code>{label}</code>
            {hint && <span>{hint}</span>}
          </li>
        ))}
      </ul>
    </span>
  );
}

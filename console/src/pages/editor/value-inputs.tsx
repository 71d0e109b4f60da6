import { useQuery } from '@tanstack/react-query';
import { type ChangeEvent, type FocusEvent, useCallback, useRef, useState } from 'react';
import { jsonText, looksUnfinished, parsedText } from '../../model/config-form';
import { fitsStep } from '../../model/connections';
import { isObject, type Path, valueAt } from '../../model/document';
import { documentOf } from '../../model/editor-state';
import { IconButton, Input, Select, Textarea } from '../../ui';
import { DeleteIcon, PlusIcon } from '../../ui/icon';
import { ConnectHere } from './connect-here';
import { useEditor } from './editor-context';
import styles from './editor.module.css';
import { rememberField } from './insert-value';
import { namesQuery } from './queries';

const onFocus = (event: FocusEvent<HTMLTextAreaElement | HTMLInputElement>): void => rememberField(event.currentTarget);

interface ValueInputProps {
  readonly value: unknown;
  readonly path: Path;
  readonly onChange: (value: unknown, path: Path) => void;
  readonly placeholder?: string;
  readonly rows?: number;
  readonly label?: string;
}

/** A text that may hold expressions. It grows with its lines. */
export function ExpressionInput({ value, path, onChange, placeholder, rows = 1, label }: ValueInputProps) {
  const text = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  const lines = Math.min(16, Math.max(rows, text.split('\n').length, Math.ceil(text.length / 48)));
  return (
    <Textarea
      code
      rows={lines}
      className={styles.expression}
      value={text}
      aria-label={label}
      placeholder={placeholder}
      spellCheck={false}
      onFocus={onFocus}
      onChange={({ currentTarget }: ChangeEvent<HTMLTextAreaElement>) =>
        onChange(currentTarget.value === '' ? undefined : currentTarget.value, path)
      }
    />
  );
}

/** A connection by its name, among those that the step's type accepts. */
export function ConnectionInput({ value, path, onChange }: ValueInputProps) {
  const { state, typeOf } = useEditor();
  const { data } = useQuery(namesQuery);
  const type = valueAt(documentOf(state), [...path.slice(0, -2), 'type']);
  // Triggers are no types of steps.
  const accepts = typeOf(type)?.connections ?? [String(type).split('.')[0] ?? ''];
  const fitting = (data?.connections ?? []).filter((each) => fitsStep(accepts, each));
  const text = typeof value === 'string' ? value : '';
  const known = text === '' || fitting.some(({ id, name }) => id === text || name === text);
  const none = accepts.includes('oauth') ? 'None' : 'The only one that fits';
  const latest = useRef({ path, onChange });
  latest.current = { path, onChange };
  const onConnected = useCallback((name: string) => latest.current.onChange(name, latest.current.path), []);
  return (
    <>
      <Select
        options={[
          { value: '', label: fitting.length === 0 ? 'None fits yet' : none },
          ...(known ? [] : [{ value: text, label: text }]),
          ...fitting.map(({ id, name, status }) => ({
            value: text === id ? id : name,
            label: status === 'active' ? name : `${name} (${status})`,
          })),
        ]}
        value={text}
        onChange={({ currentTarget: { value: next } }) => onChange(next === '' ? undefined : next, path)}
      />
      <ConnectHere accepts={accepts} onConnected={onConnected} />
    </>
  );
}

/** Any value: JSON where the text is some, else the text. Unfinished JSON stays in the control. */
export function JsonInput({ value, path, onChange, placeholder }: ValueInputProps) {
  const [draft, setDraft] = useState<string | null>(null);
  const text = draft ?? jsonText(value);
  const unfinished = draft !== null && looksUnfinished(draft);
  return (
    <div className={styles.json}>
      <Textarea
        code
        rows={Math.min(16, Math.max(2, text.split('\n').length))}
        className={styles.expression}
        value={text}
        placeholder={placeholder}
        spellCheck={false}
        onFocus={onFocus}
        onBlur={() => setDraft(unfinished ? draft : null)}
        onChange={({ currentTarget }: ChangeEvent<HTMLTextAreaElement>) => {
          setDraft(currentTarget.value);
          if (!looksUnfinished(currentTarget.value)) onChange(parsedText(currentTarget.value), path);
        }}
      />
      {unfinished && (
        <p className="field-error" role="status">
          This is not JSON yet, so it is not in the document.
        </p>
      )}
    </div>
  );
}

/** Names with values, such as headers. */
export function MapInput({ value, path, onChange }: ValueInputProps) {
  const entries = isObject(value) ? Object.entries(value) : [];
  const write = (next: readonly (readonly [string, unknown])[]): void =>
    onChange(next.length === 0 ? undefined : Object.fromEntries(next), path);
  const newName = (): string => {
    let number = entries.length + 1;
    while (entries.some(([name]) => name === `name${number}`)) number += 1;
    return `name${number}`;
  };
  return (
    <div className={styles.map}>
      {entries.map(([name, member], index) => (
        <div key={index} className={styles.pair}>
          <Input
            code
            aria-label={`Name ${index + 1}`}
            value={name}
            onChange={({ currentTarget: { value: next } }) => {
              if (entries.some(([other], at) => other === next && at !== index)) return;
              write(entries.map((entry, at) => (at === index ? [next, member] : entry)));
            }}
          />
          <ExpressionInput
            label={`Value of ${name}`}
            value={member}
            path={path}
            onChange={(next) => write(entries.map((entry, at) => (at === index ? [name, parsedScalar(next)] : entry)))}
          />
          <IconButton
            icon={DeleteIcon}
            size="small"
            label={`Remove ${name}`}
            onClick={() => write(entries.filter((_entry, at) => at !== index))}
          />
        </div>
      ))}
      <div>
        <button type="button" className={styles.add} onClick={() => write([...entries, [newName(), '']])}>
          <PlusIcon size={14} aria-hidden="true" /> Add a name
        </button>
      </div>
    </div>
  );
}

/** An empty value of a map is a text, which is not the same as no value. */
const parsedScalar = (value: unknown): unknown => (value === undefined ? '' : value);

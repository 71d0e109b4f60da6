import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { documentOf } from '../../model/editor-state';
import { referencesAt } from '../../model/references';
import { Input, toast } from '../../ui';
import { useEditor } from './editor-context';
import { insertText } from './insert-value';
import styles from './editor.module.css';
import { namesQuery } from './queries';

const MAX_SHOWN = 60;

/** Values that the step can use; a click puts one as an expression at the cursor of the last control, a drag where it is dropped. */
export function ValuePicker({ stepId }: { readonly stepId: string }) {
  const { state, sample } = useEditor();
  const [query, setQuery] = useState('');
  const words = query.toLowerCase();
  const { data: names } = useQuery(namesQuery);
  const found = referencesAt(documentOf(state), stepId, sample, names).filter(({ path }) =>
    path.toLowerCase().includes(words),
  );
  return (
    <details className={styles.values}>
      <summary>Insert a value</summary>
      <div className={styles.docs}>
        <Input
          type="search"
          aria-label="Search the values"
          placeholder="Search the values"
          value={query}
          onChange={({ currentTarget: { value } }) => setQuery(value)}
        />
        <ul className={styles.references}>
          {found.slice(0, MAX_SHOWN).map(({ path, about }) => (
            <li
              key={path}
              draggable
              onDragStart={({ dataTransfer }) => {
                dataTransfer.effectAllowed = 'copy';
                dataTransfer.setData('text/plain', `{{ ${path} }}`);
              }}
            >
              <button
                type="button"
                className={styles.reference}
                onClick={() => {
                  if (!insertText(`{{ ${path} }}`)) toast('Put the cursor into a setting first');
                }}
              >
                <code>{path}</code> <span className="cell-muted">{about}</span>
              </button>
            </li>
          ))}
        </ul>
        {sample.runId === null && (
          <p className="cell-muted">Try the workflow, or choose an earlier run, to see the members of outputs here.</p>
        )}
      </div>
    </details>
  );
}

import { type ReactNode, useEffect } from 'react';
import type { DslDiffView } from '../../api/client';
import { type JsonObject, pathText, placeOf } from '../../model/document';
import { documentOf } from '../../model/editor-state';
import { Badge, EmptyState, ValueChanges } from '../../ui';
import { CompletedIcon } from '../../ui/icon';
import styles from './diff.module.css';
import { useEditor } from './editor-context';

interface DiffViewProps {
  readonly diff: DslDiffView;
  /** The earlier document, where the later one is in the editor: canvas and code mark the changes, too. */
  readonly before?: JsonObject;
}

/** The differences between two documents, step by step. */
export function DiffView({ diff, before }: DiffViewProps) {
  const { compare } = useEditor();
  useEffect(() => {
    if (before === undefined || diff.same) return;
    compare({ before, diff });
    return () => compare(null);
  }, [before, diff, compare]);
  if (diff.same) {
    return (
      <EmptyState icon={CompletedIcon} title="No differences">
        Both documents do the same.
      </EmptyState>
    );
  }
  const { added, removed, moved, changed } = diff.steps;
  return (
    <ul className={styles.diff}>
      {added.map(({ id, type, within }) => (
        <li key={`+${id}`}>
          <Badge tone="ok">Added</Badge> <StepId id={id} />{' '}
          <span className="cell-muted">{`${type}, in ${within}`}</span>
        </li>
      ))}
      {removed.map(({ id, type }) => (
        <li key={`-${id}`}>
          <Badge tone="danger">Removed</Badge> <strong>{id}</strong> <span className="cell-muted">{type}</span>
        </li>
      ))}
      {moved.map(({ id, from, to }) => (
        <li key={`>${id}`}>
          <Badge tone="info">Moved</Badge> <StepId id={id} />{' '}
          <span className="cell-muted">{from === to ? `within ${to}` : `from ${from} to ${to}`}</span>
        </li>
      ))}
      {changed.map(({ id, changes }) => (
        <li key={`~${id}`}>
          <Badge tone="warn">Changed</Badge> <StepId id={id} />
          <ValueChanges changes={changes} />
        </li>
      ))}
      {diff.document.length > 0 && (
        <li>
          <Badge tone="warn">Changed</Badge> <strong>Workflow</strong>
          <ValueChanges changes={diff.document} />
        </li>
      )}
      {diff.truncated && <li className="cell-muted">There are more changes than are listed.</li>}
    </ul>
  );
}

/** The id of a step, which selects it where the document of the editor has it. */
function StepId({ id }: { readonly id: string }): ReactNode {
  const { state, dispatch } = useEditor();
  const place = placeOf(documentOf(state), id);
  if (place === undefined) return <strong>{id}</strong>;
  return (
    <button
      type="button"
      className={styles.step}
      onClick={() => dispatch({ kind: 'select', keys: [pathText(place.path)] })}
    >
      {id}
    </button>
  );
}

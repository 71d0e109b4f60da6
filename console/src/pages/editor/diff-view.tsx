import type { DslDiffView } from '../../api/client';
import { Badge, EmptyState, ValueChanges } from '../../ui';
import { CompletedIcon } from '../../ui/icon';
import styles from './diff.module.css';

/** The differences between two documents, step by step. */
export function DiffView({ diff }: { readonly diff: DslDiffView }) {
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
          <Badge tone="ok">Added</Badge> <strong>{id}</strong>{' '}
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
          <Badge tone="info">Moved</Badge> <strong>{id}</strong>{' '}
          <span className="cell-muted">{from === to ? `within ${to}` : `from ${from} to ${to}`}</span>
        </li>
      ))}
      {changed.map(({ id, changes }) => (
        <li key={`~${id}`}>
          <Badge tone="warn">Changed</Badge> <strong>{id}</strong>
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

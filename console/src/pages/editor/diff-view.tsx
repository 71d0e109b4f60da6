import type { DslDiffView } from '../../api/client';
import { Badge, EmptyState } from '../../ui';
import { CompletedIcon } from '../../ui/icon';
import styles from './diff.module.css';

const shortText = (value: unknown): string => {
  const text = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
};

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
          <Changes changes={changes} />
        </li>
      ))}
      {diff.document.length > 0 && (
        <li>
          <Badge tone="warn">Changed</Badge> <strong>Workflow</strong>
          <Changes changes={diff.document} />
        </li>
      )}
      {diff.truncated && <li className="cell-muted">There are more changes than are listed.</li>}
    </ul>
  );
}

function Changes({ changes }: { readonly changes: DslDiffView['document'] }) {
  return (
    <dl className={styles.changes}>
      {changes.map(({ path, before, after }) => (
        <div key={path}>
          <dt>{path}</dt>
          {before !== undefined && <dd className={styles.before}>{shortText(before)}</dd>}
          {after !== undefined && <dd className={styles.after}>{shortText(after)}</dd>}
        </div>
      ))}
    </dl>
  );
}

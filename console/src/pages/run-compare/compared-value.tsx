import type { ComparedValue } from '../../api/client';
import { ValueChanges } from '../../ui';
import styles from './run-compare.module.css';

/** Where a value of two runs differs. */
export function ComparedValueView({ value }: { readonly value: ComparedValue | null }) {
  if (value === null) return <p className="cell-muted">Not compared: one of the runs has none.</p>;
  if (value.same) return <p className="cell-muted">The same in both runs.</p>;
  return (
    <div className={styles.value}>
      <ValueChanges
        sides={['A', 'B']}
        changes={value.changes.map(({ path, a, b }) => ({ path, before: a, after: b }))}
      />
      {value.more && (
        <p className="cell-muted">
          {value.changes.length === 0
            ? 'It differs, and is too large for a list of the places.'
            : 'There are more differences than are listed.'}
        </p>
      )}
    </div>
  );
}

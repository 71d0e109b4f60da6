import { Link } from '@tanstack/react-router';
import type { UsedByRow } from '../api/client';
import { Loaded, SkeletonRows } from '../ui';
import styles from './used-by.module.css';

interface UsedByProps {
  readonly query: {
    readonly data: { readonly data: readonly UsedByRow[]; readonly truncated: boolean } | undefined;
    readonly error: unknown;
    readonly isPending: boolean;
    readonly refetch: () => unknown;
  };
  /** What is shown when nothing uses it. */
  readonly none: string;
}

/** Workflows that use something, each with the steps that do. */
export function UsedBy({ query, none }: UsedByProps) {
  return (
    <section>
      <h3 className={styles.heading}>Used by</h3>
      <Loaded query={query} skeleton={<SkeletonRows rows={2} label="Loading workflows" />}>
        {({ data, truncated }) =>
          data.length === 0 ? (
            <p className="cell-muted">{none}</p>
          ) : (
            <ul className={styles.list}>
              {data.map(({ workflow_id, workflow_name, places }) => (
                <li key={workflow_id}>
                  <Link to="/workflows/$id" params={{ id: workflow_id }}>
                    {workflow_name}
                  </Link>{' '}
                  <span className="cell-muted">{stepsOf(places)}</span>
                </li>
              ))}
              {truncated && <li className="cell-muted">And more</li>}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

const stepsOf = (places: UsedByRow['places']): string =>
  [...new Set(places.map(({ step_id, path }) => step_id ?? path))].join(', ');

/** For the question before something is deleted. */
export const usedByText = (count: number): string =>
  count === 0
    ? 'No workflow uses it.'
    : `${count} ${count === 1 ? 'workflow uses' : 'workflows use'} it, and will fail where it is used.`;

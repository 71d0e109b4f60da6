import { useQuery } from '@tanstack/react-query';
import type { DependencyView } from '../../api/client';
import { DEPENDENCIES, DEPENDENCY_LOOKS } from '../../model/system';
import { Badge, Card, Loaded, Notice, SkeletonRows } from '../../ui';
import { readinessQuery } from './queries';
import styles from './system.module.css';

/** What the processes need, as they find it. */
export function Readiness() {
  const readiness = useQuery(readinessQuery);
  const silent = readiness.data?.silent ?? [];
  return (
    <>
      {silent.length > 0 && (
        <Notice tone="warn">{`Not checked, since they do not answer: ${silent.join(', ')}.`}</Notice>
      )}
      <Card flush>
        <Loaded query={readiness} skeleton={<SkeletonRows rows={5} label="Loading dependencies" />}>
          {({ dependencies }) => (
            <ul className={styles.list}>
              {dependencies.map((dependency) => (
                <Dependency key={dependency.name} dependency={dependency} />
              ))}
            </ul>
          )}
        </Loaded>
      </Card>
    </>
  );
}

function Dependency({ dependency: { name, state, faults } }: { readonly dependency: DependencyView }) {
  const { label, setting } = DEPENDENCIES[name];
  const look = DEPENDENCY_LOOKS[state];
  return (
    <li className={styles.item}>
      <div className={styles.line}>
        <strong>{label}</strong>
        <Badge tone={look.tone}>{look.label}</Badge>
      </div>
      {state === 'not_configured' && name !== 'database' && (
        <p className="cell-muted">
          Set <code>{setting}</code> to use one.
        </p>
      )}
      {faults.map(({ node_id: node, reason }) => (
        <p key={node} className={styles.fault}>{`${node}: ${reason}`}</p>
      ))}
    </li>
  );
}

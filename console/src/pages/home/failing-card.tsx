import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatCount, formatPercent } from '../../model/format';
import { failedRunsQuery, failingWorkflows } from '../../model/home';
import { Badge, Card, EmptyState, Loaded } from '../../ui';
import { CompletedIcon } from '../../ui/icon';
import styles from './home.module.css';
import { healthQuery } from './queries';

/** Workflows whose runs failed, with the last error. */
export function FailingCard() {
  const health = useQuery(healthQuery);
  return (
    <Card title="Failing workflows" flush>
      <Loaded query={health}>
        {({ data }) => {
          const failing = failingWorkflows(data);
          if (failing.length === 0)
            return (
              <EmptyState icon={CompletedIcon} title="Nothing fails">
                No run of the last day has failed.
              </EmptyState>
            );
          return (
            <ul className={styles.list}>
              {failing.map(({ workflow_id, name, failed, success_rate, last_error }) => (
                <li key={workflow_id} className={styles.item}>
                  <div className={styles.text}>
                    <Link to="/runs" search={{ q: failedRunsQuery(name) }} className={styles.question}>
                      {name}
                    </Link>
                    <p className={styles.meta}>{last_error}</p>
                  </div>
                  <span className={styles.figures}>
                    <Badge tone="danger">{`${formatCount(failed)} failed`}</Badge>
                    {success_rate !== null && (
                      <span className={styles.meta}>{formatPercent(success_rate)} succeed</span>
                    )}
                  </span>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Card>
  );
}

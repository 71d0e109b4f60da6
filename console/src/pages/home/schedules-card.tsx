import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Card, EmptyState, LinkButton, Loaded, RelativeTime } from '../../ui';
import { ScheduleIcon } from '../../ui/icon';
import styles from './home.module.css';
import { nextSchedulesQuery } from './queries';

/** The schedules that start next. */
export function SchedulesCard() {
  const schedules = useQuery(nextSchedulesQuery);
  return (
    <Card
      title="Next schedules"
      flush
      actions={
        <LinkButton kind="ghost" size="small" to="/schedules">
          All schedules
        </LinkButton>
      }
    >
      <Loaded query={schedules}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState icon={ScheduleIcon} title="Nothing is scheduled">
              Workflows with a schedule are shown here, the soonest first.
            </EmptyState>
          ) : (
            <ul className={styles.list}>
              {data.map(({ id, workflow_name, cron, every, timezone, next_at }) => (
                <li key={id} className={styles.item}>
                  <div className={styles.text}>
                    <Link to="/schedules" search={{ open: id }} className={styles.question}>
                      {workflow_name}
                    </Link>
                    <p className={styles.meta}>{cron === undefined ? `every ${every}` : `${cron} · ${timezone}`}</p>
                  </div>
                  {next_at !== null && (
                    <span className={styles.meta}>
                      <RelativeTime at={next_at} />
                    </span>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

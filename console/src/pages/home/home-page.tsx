import { useQuery } from '@tanstack/react-query';
import { limitsNearEnd } from '../../model/home';
import { Card, LinkButton, Loaded, Meter, Page } from '../../ui';
import { PlusIcon } from '../../ui/icon';
import { ActivityCard } from './activity-card';
import { ApprovalsCard } from './approvals-card';
import { FailingCard } from './failing-card';
import { NEW_ID } from '../editor/route';
import styles from './home.module.css';
import { LatestRunsCard } from './latest-runs-card';
import { subscriptionQuery, workflowsQuery } from './queries';
import { FirstWorkflow } from './first-workflow';
import { SchedulesCard } from './schedules-card';

/** What happened in the last day, and what needs the user. */
export function HomePage() {
  const workflows = useQuery(workflowsQuery);
  return (
    <Page
      title="Home"
      description="What happened in the last day, and what waits for you."
      actions={
        <LinkButton edits to="/workflows/$id" params={{ id: NEW_ID }} icon={PlusIcon}>
          New workflow
        </LinkButton>
      }
    >
      <Loaded query={workflows}>{({ data }) => (data.length === 0 ? <FirstWorkflow /> : <Overview />)}</Loaded>
    </Page>
  );
}

function Overview() {
  return (
    <>
      <LimitsNotice />
      <ActivityCard />
      <div className={styles.columns}>
        <ApprovalsCard />
        <FailingCard />
        <SchedulesCard />
      </div>
      <LatestRunsCard />
    </>
  );
}

/** Shown only when a limit of the plan is near its end. */
function LimitsNotice() {
  const { data } = useQuery(subscriptionQuery);
  const limits = data === undefined ? [] : limitsNearEnd(data);
  if (limits.length === 0) return null;
  return (
    <Card title="Limits of the plan" description="At its end, new runs or workflows are refused.">
      <div className={styles.meters}>
        {limits.map((limit) => (
          <Meter key={limit.label} {...limit} />
        ))}
      </div>
    </Card>
  );
}

import { useQuery } from '@tanstack/react-query';
import type { MetricsView } from '../../api/client';
import { useIsAdmin } from '../../app/roles';
import { chartOf, FIGURES, LIMITS, sumRows } from '../../model/usage';
import { formatDate } from '../../model/format';
import { Card, KeyValues, Loaded, Meter, Page, Select, Skeleton, StackedBars } from '../../ui';
import { Breakdown } from './breakdown';
import { PlanCard } from './plan-card';
import { metricsQuery } from './queries';
import { usageRoute } from './route';
import { ServiceCard } from './service-card';
import styles from './usage.module.css';

/** What the workspace uses of its plan, day by day. */
export function UsagePage() {
  const metrics = useQuery(metricsQuery);
  const isAdmin = useIsAdmin();
  return (
    <Page
      title="Usage"
      description="What the workspace has used in the last thirty days, and how much of its plan is left."
    >
      <Days />
      <div className={styles.columns}>
        <Card title="Limits" description={periodText(metrics.data)}>
          <Loaded query={metrics} skeleton={<Skeleton height={160} />}>
            {(data) => <Limits metrics={data} />}
          </Loaded>
        </Card>
        <Card title="Thirty days" description="Sums of the chart above.">
          <Loaded query={metrics} skeleton={<Skeleton height={160} />}>
            {(data) => <KeyValues rows={sumRows(data)} />}
          </Loaded>
        </Card>
      </div>
      <Breakdown />
      <PlanCard />
      {isAdmin && <ServiceCard />}
    </Page>
  );
}

const periodText = (metrics: MetricsView | undefined): string =>
  metrics === undefined
    ? ''
    : `Runs are counted by the month, which ends on ${formatDate(Date.parse(metrics.period.end), Date.now())}.`;

function Days() {
  const { figure = 'runs' } = usageRoute.useSearch();
  const navigate = usageRoute.useNavigate();
  const metrics = useQuery(metricsQuery);
  return (
    <Card
      title="Day by day"
      description="Runs by the day of their start, in UTC. Steps, tokens and costs are those of runs that have ended."
      actions={
        <Select
          aria-label="Figure"
          options={FIGURES}
          value={figure}
          onChange={({ currentTarget: { value } }) =>
            void navigate({
              search: value === 'steps' || value === 'tokens' || value === 'cost' ? { figure: value } : {},
              replace: true,
            })
          }
        />
      }
    >
      <Loaded query={metrics} skeleton={<Skeleton height={188} />}>
        {({ days }) => <StackedBars label="Usage by day" labelEvery={5} {...chartOf(days, figure)} />}
      </Loaded>
    </Card>
  );
}

function Limits({ metrics: { limits, usage } }: { readonly metrics: MetricsView }) {
  return (
    <div className={styles.stack}>
      {LIMITS.map(({ name, label, format }) => {
        const max = limits[name];
        return max === null ? (
          <p key={name} className={styles.row}>
            <span>{label}</span>
            <span className="cell-muted">{`${format(usage[name])}, no limit`}</span>
          </p>
        ) : (
          <Meter key={name} label={label} value={usage[name]} max={max} format={format} />
        );
      })}
    </div>
  );
}

import { useQuery } from '@tanstack/react-query';
import { activityBars, RUN_SERIES } from '../../model/home';
import { Card, Loaded, Skeleton, StackedBars } from '../../ui';
import { activityQuery } from './queries';

const hourFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

export function ActivityCard() {
  const activity = useQuery(activityQuery);
  return (
    <Card title="Runs of the last day">
      <Loaded query={activity} skeleton={<Skeleton height={188} />}>
        {({ hours }) => (
          <StackedBars
            label="Runs of the last day by hour and status"
            series={RUN_SERIES}
            bars={activityBars(hours, (at) => hourFormat.format(Date.parse(at)))}
          />
        )}
      </Loaded>
    </Card>
  );
}

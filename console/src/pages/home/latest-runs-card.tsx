import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ExecutionRow } from '../../api/client';
import {
  Card,
  type Column,
  Duration,
  EmptyState,
  LinkButton,
  Loaded,
  RelativeTime,
  ShortTable,
  Status,
} from '../../ui';
import { RunsIcon } from '../../ui/icon';
import { latestRunsQuery } from './queries';

const COLUMNS: readonly Column<ExecutionRow>[] = [
  {
    key: 'workflow',
    title: 'Workflow',
    width: 'minmax(88px, 2fr)',
    cell: ({ id, workflow_name }) => (
      <Link to="/runs/$id" params={{ id }} className="row-link">
        {workflow_name}
      </Link>
    ),
  },
  {
    key: 'status',
    title: 'Status',
    width: '104px',
    iconWhenSmall: true,
    cell: ({ status }) => <Status status={status} />,
  },
  { key: 'trigger', title: 'Trigger', width: '96px', wideOnly: true, cell: ({ trigger_type }) => trigger_type },
  {
    key: 'duration',
    title: 'Duration',
    width: '96px',
    align: 'end',
    wideOnly: true,
    cell: ({ started_at, ended_at }) => <Duration from={started_at} to={ended_at} />,
  },
  {
    key: 'started',
    title: 'Started',
    width: '88px',
    align: 'end',
    cell: ({ started_at }) => <RelativeTime at={started_at} />,
  },
];

export function LatestRunsCard() {
  const runs = useQuery(latestRunsQuery);
  return (
    <Card
      title="Latest runs"
      flush
      actions={
        <LinkButton kind="ghost" size="small" to="/runs">
          All runs
        </LinkButton>
      }
    >
      <Loaded query={runs}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState icon={RunsIcon} title="No runs yet">
              Runs are shown here when a trigger starts a workflow.
            </EmptyState>
          ) : (
            <ShortTable label="Latest runs" columns={COLUMNS} rows={data} rowKey={({ id }) => id} />
          )
        }
      </Loaded>
    </Card>
  );
}

import { useQuery } from '@tanstack/react-query';
import type { AlertView } from '../../api/client';
import { channelText, conditionText } from '../../model/alerts';
import {
  Button,
  Card,
  type Column,
  EmptyState,
  Loaded,
  Page,
  RowButton,
  ShortTable,
  SkeletonRows,
  Toolbar,
  WithPanel,
} from '../../ui';
import { BellIcon, PlusIcon } from '../../ui/icon';
import { AlertPanel, NewAlertPanel } from './alert-panel';
import { AlertState } from './alert-state';
import { alertsQuery } from './queries';
import { alertsRoute } from './route';

/** The alerts of the workspace, and which of them hold. */
export function AlertsPage() {
  const { open, workflow } = alertsRoute.useSearch();
  const navigate = alertsRoute.useNavigate();
  const alerts = useQuery(alertsQuery(workflow));
  const show = (id: string | undefined): void =>
    void navigate({ search: (previous) => ({ ...previous, open: id }), replace: id === undefined });
  const create = (
    <Button edits kind="primary" icon={PlusIcon} onClick={() => show('new')}>
      New alert
    </Button>
  );
  return (
    <WithPanel panel={panelOf(open, workflow, show)}>
      <Page
        title="Alerts"
        description="Notices when workflows fail, are late, take too long or cost too much."
        actions={create}
      >
        {workflow !== undefined && (
          <Toolbar>
            <Button onClick={() => void navigate({ search: {}, replace: true })}>
              Show the alerts of all workflows
            </Button>
          </Toolbar>
        )}
        <Card flush>
          <Loaded query={alerts} skeleton={<SkeletonRows rows={5} label="Loading alerts" />}>
            {({ data }) =>
              data.length === 0 ? (
                <EmptyState icon={BellIcon} title="No alerts yet" actions={create}>
                  An alert sends a mail, a webhook or a chat message when its condition begins to hold, and when it
                  ends.
                </EmptyState>
              ) : (
                <ShortTable
                  label="Alerts"
                  columns={columnsWith(show)}
                  rows={data}
                  rowKey={({ id }) => id}
                  selected={open ?? null}
                />
              )
            }
          </Loaded>
        </Card>
      </Page>
    </WithPanel>
  );
}

function panelOf(open: string | undefined, workflow: string | undefined, show: (id: string | undefined) => void) {
  if (open === undefined) return null;
  const close = (): void => show(undefined);
  if (open === 'new') return <NewAlertPanel workflow={workflow} onClose={close} onMade={show} />;
  return <AlertPanel key={open} id={open} onClose={close} />;
}

const columnsWith = (onOpen: (id: string) => void): readonly Column<AlertView>[] => [
  {
    key: 'name',
    title: 'Name',
    width: 'minmax(104px, 1.2fr)',
    cell: (row) => <RowButton onClick={() => onOpen(row.id)}>{row.name}</RowButton>,
  },
  {
    key: 'condition',
    title: 'Condition',
    width: 'minmax(120px, 1.4fr)',
    wideOnly: true,
    cell: (row) => conditionText(row.condition),
  },
  {
    key: 'channels',
    title: 'Sends to',
    width: 'minmax(120px, 1.2fr)',
    wideOnly: true,
    cell: (row) => <span className="cell-muted">{row.channels.map(channelText).join(' · ')}</span>,
  },
  { key: 'state', title: 'State', width: '148px', cell: (row) => <AlertState alert={row} /> },
];

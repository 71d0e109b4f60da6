import { useQuery } from '@tanstack/react-query';
import { Card, EmptyState, LinkButton, Loaded, Page, SkeletonRows, Tabs } from '../../ui';
import { ApprovalsIcon } from '../../ui/icon';
import { Approval } from './approval';
import { History } from './history';
import styles from './approvals.module.css';
import { approvalsQuery } from './queries';
import { approvalsRoute } from './route';

const TABS = [
  { key: 'mine', label: 'For me' },
  { key: 'all', label: 'All of the workspace' },
  { key: 'history', label: 'History' },
] as const;

/** What waits for a decision. */
export function ApprovalsPage() {
  const { show } = approvalsRoute.useSearch();
  const navigate = approvalsRoute.useNavigate();
  const tab = show ?? 'mine';
  return (
    <Page title="Approvals" description="Runs that wait for a decision by a person." narrow>
      <div>
        <Tabs
          label="Which approvals"
          tabs={TABS}
          active={tab}
          onChange={(key) => void navigate({ search: key === 'mine' ? {} : { show: key } })}
        >
          {tab === 'history' ? <History /> : <Approvals mine={tab === 'mine'} />}
        </Tabs>
      </div>
    </Page>
  );
}

function Approvals({ mine }: { readonly mine: boolean }) {
  const approvals = useQuery(approvalsQuery(mine));
  return (
    <Loaded query={approvals} skeleton={<SkeletonRows rows={4} label="Loading approvals" />}>
      {({ data }) =>
        data.length === 0 ? (
          <Card>
            <EmptyState
              icon={ApprovalsIcon}
              title={mine ? 'Nothing waits for you' : 'No approval is waiting'}
              actions={<LinkButton to="/runs">Show runs</LinkButton>}
            >
              A step of the type approval asks its question here, and the run waits for the answer.
            </EmptyState>
          </Card>
        ) : (
          <ul className={styles.list}>
            {data.map((row) => (
              <li key={`${row.execution_id} ${row.address}`}>
                <Approval row={row} />
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

import { useMe } from '../../app/queries';
import { SYSTEM_TABS } from '../../model/system';
import { EmptyState, LinkButton, Loaded, Page, SkeletonRows, Tabs, WithPanel } from '../../ui';
import { SearchIcon } from '../../ui/icon';
import { HostPanel } from './host-panel';
import { Hosts } from './hosts';
import { Keys } from './keys';
import { OperatorLog } from './operator-log';
import { Queues } from './queues';
import { Readiness } from './readiness';
import { systemRoute } from './route';
import styles from './system.module.css';
import { TenantPanel } from './tenant-panel';
import { Tenants } from './tenants';

/** The installation, for the people who operate it. */
export function SystemPage() {
  const me = useMe();
  return (
    <Loaded query={me} skeleton={<SkeletonRows rows={8} label="Loading the page" />}>
      {({ operator }) => (operator ? <System /> : <Nothing />)}
    </Loaded>
  );
}

/** Who is no operator sees what any address without a page shows. */
const Nothing = () => (
  <EmptyState
    icon={SearchIcon}
    title="There is nothing at this address"
    level="h1"
    actions={<LinkButton to="/">Go to the home page</LinkButton>}
  />
);

function System() {
  const { show, open, q } = systemRoute.useSearch();
  const navigate = systemRoute.useNavigate();
  const tab = SYSTEM_TABS.find(({ key }) => key === show)?.key ?? 'hosts';
  const openRow = (id: string | undefined): void =>
    void navigate({ search: (previous) => ({ ...previous, open: id }), replace: id === undefined });
  const close = (): void => openRow(undefined);
  const search = (text: string): void =>
    void navigate({ search: { show: tab, ...(text === '' ? {} : { q: text }) }, replace: true });
  const contents = {
    hosts: () => <Hosts selected={open ?? null} onOpen={openRow} />,
    queues: () => <Queues />,
    readiness: () => <Readiness />,
    keys: () => <Keys />,
    tenants: () => <Tenants q={q} selected={open ?? null} onOpen={openRow} onSearch={search} />,
    log: () => <OperatorLog />,
  };
  return (
    <WithPanel panel={panel()}>
      <Page title="System" description="The whole installation: only its operators see this page.">
        <Tabs
          label="Parts of the system"
          tabs={SYSTEM_TABS}
          active={tab}
          onChange={(key) => void navigate({ search: { show: key }, replace: true })}
        >
          <div className={styles.stack}>{contents[tab]()}</div>
        </Tabs>
      </Page>
    </WithPanel>
  );

  function panel() {
    if (open === undefined) return null;
    if (tab === 'hosts') return <HostPanel key={open} id={open} onClose={close} />;
    return tab === 'tenants' ? <TenantPanel key={open} id={open} onClose={close} /> : null;
  }
}

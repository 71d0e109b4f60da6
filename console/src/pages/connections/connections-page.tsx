import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button, Page, Tabs, WithPanel } from '../../ui';
import { PlusIcon } from '../../ui/icon';
import { AccountList } from './account-list';
import { AppList } from './app-list';
import { AppPanel } from './app-panel';
import { ConnectPanel } from './connect-panel';
import { ConnectionPanel } from './connection-panel';
import { connectionsQuery } from './queries';
import { RegisterPanel } from './register-panel';
import { connectionsRoute } from './route';

const TABS = [
  { key: 'accounts', label: 'Accounts' },
  { key: 'apps', label: 'OAuth apps' },
] as const;

/** Accounts at providers that steps may use, and the OAuth apps with which they are connected. */
export function ConnectionsPage() {
  const { show, open, connect, register } = connectionsRoute.useSearch();
  const navigate = connectionsRoute.useNavigate();
  const connections = useQuery(connectionsQuery);
  const go = (search: { show?: string; open?: string; connect?: string; register?: string }): void =>
    void navigate({ search: { ...(show === undefined ? {} : { show }), ...search } });
  const close = (): void => go({});
  return (
    <WithPanel panel={panel()}>
      <Page
        title="Connections"
        description="Accounts at other services that your workflows may use."
        actions={
          <Button edits kind="primary" icon={PlusIcon} onClick={() => go({ connect: 'any' })}>
            Connect an account
          </Button>
        }
      >
        <div>
          <Tabs
            label="What is shown"
            tabs={TABS}
            active={show ?? 'accounts'}
            onChange={(key) => void navigate({ search: key === 'apps' ? { show: 'apps' } : {} })}
          >
            {show === 'apps' ? (
              <AppList selected={open} onOpen={(id) => go({ open: id })} onRegister={() => go({ connect: 'any' })} />
            ) : (
              <AccountList
                query={connections}
                selected={open}
                onOpen={(id) => go({ open: id })}
                onConnect={() => go({ connect: 'any' })}
              />
            )}
          </Tabs>
        </div>
      </Page>
    </WithPanel>
  );

  function panel(): ReactNode {
    if (register !== undefined)
      return (
        <RegisterPanel
          key={register}
          preset={register}
          onClose={close}
          onRegistered={(id) => go({ show: 'apps', open: id })}
        />
      );
    if (connect !== undefined)
      return <ConnectPanel wanted={connect} onClose={close} onRegister={(id) => go({ register: id })} />;
    if (open !== undefined && show === 'apps') return <AppPanel key={open} id={open} onClose={close} />;
    if (open !== undefined) return <ConnectionPanel key={open} id={open} query={connections} onClose={close} />;
    return null;
  }
}

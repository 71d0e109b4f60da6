import { useQuery } from '@tanstack/react-query';
import { useIsAdmin } from '../../app/roles';
import { Button, Page, Tabs, WithPanel } from '../../ui';
import { PlusIcon, UploadIcon } from '../../ui/icon';
import { Catalogue } from './catalogue';
import { ConnectorPanel } from './connector-panel';
import { CustomNodePanel, NewCustomNodePanel } from './custom-node-panel';
import { CustomNodeTable } from './custom-node-table';
import { ImportPanel } from './import-panel';
import { connectorsQuery, customNodesQuery } from './queries';
import { connectorsRoute } from './route';

/** What steps can call: connectors with their actions, and step types of the workspace. */
export function ConnectorsPage() {
  const { show, q = '', category = '', open, panel } = connectorsRoute.useSearch();
  const navigate = connectorsRoute.useNavigate();
  const isAdmin = useIsAdmin();
  const connectors = useQuery(connectorsQuery);
  const nodes = useQuery(customNodesQuery);
  const tab = show === 'nodes' ? 'nodes' : 'catalogue';
  const go = (search: { open?: string; panel?: string }): void =>
    void navigate({
      search: (previous) => ({ show: previous.show, q: previous.q, category: previous.category, ...search }),
      replace: open !== undefined,
    });
  const close = (): void => go({});
  return (
    <WithPanel panel={panelOf()}>
      <Page
        title="Connectors"
        description="Services that steps and agents can use, with every action and what it takes. Add your own from an OpenAPI document, or as a single request."
        actions={
          isAdmin && (
            <>
              <Button icon={UploadIcon} onClick={() => go({ panel: 'import' })}>
                Import OpenAPI
              </Button>
              <Button
                kind="primary"
                icon={PlusIcon}
                onClick={() => void navigate({ search: { show: 'nodes', panel: 'node' } })}
              >
                New custom node
              </Button>
            </>
          )
        }
      >
        <Tabs
          label="Kind"
          tabs={[
            { key: 'catalogue', label: 'Catalogue', ...(connectors.data && { count: connectors.data.length }) },
            { key: 'nodes', label: 'Custom nodes', ...(nodes.data && { count: nodes.data.length }) },
          ]}
          active={tab}
          onChange={(key) => void navigate({ search: key === 'nodes' ? { show: key } : {}, replace: true })}
        >
          {tab === 'nodes' ? (
            <CustomNodeTable query={nodes} selected={open ?? null} onOpen={(type) => go({ open: type })} />
          ) : (
            <Catalogue
              query={connectors}
              search={q}
              category={category}
              selected={open ?? null}
              onFilter={(filter) =>
                void navigate({ search: (previous) => ({ ...previous, ...filter }), replace: true })
              }
              onOpen={(name) => go({ open: name })}
            />
          )}
        </Tabs>
      </Page>
    </WithPanel>
  );

  function panelOf() {
    if (panel === 'import' && isAdmin)
      return (
        <ImportPanel
          taken={connectors.data?.filter(({ custom }) => custom).map(({ name }) => name) ?? []}
          onClose={close}
          onImported={(name) => void navigate({ search: { open: name } })}
        />
      );
    if (panel === 'node' && isAdmin)
      return <NewCustomNodePanel onClose={close} onMade={(type) => go({ open: type })} />;
    if (open === undefined) return null;
    if (tab === 'nodes')
      return <CustomNodePanel key={open} type={open} query={nodes} isAdmin={isAdmin} onClose={close} />;
    return (
      <ConnectorPanel
        key={open}
        name={open}
        isAdmin={isAdmin}
        isConnecting={panel === 'connect'}
        onConnect={() => go({ open, panel: 'connect' })}
        onClose={close}
      />
    );
  }
}

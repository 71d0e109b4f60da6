import { useQuery } from '@tanstack/react-query';
import { useIsAdmin } from '../../app/roles';
import { Button, Page, Tabs, WithPanel } from '../../ui';
import { PlusIcon } from '../../ui/icon';
import { secretsQuery, variablesQuery } from './queries';
import { variablesRoute } from './route';
import { NewSecretPanel, SecretPanel } from './secret-panel';
import { SecretTable } from './secret-table';
import { NewVariablePanel, VariablePanel } from './variable-panel';
import { VariableTable } from './variable-table';

/** Names that expressions of all workflows use: constants, and secrets whose values are not shown again. */
export function VariablesPage() {
  const { show, open, add } = variablesRoute.useSearch();
  const navigate = variablesRoute.useNavigate();
  const isAdmin = useIsAdmin();
  const variables = useQuery(variablesQuery);
  const secrets = useQuery(secretsQuery);
  const tab = show === 'secrets' ? 'secrets' : 'variables';
  const go = (search: { open?: string; add?: string }): void =>
    void navigate({ search: { show: tab, ...search }, replace: open !== undefined });
  const close = (): void => go({});
  const create = isAdmin && (
    <Button kind="primary" icon={PlusIcon} onClick={() => go({ add: 'new' })}>
      {tab === 'secrets' ? 'New secret' : 'New variable'}
    </Button>
  );
  return (
    <WithPanel panel={panelOf()}>
      <Page
        title="Variables and secrets"
        description="Values that all workflows of the workspace share. Secrets are encrypted, hidden in runs and logs, and never shown again."
        actions={create}
      >
        <Tabs
          label="Kind"
          tabs={[
            { key: 'variables', label: 'Variables', ...(variables.data && { count: variables.data.length }) },
            { key: 'secrets', label: 'Secrets', ...(secrets.data && { count: secrets.data.length }) },
          ]}
          active={tab}
          onChange={(key) => void navigate({ search: { show: key }, replace: true })}
        >
          {tab === 'secrets' ? (
            <SecretTable
              query={secrets}
              selected={open ?? null}
              isAdmin={isAdmin}
              onOpen={(name) => go({ open: name })}
              create={create}
            />
          ) : (
            <VariableTable
              query={variables}
              selected={open ?? null}
              onOpen={(name) => go({ open: name })}
              create={create}
            />
          )}
        </Tabs>
      </Page>
    </WithPanel>
  );

  function panelOf() {
    if (add !== undefined && isAdmin)
      return tab === 'secrets' ? <NewSecretPanel onClose={close} /> : <NewVariablePanel onClose={close} />;
    if (open === undefined) return null;
    return tab === 'secrets' ? (
      <SecretPanel key={open} name={open} query={secrets} isAdmin={isAdmin} onClose={close} />
    ) : (
      <VariablePanel key={open} name={open} query={variables} isAdmin={isAdmin} onClose={close} />
    );
  }
}

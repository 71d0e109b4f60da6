import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client';
import { Card, EmptyState, Loaded, Page, Select, SkeletonRows } from '../../ui';
import { KeyIcon } from '../../ui/icon';
import { KeyList } from './key-list';
import styles from './keys.module.css';
import { workflowChoicesQuery, workflowKeysQuery } from './queries';
import { keysRoute } from './route';
import { WorkspaceKeys } from './workspace-keys';

/** Keys for programs: of the workspace, and of single workflows. */
export function KeysPage() {
  const { workflow } = keysRoute.useSearch();
  return (
    <Page
      title="API keys"
      description="Credentials for programs. A value is shown once, when its key is created."
      narrow
    >
      <WorkspaceKeys />
      <WorkflowKeys chosen={workflow} />
    </Page>
  );
}

function WorkflowKeys({ chosen }: { readonly chosen: string | undefined }) {
  const navigate = keysRoute.useNavigate();
  const workflows = useQuery(workflowChoicesQuery);
  return (
    <Loaded query={workflows} skeleton={<SkeletonRows rows={3} label="Loading workflows" />}>
      {({ data }) => {
        const id = chosen ?? data[0]?.id;
        if (id === undefined)
          return (
            <Card title="Keys of workflows">
              <EmptyState icon={KeyIcon} title="No workflows yet">
                A workflow has keys of its own, which start this workflow and nothing else.
              </EmptyState>
            </Card>
          );
        const options = data.map(({ id: value, name }) => ({ value, label: name }));
        if (!options.some(({ value }) => value === id)) options.unshift({ value: id, label: id });
        return (
          <>
            <div className={styles.choice}>
              <h2>Keys of workflows</h2>
              <Select
                aria-label="Workflow"
                options={options}
                value={id}
                onChange={({ currentTarget: { value } }) =>
                  void navigate({ search: { workflow: value }, replace: true })
                }
              />
            </div>
            <KeysOfWorkflow key={id} id={id} />
          </>
        );
      }}
    </Loaded>
  );
}

function KeysOfWorkflow({ id }: { readonly id: string }) {
  const client = useQueryClient();
  const query = workflowKeysQuery(id);
  const keys = useQuery(query);
  return (
    <KeyList
      title="Keys to run it"
      description={
        <>
          For <code>{`POST /run/${id}`}</code> alone.
        </>
      }
      query={keys}
      empty="A key starts this workflow, and nothing else."
      create={({ name = '' }) => api.workflows.create_key({ id, body: { name } })}
      revoke={(key_id) => api.workflows.revoke_key({ id, key_id })}
      onChanged={() => client.invalidateQueries({ queryKey: query.queryKey })}
    />
  );
}

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type DatasetView } from '../../api/client';
import { formatBytes, formatCount } from '../../model/format';
import {
  Button,
  Card,
  type Column,
  Dialog,
  EmptyState,
  Form,
  FormFooter,
  LinkButton,
  Loaded,
  Page,
  RelativeTime,
  SkeletonRows,
  Table,
  TextField,
} from '../../ui';
import { DataIcon, PlusIcon } from '../../ui/icon';
import { datasetsQuery } from './queries';

/** The data sets of the workspace. */
export function DatasetsPage() {
  const datasets = useQuery(datasetsQuery);
  const [creating, setCreating] = useState(false);
  const create = (
    <Button edits kind="primary" icon={PlusIcon} onClick={() => setCreating(true)}>
      New data set
    </Button>
  );
  return (
    <Page
      title="Data sets"
      description="Inputs with the outputs that are expected for them. Evaluations run a workflow over each row."
      actions={
        <>
          <LinkButton to="/evaluations">Evaluations</LinkButton>
          {create}
        </>
      }
    >
      <Card flush>
        <Loaded query={datasets} skeleton={<SkeletonRows rows={5} label="Loading data sets" />}>
          {({ data }) =>
            data.length === 0 ? (
              <EmptyState icon={DataIcon} title="No data sets yet" actions={create}>
                Add rows by hand, from a file, or from runs that went well.
              </EmptyState>
            ) : (
              <Table label="Data sets" columns={COLUMNS} rows={data} rowKey={({ id }) => id} />
            )
          }
        </Loaded>
      </Card>
      {creating && <CreateDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}

const COLUMNS: readonly Column<DatasetView>[] = [
  {
    key: 'name',
    title: 'Name',
    width: 'minmax(140px, 2fr)',
    cell: ({ id, name }) => (
      <Link to="/datasets/$id" params={{ id }}>
        {name}
      </Link>
    ),
  },
  { key: 'rows', title: 'Rows', width: '88px', align: 'end', cell: ({ rows }) => formatCount(rows) },
  {
    key: 'size',
    title: 'Size',
    width: '96px',
    align: 'end',
    wideOnly: true,
    cell: ({ bytes }) => <span className="cell-muted">{formatBytes(bytes)}</span>,
  },
  {
    key: 'description',
    title: 'Description',
    width: 'minmax(120px, 3fr)',
    wideOnly: true,
    cell: ({ description }) => <span className="cell-muted">{description}</span>,
  },
  { key: 'changed', title: 'Changed', width: '112px', cell: ({ updated_at }) => <RelativeTime at={updated_at} /> },
];

function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const create = async ({ name = '', description = '' }: Readonly<Record<string, string>>): Promise<void> => {
    const { id } = await api.evaluations.create_dataset({ body: { name, description } });
    await client.invalidateQueries({ queryKey: ['datasets'] });
    await navigate({ to: '/datasets/$id', params: { id } });
  };
  return (
    <Dialog title="New data set" onClose={onClose}>
      <Form label="New data set" onSubmit={create}>
        {({ busy }) => (
          <>
            <TextField name="name" label="Name" autoFocus />
            <TextField name="description" label="Description" optional />
            <FormFooter action="Create" busy={busy} onClose={onClose} />
          </>
        )}
      </Form>
    </Dialog>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type DatasetRow, type DatasetView } from '../../api/client';
import { saveResponse } from '../../app/save-file';
import {
  ActionList,
  ConfirmDialog,
  Dialog,
  Form,
  FormFooter,
  type FormValues,
  IconButton,
  Popover,
  TextField,
  toastError,
} from '../../ui';
import { DeleteIcon, DownloadIcon, EditIcon, MoreIcon } from '../../ui/icon';

/** What can be done with a data set. */
export function DatasetActions({ dataset }: { readonly dataset: DatasetView }) {
  const { id, name } = dataset;
  const client = useQueryClient();
  const navigate = useNavigate();
  const [open, setOpen] = useState<'rename' | 'delete' | null>(null);
  const close = (): void => setOpen(null);
  const actions = [
    { edits: true, label: 'Rename', icon: EditIcon, onSelect: () => setOpen('rename') },
    { label: 'Export', icon: DownloadIcon, onSelect: () => void exportRows(id, name).catch(toastError) },
    { edits: true, label: 'Delete', icon: DeleteIcon, danger: true, onSelect: () => setOpen('delete') },
  ];
  return (
    <>
      <Popover
        label={`Actions of ${name}`}
        align="end"
        trigger={(props) => <IconButton {...props} icon={MoreIcon} kind="secondary" label={`Actions of ${name}`} />}
      >
        {(onDone) => <ActionList close={onDone} actions={actions} />}
      </Popover>
      {open === 'rename' && (
        <Dialog title="Rename the data set" onClose={close}>
          <Form
            label="Data set"
            onSubmit={async ({ name: to = '', description = '' }: FormValues) => {
              await api.evaluations.update_dataset({ id, body: { name: to, description } });
              await client.invalidateQueries({ queryKey: ['datasets'] });
              close();
            }}
          >
            {({ busy }) => (
              <>
                <TextField name="name" label="Name" defaultValue={name} />
                <TextField name="description" label="Description" optional defaultValue={dataset.description ?? ''} />
                <FormFooter action="Save" busy={busy} onClose={close} />
              </>
            )}
          </Form>
        </Dialog>
      )}
      {open === 'delete' && (
        <ConfirmDialog
          title={`Delete ${name}?`}
          action="Delete the data set"
          danger
          onClose={close}
          onConfirm={async () => {
            await api.evaluations.remove_dataset({ id, force: true });
            await client.invalidateQueries({ queryKey: ['datasets', 'list'] });
            await navigate({ to: '/datasets' });
          }}
        >
          Its rows and all evaluations over it are deleted, too.
        </ConfirmDialog>
      )}
    </>
  );
}

/** Saves all rows as JSON lines, which can be uploaded again. */
async function exportRows(id: string, name: string): Promise<void> {
  const lines: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { data: DatasetRow[]; next_cursor: string | null } = await api.evaluations.rows({
      id,
      limit: 200,
      ...(cursor === '' ? {} : { cursor }),
    });
    lines.push(...page.data.map((row) => JSON.stringify(row)));
    cursor = page.next_cursor;
  }
  const headers = { 'content-type': 'application/x-ndjson' };
  await saveResponse(new Response(`${lines.join('\n')}\n`, { headers }), `${name}.jsonl`);
}

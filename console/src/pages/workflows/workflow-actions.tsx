import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type WorkflowRow } from '../../api/client';
import { saveResponse } from '../../app/save-file';
import { ActionList, ConfirmDialog, IconButton, Popover, toast, toastError } from '../../ui';
import { queryOfWorkflow } from '../../model/run-query';
import {
  BellIcon,
  CopyIcon,
  DeleteIcon,
  DownloadIcon,
  MoreIcon,
  PauseIcon,
  PlayIcon,
  RunsIcon,
  StorageIcon,
  TryIcon,
} from '../../ui/icon';
import { MoveDialog } from './move-dialog';

/** What can be done with one workflow of the list. */
export function WorkflowActions({ row }: { readonly row: WorkflowRow }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [deleting, setDeleting] = useState(false);
  const [moving, setMoving] = useState(false);
  const { id, name, enabled, version } = row;
  const isPublished = version > 0;
  const changed = (): Promise<void> => client.invalidateQueries({ queryKey: ['workflows'] });

  const act = (work: () => Promise<string>): void => {
    work()
      .then(async (done) => {
        toast(done);
        await changed();
      })
      .catch(toastError);
  };
  const start = async (): Promise<void> => {
    const run = await api.workflows.trigger({ id, body: {} });
    await navigate({ to: '/runs/$id', params: { id: run.id } });
  };
  const actions = [
    {
      label: 'Show its runs',
      icon: RunsIcon,
      onSelect: () => void navigate({ to: '/runs', search: { q: queryOfWorkflow(id) } }),
    },
    {
      label: 'Alerts',
      icon: BellIcon,
      onSelect: () => void navigate({ to: '/alerts', search: { workflow: id } }),
    },
    {
      label: 'Evaluations',
      icon: TryIcon,
      onSelect: () => void navigate({ to: '/evaluations', search: { workflow: id } }),
    },
    {
      edits: true,
      label: 'Run now',
      icon: PlayIcon,
      disabled: !enabled,
      onSelect: () => void start().catch(toastError),
    },
    {
      edits: true,
      label: enabled ? 'Disable' : 'Enable',
      icon: PauseIcon,
      disabled: !isPublished,
      onSelect: () =>
        act(async () => {
          await (enabled ? api.workflows.disable({ id }) : api.workflows.enable({ id }));
          return enabled ? `${name} is disabled` : `${name} is enabled`;
        }),
    },
    {
      edits: true,
      label: 'Duplicate',
      icon: CopyIcon,
      onSelect: () => act(async () => `${(await api.workflows.duplicate({ id })).name} is created`),
    },
    { edits: true, label: 'Move to a folder', icon: StorageIcon, onSelect: () => setMoving(true) },
    {
      label: 'Export',
      icon: DownloadIcon,
      disabled: !isPublished,
      onSelect: () =>
        act(async () => {
          const exported = await api.workflows.export({ id });
          const text = JSON.stringify(exported, null, 2);
          await saveResponse(
            new Response(text, { headers: { 'content-type': 'application/json' } }),
            `${name}.service.json`,
          );
          return `${name} is exported`;
        }),
    },
    { edits: true, label: 'Delete', icon: DeleteIcon, danger: true, onSelect: () => setDeleting(true) },
  ];
  return (
    <>
      <Popover
        label={`Actions of ${name}`}
        align="end"
        trigger={(props) => <IconButton {...props} icon={MoreIcon} label={`Actions of ${name}`} size="small" />}
      >
        {(close) => <ActionList close={close} actions={actions} />}
      </Popover>
      {moving && <MoveDialog row={row} onMoved={changed} onClose={() => setMoving(false)} />}
      {deleting && (
        <ConfirmDialog
          title={`Delete ${name}?`}
          action="Delete the workflow"
          danger
          onConfirm={async () => {
            await api.workflows.remove({ id });
            toast(`${name} is deleted`);
            await changed();
          }}
          onClose={() => setDeleting(false)}
        >
          <p>
            Its running executions are cancelled, and its runs, versions, schedules and keys are removed. This cannot be
            undone.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, type WorkflowRow } from '../../api/client';
import { Dialog, Field, FormFooter, Input, Notice, toast } from '../../ui';
import { foldersQuery } from './queries';

interface MoveDialogProps {
  readonly row: WorkflowRow;
  readonly onMoved: () => Promise<void>;
  readonly onClose: () => void;
}

/** Moves a workflow into a folder, or out of all. */
export function MoveDialog({ row: { id, name, folder }, onMoved, onClose }: MoveDialogProps) {
  const folders = useQuery(foldersQuery);
  const [text, setText] = useState(folder);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const move = (event: FormEvent): void => {
    event.preventDefault();
    setBusy(true);
    api.workflows
      .update({ id, body: { folder: text.trim() } })
      .then(async () => {
        toast(text.trim() === '' ? `${name} is in no folder` : `${name} is in ${text.trim()}`);
        await onMoved();
        onClose();
      })
      .catch((error: unknown) => setFault(error instanceof Error ? error.message : String(error)))
      .finally(() => setBusy(false));
  };
  return (
    <Dialog title={`Move ${name}`} onClose={onClose}>
      <form onSubmit={move}>
        <Field label="Folder" hint="A name, or a path such as Sales/Orders. Empty: in no folder.">
          <Input list="folder-names" autoFocus value={text} onChange={(event) => setText(event.currentTarget.value)} />
        </Field>
        <datalist id="folder-names">
          {(folders.data?.data ?? []).map((each) => (
            <option key={each.folder} value={each.folder} />
          ))}
        </datalist>
        {fault !== null && <Notice tone="danger">{fault}</Notice>}
        <FormFooter action="Move" busy={busy} onClose={onClose} />
      </form>
    </Dialog>
  );
}

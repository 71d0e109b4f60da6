import { useQueryClient } from '@tanstack/react-query';
import { type ChangeEvent, useRef, useState } from 'react';
import { api, type WorkflowFile } from '../../api/client';
import { parseJsonObject } from '../../model/json-input';
import { Button, toast, toastError } from '../../ui';
import { UploadIcon } from '../../ui/icon';

/** Creates a workflow from a file that was exported. */
export function ImportButton() {
  const client = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const read = async ({ currentTarget }: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const [file] = currentTarget.files ?? [];
    if (file === undefined) return;
    setBusy(true);
    try {
      // The server checks the content, and names what is wrong.
      const body = parseJsonObject(await file.text()) as unknown as WorkflowFile;
      const workflow = await api.workflows.import({ body });
      toast(`${workflow.name} is imported`);
      await client.invalidateQueries({ queryKey: ['workflows'] });
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(false);
      if (input.current !== null) input.current.value = '';
    }
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        className="visually-hidden"
        tabIndex={-1}
        aria-label="File to import"
        onChange={(event) => void read(event)}
      />
      <Button edits icon={UploadIcon} busy={busy} onClick={() => input.current?.click()}>
        Import
      </Button>
    </>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { type ChangeEvent, useRef, useState } from 'react';
import { api } from '../../api/client';
import { formatCount } from '../../model/format';
import { Button, toast, toastError } from '../../ui';
import { UploadIcon } from '../../ui/icon';

/** Adds the rows of a file. The server reads it, and names what is wrong. */
export function UploadButton({ id }: { readonly id: string }) {
  const client = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const send = async ({ currentTarget }: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const [file] = currentTarget.files ?? [];
    if (file === undefined) return;
    setBusy(true);
    try {
      const { added, replaced } = await api.evaluations.upload({ dataset_id: id, body: { file } });
      toast(`${formatCount(added)} rows added, ${formatCount(replaced)} replaced`);
      await client.invalidateQueries({ queryKey: ['datasets'] });
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
        accept=".csv,.json,.jsonl,text/csv,application/json"
        className="visually-hidden"
        tabIndex={-1}
        aria-label="File with rows"
        onChange={(event) => void send(event)}
      />
      <Button edits icon={UploadIcon} busy={busy} onClick={() => input.current?.click()}>
        Upload
      </Button>
    </>
  );
}

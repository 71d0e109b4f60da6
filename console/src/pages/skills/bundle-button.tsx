import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../../api/client';
import { Button, toast, toastError } from '../../ui';
import { UploadIcon } from '../../ui/icon';

/** Creates a skill of a bundle: a zip with SKILL.md, or that file alone. */
export function BundleButton({ onMade }: { readonly onMade: (id: string) => void }) {
  const client = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const read = async (file: File): Promise<void> => {
    setBusy(true);
    try {
      const { warnings, hash: _hash, ...draft } = await api.skills.upload({ body: { file } });
      const { id, name } = await api.skills.create({ body: draft });
      await client.invalidateQueries({ queryKey: ['skills'] });
      toast([`${name} is uploaded`, ...warnings].join('. '));
      onMade(id);
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".zip,.md,application/zip,text/markdown"
        className="visually-hidden"
        tabIndex={-1}
        aria-label="Bundle of a skill"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) void read(file);
          currentTarget.value = '';
        }}
      />
      <Button edits icon={UploadIcon} busy={busy} onClick={() => input.current?.click()}>
        Upload a bundle
      </Button>
    </>
  );
}

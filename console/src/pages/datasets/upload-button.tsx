import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client';
import { formatCount } from '../../model/format';
import { toast } from '../../ui';
import { FileButton } from '../../ui/file-button';

/** Adds the rows of a file. The server reads it, and names what is wrong. */
export function UploadButton({ id }: { readonly id: string }) {
  const client = useQueryClient();
  const send = async (file: File): Promise<void> => {
    const { added, replaced } = await api.evaluations.upload({ dataset_id: id, body: { file } });
    toast(`${formatCount(added)} rows added, ${formatCount(replaced)} replaced`);
    await client.invalidateQueries({ queryKey: ['datasets'] });
  };
  return (
    <FileButton label="File with rows" accept=".csv,.json,.jsonl,text/csv,application/json" onFile={send}>
      Upload
    </FileButton>
  );
}

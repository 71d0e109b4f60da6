import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client';
import { toast } from '../../ui';
import { FileButton } from '../../ui/file-button';

/** Creates a skill of a bundle: a zip with SKILL.md, or that file alone. */
export function BundleButton({ onMade }: { readonly onMade: (id: string) => void }) {
  const client = useQueryClient();
  const read = async (file: File): Promise<void> => {
    const { warnings, hash: _hash, ...draft } = await api.skills.upload({ body: { file } });
    const { id, name } = await api.skills.create({ body: draft });
    await client.invalidateQueries({ queryKey: ['skills'] });
    toast([`${name} is uploaded`, ...warnings].join('. '));
    onMade(id);
  };
  return (
    <FileButton label="Bundle of a skill" accept=".zip,.md,application/zip,text/markdown" onFile={read}>
      Upload a bundle
    </FileButton>
  );
}

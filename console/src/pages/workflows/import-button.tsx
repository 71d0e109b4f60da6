import { useQueryClient } from '@tanstack/react-query';
import { api, type WorkflowFile } from '../../api/client';
import { parseJsonObject } from '../../model/json-input';
import { toast } from '../../ui';
import { FileButton } from '../../ui/file-button';

/** Creates a workflow from a file that was exported. */
export function ImportButton() {
  const client = useQueryClient();
  const read = async (file: File): Promise<void> => {
    // The server checks the content, and names what is wrong.
    const body = parseJsonObject(await file.text()) as unknown as WorkflowFile;
    const workflow = await api.workflows.import({ body });
    toast(`${workflow.name} is imported`);
    await client.invalidateQueries({ queryKey: ['workflows'] });
  };
  return (
    <FileButton label="File to import" accept="application/json,.json" onFile={read}>
      Import
    </FileButton>
  );
}

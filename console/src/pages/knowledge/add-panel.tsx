import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client';
import { parseJsonObject } from '../../model/json-input';
import { Field, Form, FormFooter, type FormValues, SidePanel, Textarea, TextField, toast } from '../../ui';

interface AddPanelProps {
  readonly baseId: string;
  readonly kind: 'text' | 'address';
  readonly onClose: () => void;
}

/** Adds a text or a web page. */
export function AddPanel({ baseId, kind, onClose }: AddPanelProps) {
  const client = useQueryClient();
  const add = async ({ name = '', text, url, refresh = '', metadata = '' }: FormValues): Promise<void> => {
    const { name: known, duplicate } = await api.knowledge.add_document({
      id: baseId,
      body: {
        ...(kind === 'text' ? { text } : { url, ...(refresh === '' ? {} : { refresh }) }),
        ...(name.trim() === '' ? {} : { name }),
        ...(metadata.trim() === '' ? {} : { metadata: parseJsonObject(metadata) }),
      },
    });
    await client.invalidateQueries({ queryKey: ['knowledge'] });
    toast(duplicate === true ? `The base has it already: ${known}` : `${known} is added`);
    onClose();
  };
  return (
    <SidePanel title={kind === 'text' ? 'Add a text' : 'Add a web page'} onClose={onClose}>
      <Form label="Document" onSubmit={add}>
        {({ busy }) => (
          <>
            {kind === 'text' ? (
              <Field label="Text" hint="Plain text or Markdown.">
                <Textarea name="text" rows={12} required />
              </Field>
            ) : (
              <>
                <TextField name="url" label="Address" type="url" placeholder="https://example.com/terms" />
                <TextField
                  name="refresh"
                  label="Fetch it again every"
                  hint="A duration such as 1d, at least 5m. Empty: never."
                  optional
                />
              </>
            )}
            <TextField name="name" label="Name" optional />
            <Field label="Metadata" hint={'A JSON object, by which searches can be filtered.'} optional>
              <Textarea name="metadata" code rows={3} placeholder='{ "department": "people" }' spellCheck={false} />
            </Field>
            <FormFooter action="Add" busy={busy} onClose={onClose} />
          </>
        )}
      </Form>
    </SidePanel>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client';
import { parseJsonObject } from '../../model/json-input';
import { Dialog, Field, Form, FormFooter, TextField, Textarea, toast } from '../../ui';

interface SignalDialogProps {
  readonly runId: string;
  /** The name of the signal; empty where the user chooses it. */
  readonly signal: string;
  readonly onClose: () => void;
}

/** Sends a signal with data to a run. */
export function SignalDialog({ runId, signal, onClose }: SignalDialogProps) {
  const client = useQueryClient();
  return (
    <Dialog title="Send a signal" onClose={onClose}>
      <Form
        label="Send a signal"
        onSubmit={async ({ name = signal, data = '' }) => {
          const sent = await api.executions.signal({ id: runId, body: { signal: name, data: parseJsonObject(data) } });
          toast(sent.warnings?.[0]?.message ?? `The signal ${name} is sent`);
          await client.invalidateQueries({ queryKey: ['runs', runId] });
          onClose();
        }}
      >
        {({ busy }) => (
          <>
            <TextField name="name" label="Signal" defaultValue={signal} readOnly={signal !== ''} />
            <Field label="Data" hint="A JSON object; the step that waits has it as its output." optional>
              <Textarea name="data" code rows={6} placeholder="{ }" spellCheck={false} />
            </Field>
            <FormFooter action="Send" busy={busy} onClose={onClose} />
          </>
        )}
      </Form>
    </Dialog>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client';
import { Dialog, Field, Form, FormFooter, Textarea, toast, toastError } from '../../ui';

const MAX_REASON_CHARS = 500;

/** Pauses a run, with a reason that is shown with it. */
export function PauseDialog({ runId, onClose }: { readonly runId: string; readonly onClose: () => void }) {
  const client = useQueryClient();
  return (
    <Dialog title="Pause this run?" onClose={onClose}>
      <Form
        label="Pause this run"
        onSubmit={async ({ reason = '' }) => {
          await api.executions.pause({ id: runId, body: reason === '' ? {} : { reason } });
          toast('The run is paused');
          await client.invalidateQueries({ queryKey: ['runs'] });
          onClose();
        }}
      >
        {({ busy }) => (
          <>
            <p>
              Steps in progress end, and no other begins. Signals and decisions are kept. The timeout of the run keeps
              counting.
            </p>
            <Field label="Reason" hint="Shown with the run." optional>
              <Textarea name="reason" rows={2} maxLength={MAX_REASON_CHARS} />
            </Field>
            <FormFooter action="Pause" busy={busy} onClose={onClose} />
          </>
        )}
      </Form>
    </Dialog>
  );
}

/** Resumes a run; `busy` until the server has answered. */
export function useResume(runId: string): { readonly busy: boolean; readonly resume: () => void } {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const send = async (): Promise<void> => {
    setBusy(true);
    try {
      await api.executions.resume({ id: runId, body: {} });
      toast('The run is resumed');
      await client.invalidateQueries({ queryKey: ['runs'] });
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(false);
    }
  };
  return { busy, resume: () => void send() };
}

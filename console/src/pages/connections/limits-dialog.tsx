import { api, type ConnectionView } from '../../api/client';
import { Dialog, Form, FormFooter, TextField, toast } from '../../ui';

interface LimitsDialogProps {
  readonly connection: ConnectionView;
  readonly onClose: () => void;
  readonly onChanged: () => Promise<unknown>;
}

/** Sets or removes the limits of a connection; an empty field is no limit. */
export function LimitsDialog({ connection: { id, name, limits }, onClose, onChanged }: LimitsDialogProps) {
  const { rate, concurrency } = limits;
  return (
    <Dialog title={`Limits of ${name}`} onClose={onClose}>
      <Form
        label={`Limits of ${name}`}
        onSubmit={async (values) => {
          const given = (field: string): number | null => (values[field] ? Number(values[field]) : null);
          const [limit, period] = [given('limit'), given('period_seconds')];
          if ((limit === null) !== (period === null))
            throw new Error('Give both the number of steps and their period, or neither');
          await api.connections.set_limits({
            id,
            body: {
              concurrency: given('concurrency'),
              rate: limit === null || period === null ? null : { limit, period_seconds: period },
            },
          });
          toast('The limits are changed');
          onClose();
          await onChanged();
        }}
      >
        {({ busy }) => (
          <>
            <p>Steps that use this connection wait for their turn, on all executors. Waiting uses no attempt.</p>
            <TextField
              name="concurrency"
              label="Steps at one time"
              type="number"
              optional
              autoFocus
              defaultValue={String(concurrency ?? '')}
            />
            <TextField
              name="limit"
              label="Steps that begin in a period"
              type="number"
              optional
              defaultValue={String(rate?.limit ?? '')}
            />
            <TextField
              name="period_seconds"
              label="Period in seconds"
              type="number"
              hint="60 is a minute, 3600 an hour."
              optional
              defaultValue={String(rate?.period_seconds ?? '')}
            />
            <FormFooter action="Change the limits" busy={busy} onClose={onClose} />
          </>
        )}
      </Form>
    </Dialog>
  );
}

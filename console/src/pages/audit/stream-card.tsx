import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type AuditStreamView } from '../../api/client';
import { useMe } from '../../app/queries';
import { formatCount } from '../../model/format';
import {
  Badge,
  Button,
  Card,
  ConfirmDialog,
  CopyText,
  Dialog,
  Form,
  FormFooter,
  type FormValues,
  KeyValues,
  Loaded,
  Notice,
  RelativeTime,
  SkeletonRows,
  TextField,
  toast,
} from '../../ui';
import styles from './audit.module.css';
import { streamQuery } from './queries';

/** The webhook that gets each event; owners set it up. */
export function StreamCard() {
  const client = useQueryClient();
  const stream = useQuery(streamQuery);
  const isOwner = useMe().data?.role === 'owner';
  const [asking, setAsking] = useState<'set' | 'remove' | null>(null);
  const current = stream.data?.stream ?? null;
  const close = (): void => setAsking(null);
  const reload = (): Promise<void> => client.invalidateQueries({ queryKey: ['audit'] });
  return (
    <Card
      title="Stream"
      description="Each event is sent to a webhook in its order, signed, and again until it is accepted."
      actions={
        isOwner && (
          <>
            {current !== null && (
              <Button size="small" onClick={() => setAsking('remove')}>
                Stop
              </Button>
            )}
            <Button size="small" onClick={() => setAsking('set')}>
              {current === null ? 'Send to a webhook' : 'Change'}
            </Button>
          </>
        )
      }
    >
      <Loaded query={stream} skeleton={<SkeletonRows rows={1} label="Loading the stream" />}>
        {() => (current === null ? <p className="cell-muted">No webhook is set up.</p> : <State stream={current} />)}
      </Loaded>
      {asking === 'set' && <SetDialog current={current} onChanged={reload} onClose={close} />}
      {asking === 'remove' && (
        <ConfirmDialog
          title="Stop the stream?"
          action="Stop the stream"
          danger
          onConfirm={async () => {
            await api.audit.remove_stream();
            toast('The stream has ended');
            await reload();
          }}
          onClose={close}
        >
          No event is sent any more. The log itself stays as it is.
        </ConfirmDialog>
      )}
    </Card>
  );
}

function State({ stream }: { readonly stream: AuditStreamView }) {
  return (
    <KeyValues
      rows={[
        [
          'State',
          stream.state === 'ok' ? (
            <Badge key="state" tone="ok">
              Sending
            </Badge>
          ) : (
            <Badge key="state" tone="danger">
              Failing
            </Badge>
          ),
        ],
        ['To', stream.url],
        ['Not sent yet', stream.behind === 0 ? null : formatCount(stream.behind)],
        ['Last sent', stream.last_sent_at && <RelativeTime key="sent" at={stream.last_sent_at} />],
        ['Failing since', stream.failing_since && <RelativeTime key="since" at={stream.failing_since} />],
        ['Error', stream.error],
        ['Next attempt', stream.next_attempt_at && <RelativeTime key="next" at={stream.next_attempt_at} />],
      ]}
    />
  );
}

interface SetProps {
  readonly current: AuditStreamView | null;
  readonly onChanged: () => Promise<void>;
  readonly onClose: () => void;
}

function SetDialog({ current, onChanged, onClose }: SetProps) {
  const [made, setMade] = useState<string | null>(null);
  const submit = async ({ url = '', secret = '' }: FormValues): Promise<void> => {
    const set = await api.audit.set_stream({ body: { url, ...(secret === '' ? {} : { secret }) } });
    await onChanged();
    toast('Events are sent to the webhook');
    if (set.secret === null) onClose();
    else setMade(set.secret);
  };
  if (made !== null)
    return (
      <Dialog title="The secret of the webhook" onClose={onClose} closable={false}>
        <div className={styles.stack}>
          <Notice tone="warn">
            Copy it now: the receiver checks the signature with it, and it is not shown again.
          </Notice>
          <CopyText text={made} />
          <footer className="dialog-footer">
            <Button kind="primary" onClick={onClose}>
              I have copied it
            </Button>
          </footer>
        </div>
      </Dialog>
    );
  return (
    <Dialog title="Send events to a webhook" onClose={onClose}>
      <Form label="Send events to a webhook" onSubmit={submit}>
        {({ busy }) => (
          <>
            <TextField name="url" type="url" label="Address" defaultValue={current?.url ?? ''} autoFocus />
            <TextField
              name="secret"
              label="Secret"
              optional
              minLength={16}
              autoComplete="off"
              hint={
                current === null
                  ? 'Without one, a secret is made and shown.'
                  : 'Without one, the secret of before stays.'
              }
            />
            <FormFooter action="Save" busy={busy} onClose={onClose} />
          </>
        )}
      </Form>
    </Dialog>
  );
}

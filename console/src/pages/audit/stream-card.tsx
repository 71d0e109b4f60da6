import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, type AuditStreamView } from '../../api/client';
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
  KeyValues,
  Loaded,
  Notice,
  RelativeTime,
  Skeleton,
  TextField,
  toast,
  toastError,
} from '../../ui';
import styles from './audit.module.css';
import { streamQuery } from './queries';

const STATES = {
  ok: { tone: 'ok', label: 'Sending' },
  failing: { tone: 'danger', label: 'Failing' },
  paused: { tone: 'warn', label: 'Paused' },
} as const;

/** Where the events of the log are sent; owners change it. */
export function StreamCard({ isOwner }: { readonly isOwner: boolean }) {
  const client = useQueryClient();
  const stream = useQuery(streamQuery);
  const [asks, setAsks] = useState<'url' | 'remove' | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ['audit'] });
  const current = stream.data?.stream ?? null;
  const save = async (url: string): Promise<void> => {
    const set = await api.audit.set_stream({ body: { url } });
    setSecret(set.secret);
    setAsks(null);
    await refresh();
  };
  const remove = async (): Promise<void> => {
    await api.audit.remove_stream({});
    setSecret(null);
    await refresh();
  };
  return (
    <Card
      title="Stream"
      description="Each event is sent to your webhook at once, signed and in order, for a SIEM or an archive."
      actions={
        isOwner && stream.data !== undefined && current === null ? (
          <Button size="small" onClick={() => setAsks('url')}>
            Set up a stream
          </Button>
        ) : undefined
      }
    >
      <div className={styles.stack}>
        {secret !== null && (
          <Notice tone="ok">
            <strong>The secret of the signatures, shown this once</strong>
            <div className={styles.secret}>
              <CopyText text={secret} />
            </div>
          </Notice>
        )}
        <Loaded query={stream} skeleton={<Skeleton width="40%" />}>
          {() =>
            current === null ? (
              <p className={styles.meta}>
                {isOwner ? 'No stream is set up.' : 'No stream is set up. An owner of the workspace sets one up.'}
              </p>
            ) : (
              <Stream
                stream={current}
                actions={isOwner && <Actions stream={current} onChanged={refresh} onAsk={(asked) => setAsks(asked)} />}
              />
            )
          }
        </Loaded>
      </div>
      {asks === 'url' && (
        <Dialog title={current === null ? 'Set up a stream' : 'Change the address'} onClose={() => setAsks(null)}>
          <Form label="Stream" onSubmit={({ url = '' }) => save(url)}>
            {({ busy }) => (
              <>
                <TextField
                  name="url"
                  type="url"
                  label="Address of your webhook"
                  hint="It gets a POST for each event, and answers with 2xx."
                  defaultValue={current?.url ?? ''}
                  placeholder="https://siem.example.com/everstep"
                  maxLength={2_000}
                  autoFocus
                />
                <FormFooter action={current === null ? 'Set up' : 'Change'} busy={busy} onClose={() => setAsks(null)} />
              </>
            )}
          </Form>
        </Dialog>
      )}
      {asks === 'remove' && (
        <ConfirmDialog
          title="Remove the stream?"
          action="Remove"
          danger
          onConfirm={remove}
          onClose={() => setAsks(null)}
        >
          Events stay in the log, and are sent no more. A stream that is set up later begins with the events of then.
        </ConfirmDialog>
      )}
    </Card>
  );
}

function Stream({ stream, actions }: { readonly stream: AuditStreamView; readonly actions: ReactNode }) {
  const { tone, label } = STATES[stream.state];
  return (
    <>
      {stream.error !== null && stream.state === 'failing' && (
        <Notice tone="danger">
          <strong>{stream.error}</strong>
          {stream.next_attempt_at !== null && (
            <p>
              The next try is due <RelativeTime at={stream.next_attempt_at} />; later events wait.
            </p>
          )}
        </Notice>
      )}
      <KeyValues
        rows={[
          [
            'State',
            <Badge key="state" tone={tone}>
              {label}
            </Badge>,
          ],
          [
            'Address',
            <code key="url" className={styles.address}>
              {stream.url}
            </code>,
          ],
          [
            'Not sent yet',
            stream.behind === 0
              ? 'Nothing'
              : `${formatCount(stream.behind)} ${stream.behind === 1 ? 'event' : 'events'}`,
          ],
          [
            'Last sent',
            stream.last_sent_at === null ? 'Nothing yet' : <RelativeTime key="sent" at={stream.last_sent_at} />,
          ],
          [
            'Failing since',
            stream.failing_since === null ? null : <RelativeTime key="since" at={stream.failing_since} />,
          ],
        ]}
      />
      {actions}
    </>
  );
}

interface ActionsProps {
  readonly stream: AuditStreamView;
  readonly onChanged: () => Promise<void>;
  readonly onAsk: (asks: 'url' | 'remove') => void;
}

function Actions({ stream, onChanged, onAsk }: ActionsProps) {
  const [busy, setBusy] = useState<'test' | 'pause' | null>(null);
  const run = (what: 'test' | 'pause', act: () => Promise<void>): void => {
    setBusy(what);
    act()
      .then(onChanged)
      .catch(toastError)
      .finally(() => setBusy(null));
  };
  const test = async (): Promise<void> => {
    const { delivered, status, error, duration_ms } = await api.audit.test_stream({});
    if (delivered) toast(`The receiver answered ${status} after ${duration_ms} ms`);
    else toastError(new Error(error ?? `The receiver answered ${status}`));
  };
  const isPaused = stream.state === 'paused';
  const pause = async (): Promise<void> => {
    await (isPaused ? api.audit.resume_stream({}) : api.audit.pause_stream({}));
  };
  return (
    <div className={styles.actions}>
      <Button size="small" busy={busy === 'test'} onClick={() => run('test', test)}>
        Send a test
      </Button>
      <Button size="small" busy={busy === 'pause'} onClick={() => run('pause', pause)}>
        {isPaused ? 'Resume' : 'Pause'}
      </Button>
      <Button size="small" onClick={() => onAsk('url')}>
        Change the address
      </Button>
      <Button size="small" kind="danger" onClick={() => onAsk('remove')}>
        Remove
      </Button>
    </div>
  );
}

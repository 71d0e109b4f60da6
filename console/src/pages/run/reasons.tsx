import { Link } from '@tanstack/react-router';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type ExecutionView } from '../../api/client';
import { waitSentence } from '../../model/waiting';
import { AnchorButton, Button, CopyButton, LinkButton, Notice, RelativeTime, toast, toastError } from '../../ui';
import { PlayIcon } from '../../ui/icon';
import { useResume } from './pause-dialog';
import { SignalDialog } from './signal-dialog';
import styles from './run.module.css';

type Wait = ExecutionView['waiting'][number];
const MAX_SHOWN_WAITS = 5;

/** Why the run stands where it stands, each with the next act. */
export function Reasons({
  run,
  onOpenStep,
}: {
  readonly run: ExecutionView;
  readonly onOpenStep: (path: string) => void;
}) {
  const { error, waiting } = run;
  return (
    <>
      {error !== null && (
        <Notice
          tone="danger"
          actions={
            error.step_id !== null && (
              <Button size="small" onClick={() => onOpenStep(error.step_id ?? '')}>
                Open the step
              </Button>
            )
          }
        >
          <strong>{error.step_id === null ? 'The run failed' : `The step ${error.step_id} failed`}</strong>
          <p className={styles.errorText}>{error.message}</p>
        </Notice>
      )}
      {waiting
        .slice(0, MAX_SHOWN_WAITS)
        .map((wait) =>
          wait.kind === 'paused' ? (
            <PauseNotice key="paused" run={run} pause={wait} />
          ) : (
            <WaitNotice key={`${wait.kind} ${wait.step_id} ${wait.name}`} run={run} wait={wait} />
          ),
        )}
      {waiting.length > MAX_SHOWN_WAITS && (
        <Notice>{`${waiting.length - MAX_SHOWN_WAITS} more steps wait; the timeline shows all of them.`}</Notice>
      )}
    </>
  );
}

function PauseNotice({
  run,
  pause: { by = null, reason = null, since },
}: {
  readonly run: ExecutionView;
  readonly pause: Wait;
}) {
  const { busy, resume } = useResume(run.id);
  return (
    <Notice
      tone="warn"
      actions={
        <Button edits size="small" kind="primary" icon={PlayIcon} busy={busy} onClick={resume}>
          Resume
        </Button>
      }
    >
      <strong>Paused</strong>
      <span className="cell-muted">
        {by === null ? ' · since ' : ` by ${by} · since `}
        <RelativeTime at={since} />
      </span>
      {reason !== null && <p className={styles.errorText}>{reason}</p>}
      <p className="cell-muted">No step begins until the run is resumed.</p>
    </Notice>
  );
}

function WaitNotice({ run, wait }: { readonly run: ExecutionView; readonly wait: Wait }) {
  return (
    <Notice tone="warn" actions={<WaitActions run={run} wait={wait} />}>
      {wait.message !== undefined && <p className={styles.question}>{wait.message}</p>}
      {waitSentence(wait)}
      <span className="cell-muted">
        {' · since '}
        <RelativeTime at={wait.since} />
      </span>
    </Notice>
  );
}

function WaitActions({ run, wait }: { readonly run: ExecutionView; readonly wait: Wait }) {
  const client = useQueryClient();
  const [busy, setBusy] = useState<string | null>(null);
  const [signalling, setSignalling] = useState(false);
  const decide = async (approved: boolean): Promise<void> => {
    setBusy(String(approved));
    try {
      await api.executions.signal({ id: run.id, body: { signal: `approve-${wait.step_id}`, data: { approved } } });
      toast(approved ? 'Approved' : 'Rejected');
      await client.invalidateQueries({ queryKey: ['runs', run.id] });
      await client.invalidateQueries({ queryKey: ['approvals'] });
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(null);
    }
  };
  switch (wait.kind) {
    case 'approval':
      return (
        <>
          <Button edits size="small" busy={busy === 'false'} onClick={() => void decide(false)}>
            Reject
          </Button>
          <Button edits size="small" kind="primary" busy={busy === 'true'} onClick={() => void decide(true)}>
            Approve
          </Button>
        </>
      );
    case 'form':
      return wait.form_url ? (
        <>
          <CopyButton text={wait.form_url} label="Copy the link" />
          <AnchorButton size="small" href={wait.form_url} target="_blank" rel="noreferrer">
            Open the form
          </AnchorButton>
        </>
      ) : null;
    case 'signal':
      return (
        <>
          <Button edits size="small" onClick={() => setSignalling(true)}>
            Send the signal
          </Button>
          {signalling && <SignalDialog runId={run.id} signal={wait.name ?? ''} onClose={() => setSignalling(false)} />}
        </>
      );
    case 'child':
      return wait.name === null ? null : (
        <LinkButton size="small" to="/runs/$id" params={{ id: wait.name }}>
          Open the run
        </LinkButton>
      );
    case 'slot':
      return (
        <Link to="/runs" search={{ q: 'ExecutionStatus = "Running"' }}>
          Show running runs
        </Link>
      );
    default:
      return null;
  }
}

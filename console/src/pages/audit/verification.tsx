import { useState } from 'react';
import { api } from '../../api/client';
import { formatCount } from '../../model/format';
import { Button, Card, CopyText, Notice, toastError } from '../../ui';
import styles from './audit.module.css';

type Verdict = Awaited<ReturnType<typeof api.audit.verify>>;

interface Progress {
  readonly events: number;
  /** Of the last request; null before the first has answered. */
  readonly verdict: Verdict | null;
}

/** Checks the whole log, a part after the other, and stops at the first fault. */
async function verifyAll(onProgress: (progress: Progress) => void): Promise<void> {
  let [from, events]: [number | null, number] = [1, 0];
  while (from !== null) {
    const verdict: Verdict = await api.audit.verify({ from_seq: from });
    events += verdict.events;
    from = verdict.next_seq;
    onProgress({ events, verdict });
  }
}

/** Whether the log is what was written. */
export function Verification() {
  const [busy, setBusy] = useState(false);
  const [progress, setProgress] = useState<Progress | null>(null);
  const verify = (): void => {
    setBusy(true);
    setProgress({ events: 0, verdict: null });
    verifyAll(setProgress)
      .catch((error: unknown) => {
        setProgress(null);
        toastError(error);
      })
      .finally(() => setBusy(false));
  };
  return (
    <Card
      title="Verification"
      description="Each event has the hash of the one before it: a change, a gap or a forged event is found."
      actions={
        <Button size="small" busy={busy} onClick={verify}>
          Verify the log
        </Button>
      }
    >
      {progress !== null && <Outcome progress={progress} />}
    </Card>
  );
}

function Outcome({ progress: { events, verdict } }: { readonly progress: Progress }) {
  const checked = `${formatCount(events)} ${events === 1 ? 'event' : 'events'}`;
  if (verdict?.first_fault !== undefined)
    return (
      <Notice tone="danger">
        {`Event ${verdict.first_fault.seq}: ${verdict.first_fault.message}. ${checked} before it are as written.`}
      </Notice>
    );
  if (verdict?.complete !== true) return <p role="status">{`Checking … ${checked} so far`}</p>;
  return (
    <div className={styles.stack}>
      <Notice tone="ok">{`The log is as it was written: ${checked}.`}</Notice>
      {verdict.head.seq > 0 && (
        <div>
          <p className={styles.meta}>
            Keep this elsewhere: a later verification with it as anchor also finds a log that was reset as a whole.
          </p>
          <CopyText text={`${verdict.head.seq}:${verdict.head.hash}`} />
        </div>
      )}
    </div>
  );
}

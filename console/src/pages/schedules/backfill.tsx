import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type BackfillView } from '../../api/client';
import { formatCount, formatInstant } from '../../model/format';
import { DAY_MS, localInput, localInstant } from '../../model/schedules';
import { Button, Form, Notice, TextField, toast, toastError } from '../../ui';
import { PlayIcon } from '../../ui/icon';
import styles from './schedules.module.css';

interface BackfillProps {
  readonly workflowId: string;
  readonly trigger: number;
}

interface Range {
  readonly from: string;
  readonly to: string;
}

/** Starts the times of a past range that have no run, after a dry run that shows them. */
export function Backfill({ workflowId: id, trigger }: BackfillProps) {
  const client = useQueryClient();
  const [planned, setPlanned] = useState<{ readonly range: Range; readonly found: BackfillView } | null>(null);
  const [done, setDone] = useState<BackfillView | null>(null);
  const [busy, setBusy] = useState(false);
  const now = Date.now();

  const plan = async (from: string, to: string): Promise<void> => {
    const range = { from: localInstant(from) ?? '', to: localInstant(to) ?? '' };
    setDone(null);
    setPlanned({ range, found: await api.scheduler.backfill({ id, body: { trigger, ...range, dry_run: true } }) });
  };
  const start = async ({ from, to }: Range): Promise<void> => {
    setBusy(true);
    try {
      const found = await api.scheduler.backfill({ id, body: { trigger, from, to } });
      toast(`${runs(countOf(found, 'started'))} started`);
      setPlanned(null);
      setDone(found);
      await client.invalidateQueries({ queryKey: ['schedules'] });
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className={styles.backfill}>
      <p className="cell-muted">
        Starts a run for each time of a past range that has none. Times that were missed, skipped or refused are
        included.
      </p>
      <Form label="Range" onSubmit={({ from = '', to = '' }) => plan(from, to)}>
        {({ busy: checking }) => (
          <>
            <div className={styles.range}>
              <TextField name="from" label="From" type="datetime-local" defaultValue={localInput(now - DAY_MS)} />
              <TextField name="to" label="To" type="datetime-local" defaultValue={localInput(now)} />
            </div>
            <div>
              <Button edits type="submit" busy={checking}>
                Show the times
              </Button>
            </div>
          </>
        )}
      </Form>
      {planned !== null && (
        <Planned
          found={planned.found}
          busy={busy}
          onStart={() =>
            void start({ from: planned.range.from, to: planned.found.data.at(-1)?.scheduled_for ?? planned.range.to })
          }
        />
      )}
      {done?.stopped && (
        <Notice tone="danger">{`Stopped before ${timeOf(done.next_from)}: ${done.stopped.message}`}</Notice>
      )}
      {done !== null && <Times found={done} />}
    </div>
  );
}

const runs = (count: number): string => `${formatCount(count)} ${count === 1 ? 'run' : 'runs'}`;
const countOf = ({ data }: BackfillView, wanted: BackfillView['data'][number]['outcome']): number =>
  data.filter(({ outcome }) => outcome === wanted).length;
const timeOf = (at: string | null): string => (at === null ? '' : formatInstant(Date.parse(at)));

interface PlannedProps {
  readonly found: BackfillView;
  readonly busy: boolean;
  readonly onStart: () => void;
}

function Planned({ found, busy, onStart }: PlannedProps) {
  const count = countOf(found, 'planned');
  const known = countOf(found, 'exists');
  if (found.data.length === 0) return <Notice>The schedule has no time in this range.</Notice>;
  return (
    <>
      <Notice>
        {count === 0
          ? `Each of the ${formatCount(known)} times of this range has a run.`
          : `${runs(count)} would start. ${known === 0 ? 'No time of the range has a run.' : `${formatCount(known)} of the times have a run, and are left alone.`}`}
        {found.next_from !== null && ` These are the first times; the range goes on at ${timeOf(found.next_from)}.`}
      </Notice>
      <Times found={found} />
      {count > 0 && (
        <div>
          <Button edits kind="primary" icon={PlayIcon} busy={busy} onClick={onStart}>
            {`Start ${runs(count)}`}
          </Button>
        </div>
      )}
    </>
  );
}

const LABELS = { planned: 'would start', started: 'started', exists: 'has a run' } as const;

function Times({ found }: { readonly found: BackfillView }) {
  return (
    <ul className={styles.slots} tabIndex={0} aria-label="Times of the range">
      {found.data.map(({ scheduled_for, execution_id, outcome }) => (
        <li key={scheduled_for} className={styles.slot}>
          <span>{timeOf(scheduled_for)}</span>
          {execution_id === null ? (
            <span className="cell-muted">{LABELS[outcome]}</span>
          ) : (
            <Link to="/runs/$id" params={{ id: execution_id }}>
              {LABELS[outcome]}
            </Link>
          )}
        </li>
      ))}
    </ul>
  );
}

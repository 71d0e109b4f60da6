import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type ScheduleView, type SlotView } from '../../api/client';
import { formatDuration, formatInstant } from '../../model/format';
import { queryOfWorkflow } from '../../model/run-query';
import { outcomeLook, stateOf, timesOf } from '../../model/schedules';
import {
  Badge,
  Button,
  EmptyState,
  KeyValues,
  LinkButton,
  Loaded,
  RelativeTime,
  SidePanel,
  Status,
  Tabs,
  toast,
  toastError,
} from '../../ui';
import { PauseIcon, PlayIcon, ScheduleIcon } from '../../ui/icon';
import { Backfill } from './backfill';
import { scheduleQuery } from './queries';
import styles from './schedules.module.css';

/** One schedule: its settings, its next and last times, and what can be done with it. */
export function SchedulePanel({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const at = id.lastIndexOf(':');
  const [workflowId, trigger] = [id.slice(0, at), Number(id.slice(at + 1))];
  const schedule = useQuery(scheduleQuery(workflowId, trigger));
  return (
    <SidePanel
      title={schedule.data ? timesOf(schedule.data) : 'Schedule'}
      aside={schedule.data && <Status {...stateOf(schedule.data)} />}
      onClose={onClose}
    >
      <Loaded query={schedule}>
        {(data) =>
          data === null ? (
            <EmptyState icon={ScheduleIcon} title="No such schedule">
              The workflow was deleted, or its trigger was changed.
            </EmptyState>
          ) : (
            <Details workflowId={workflowId} schedule={data} />
          )
        }
      </Loaded>
    </SidePanel>
  );
}

const TABS = [
  { key: 'slots', label: 'Last times' },
  { key: 'next', label: 'Next starts' },
  { key: 'backfill', label: 'Backfill' },
] as const;
type Tab = (typeof TABS)[number]['key'];

interface DetailsProps {
  readonly workflowId: string;
  readonly schedule: ScheduleView;
}

function Details({ workflowId, schedule }: DetailsProps) {
  const [tab, setTab] = useState<Tab>('slots');
  return (
    <>
      <Actions workflowId={workflowId} schedule={schedule} />
      <KeyValues
        rows={[
          ['Time zone', schedule.timezone],
          ['While one runs', OVERLAPS[schedule.overlap_policy]],
          ['Missed times', `${MISSED[schedule.missed_policy]}, up to ${formatDuration(schedule.window_ms)} old`],
          ['Jitter', schedule.jitter_ms === 0 ? null : `up to ${formatDuration(schedule.jitter_ms)}`],
        ]}
      />
      <div>
        <Tabs label="Times of the schedule" tabs={TABS} active={tab} onChange={setTab}>
          {tab === 'slots' && <Slots slots={schedule.recent_runs} />}
          {tab === 'next' && <NextStarts starts={schedule.next_runs} />}
          {tab === 'backfill' && <Backfill workflowId={workflowId} trigger={schedule.trigger} />}
        </Tabs>
      </div>
    </>
  );
}

const OVERLAPS = { allow: 'Starts another run', queue: 'Waits for its end', skip: 'Skips the time' } as const;
const MISSED = { all: 'All are started', last: 'The last one is started', skip: 'None is started' } as const;

function Actions({ workflowId: id, schedule }: DetailsProps) {
  const client = useQueryClient();
  const [busy, setBusy] = useState<'hold' | 'fire' | null>(null);
  const { trigger, schedule_paused: held } = schedule;
  const act = (which: 'hold' | 'fire', work: () => Promise<string>): void => {
    setBusy(which);
    work()
      .then(async (done) => {
        toast(done);
        await client.invalidateQueries({ queryKey: ['schedules'] });
      })
      .catch(toastError)
      .finally(() => setBusy(null));
  };
  const hold = async (): Promise<string> => {
    const body = { trigger };
    await (held ? api.scheduler.resume({ id, body }) : api.scheduler.pause({ id, body }));
    return held ? 'The schedule is resumed' : 'The schedule is paused';
  };
  const fire = async (): Promise<string> => {
    await api.scheduler.fire({ id, body: { trigger } });
    return 'A run is started';
  };
  return (
    <div className={styles.actions}>
      <Button edits icon={PlayIcon} kind="primary" busy={busy === 'fire'} onClick={() => act('fire', fire)}>
        Start now
      </Button>
      <Button edits icon={held ? PlayIcon : PauseIcon} busy={busy === 'hold'} onClick={() => act('hold', hold)}>
        {held ? 'Resume' : 'Pause'}
      </Button>
      <LinkButton kind="ghost" to="/runs" search={{ q: queryOfWorkflow(id) }}>
        Runs
      </LinkButton>
    </div>
  );
}

function Slots({ slots }: { readonly slots: readonly SlotView[] }) {
  if (slots.length === 0)
    return (
      <EmptyState icon={ScheduleIcon} title="No times yet">
        Each fire time is listed here with its outcome and its delay.
      </EmptyState>
    );
  return (
    <ul className={styles.slots}>
      {slots.map((slot) => {
        const look = outcomeLook(slot.outcome);
        return (
          <li key={`${slot.scheduled_for} ${slot.execution_id}`}>
            <div className={styles.slot}>
              <time dateTime={slot.scheduled_for}>{formatInstant(Date.parse(slot.scheduled_for))}</time>
              <Badge tone={look.tone}>{look.label}</Badge>
            </div>
            <p className={styles.meta}>
              {slot.execution_id === null ? (
                (slot.error?.message ?? 'No run')
              ) : (
                <>
                  <Link to="/runs/$id" params={{ id: slot.execution_id }}>
                    {slot.status === null ? 'Run' : `Run ${slot.status}`}
                  </Link>
                  {slot.outcome !== 'manual' && ` · started ${formatDuration(slot.lag_ms)} after its time`}
                </>
              )}
            </p>
          </li>
        );
      })}
    </ul>
  );
}

function NextStarts({ starts }: { readonly starts: readonly string[] }) {
  if (starts.length === 0) return <p className="cell-muted">There is no next start while the schedule is paused.</p>;
  return (
    <ul className={styles.slots}>
      {starts.map((at) => (
        <li key={at} className={styles.slot}>
          <span>{formatInstant(Date.parse(at))}</span>
          <span className="cell-muted">
            <RelativeTime at={at} />
          </span>
        </li>
      ))}
    </ul>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client';
import { formatCount } from '../../model/format';
import { queryOfRuns } from '../../model/run-query';
import { Button, ConfirmDialog, LinkButton, toast, toastError } from '../../ui';
import { type Icon, PauseIcon, PlayIcon, RetryIcon, StopIcon, SwapIcon } from '../../ui/icon';

interface Act {
  readonly label: string;
  /** What has happened to the runs. */
  readonly done: string;
  readonly icon: Icon;
  /** The runs to which it applies. */
  readonly applies: string;
  /** Why none of the selection can be included. */
  readonly none: string;
  readonly text: string;
}

const ACTS = {
  retry: {
    label: 'Retry',
    done: 'retried',
    icon: RetryIcon,
    applies: 'ExecutionStatus IN ("Failed", "Cancelled")',
    none: 'None of the selected runs has failed or was cancelled, so there is nothing to retry',
    text: 'Each run starts again as a new one. Completed steps are not repeated.',
  },
  pause: {
    label: 'Pause',
    done: 'paused',
    icon: PauseIcon,
    applies: 'ExecutionStatus = "Running" AND WaitingFor != "paused"',
    none: 'All selected runs have ended or are paused, so there is nothing to pause',
    text: 'Steps in progress end, and no other begins until the runs are resumed.',
  },
  resume: {
    label: 'Resume',
    done: 'resumed',
    icon: PlayIcon,
    applies: 'WaitingFor = "paused"',
    none: 'None of the selected runs is paused, so there is nothing to resume',
    text: 'The runs go on with what has come meanwhile.',
  },
  cancel: {
    label: 'Cancel',
    done: 'cancelled',
    icon: StopIcon,
    applies: 'ExecutionStatus = "Running"',
    none: 'All selected runs have ended, so there is nothing to cancel',
    text: 'Steps in progress are interrupted. Cleanup steps still run.',
  },
} as const satisfies Readonly<Record<string, Act>>;
type Action = keyof typeof ACTS;

/** What a dry run has found. */
interface Planned {
  readonly action: Action;
  readonly matched: number;
}

interface BulkActionsProps {
  /** The selected runs, newest first. */
  readonly ids: readonly string[];
  readonly onDone: () => void;
}

/** Actions on the selected runs: a dry run first, then the action after a confirmation. Two runs can be compared. */
export function BulkActions({ ids, onDone }: BulkActionsProps) {
  const client = useQueryClient();
  const [planned, setPlanned] = useState<Planned | null>(null);
  const [busy, setBusy] = useState<Action | null>(null);
  const queryFor = (action: Action): string => `${queryOfRuns(ids)} AND ${ACTS[action].applies}`;

  const plan = async (action: Action): Promise<void> => {
    setBusy(action);
    try {
      const { matched } = await api.executions.bulk({ body: { query: queryFor(action), action, dry_run: true } });
      if (matched === 0) toastError(ACTS[action].none);
      else setPlanned({ action, matched });
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(null);
    }
  };
  const act = async (action: Action): Promise<void> => {
    const { accepted } = await api.executions.bulk({ body: { query: queryFor(action), action } });
    toast(`${runs(accepted)} ${ACTS[action].done}`);
    onDone();
    await client.invalidateQueries({ queryKey: ['runs'] });
  };
  return (
    <>
      <span className="cell-muted">{`${formatCount(ids.length)} selected`}</span>
      {(Object.keys(ACTS) as Action[]).map((action) => (
        <Button
          edits
          key={action}
          size="small"
          icon={ACTS[action].icon}
          busy={busy === action}
          onClick={() => void plan(action)}
        >
          {ACTS[action].label}
        </Button>
      ))}
      <CompareLink ids={ids} />
      {planned !== null && (
        <ConfirmDialog
          title={`${ACTS[planned.action].label} ${runs(planned.matched)}?`}
          action={`${ACTS[planned.action].label} ${runs(planned.matched)}`}
          danger={planned.action === 'cancel'}
          onConfirm={() => act(planned.action)}
          onClose={() => setPlanned(null)}
        >
          <p>{ACTS[planned.action].text}</p>
          {planned.matched < ids.length && (
            <p>{`${runs(ids.length - planned.matched)} of the selection cannot be included.`}</p>
          )}
        </ConfirmDialog>
      )}
    </>
  );
}

/** The older of two runs is the base of their comparison. */
function CompareLink({ ids: [newer, older, ...more] }: { readonly ids: readonly string[] }) {
  if (newer === undefined || older === undefined || more.length > 0) return null;
  return (
    <LinkButton size="small" icon={SwapIcon} to="/runs/$id/compare/$other" params={{ id: older, other: newer }}>
      Compare
    </LinkButton>
  );
}

const runs = (count: number): string => `${formatCount(count)} ${count === 1 ? 'run' : 'runs'}`;

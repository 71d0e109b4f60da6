import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client';
import { formatCount } from '../../model/format';
import { queryOfRuns } from '../../model/run-query';
import { Button, ConfirmDialog, toast, toastError } from '../../ui';
import { RetryIcon, StopIcon } from '../../ui/icon';

type Action = 'cancel' | 'retry';

/** What a dry run has found. */
interface Planned {
  readonly action: Action;
  readonly matched: number;
}

const LABELS = { cancel: 'Cancel', retry: 'Retry' } as const;

/** The runs to which an action applies. */
const APPLIES = {
  cancel: 'ExecutionStatus = "Running"',
  retry: 'ExecutionStatus IN ("Failed", "Cancelled")',
} as const;
const NONE = {
  cancel: 'All selected runs have ended, so there is nothing to cancel',
  retry: 'None of the selected runs has failed or was cancelled, so there is nothing to retry',
} as const;

/** Actions on the selected runs: a dry run first, then the action after a confirmation. */
export function BulkActions({ ids, onDone }: { readonly ids: readonly string[]; readonly onDone: () => void }) {
  const client = useQueryClient();
  const [planned, setPlanned] = useState<Planned | null>(null);
  const [busy, setBusy] = useState<Action | null>(null);
  const queryFor = (action: Action): string => `${queryOfRuns(ids)} AND ${APPLIES[action]}`;

  const plan = async (action: Action): Promise<void> => {
    setBusy(action);
    try {
      const { matched } = await api.executions.bulk({ body: { query: queryFor(action), action, dry_run: true } });
      if (matched === 0) toastError(NONE[action]);
      else setPlanned({ action, matched });
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(null);
    }
  };
  const act = async (action: Action): Promise<void> => {
    const { accepted } = await api.executions.bulk({ body: { query: queryFor(action), action } });
    toast(action === 'cancel' ? `${runs(accepted)} cancelled` : `${runs(accepted)} retried`);
    onDone();
    await client.invalidateQueries({ queryKey: ['runs'] });
  };
  return (
    <>
      <span className="cell-muted">{`${formatCount(ids.length)} selected`}</span>
      <Button size="small" icon={RetryIcon} busy={busy === 'retry'} onClick={() => void plan('retry')}>
        Retry
      </Button>
      <Button size="small" icon={StopIcon} busy={busy === 'cancel'} onClick={() => void plan('cancel')}>
        Cancel
      </Button>
      {planned !== null && (
        <ConfirmDialog
          title={`${LABELS[planned.action]} ${runs(planned.matched)}?`}
          action={`${LABELS[planned.action]} ${runs(planned.matched)}`}
          danger={planned.action === 'cancel'}
          onConfirm={() => act(planned.action)}
          onClose={() => setPlanned(null)}
        >
          <p>
            {planned.action === 'cancel'
              ? 'Steps in progress are interrupted. Cleanup steps still run.'
              : 'Each run starts again as a new one. Completed steps are not repeated.'}
          </p>
          {planned.matched < ids.length && (
            <p>{`${runs(ids.length - planned.matched)} of the selection cannot be included.`}</p>
          )}
        </ConfirmDialog>
      )}
    </>
  );
}

const runs = (count: number): string => `${formatCount(count)} ${count === 1 ? 'run' : 'runs'}`;

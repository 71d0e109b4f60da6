import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type ExecutionView } from '../../api/client';
import { queryOfWorkflow } from '../../model/run-query';
import { ActionList, Button, ConfirmDialog, IconButton, Popover, toast, toastError } from '../../ui';
import { MoreIcon, PauseIcon, PlayIcon, RetryIcon, RunsIcon, StopIcon, SwapIcon } from '../../ui/icon';
import { isPaused } from '../../model/waiting';
import { CompareDialog } from './compare-dialog';
import { PauseDialog, useResume } from './pause-dialog';
import { SignalDialog } from './signal-dialog';

/** What can be done with the run as a whole. */
export function RunActions({ run }: { readonly run: ExecutionView }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [asking, setAsking] = useState<'cancel' | 'signal' | 'pause' | 'compare' | null>(null);
  const [busy, setBusy] = useState(false);
  const running = run.status === 'running';
  const { busy: resuming, resume } = useResume(run.id);

  const retry = async (useLatest: boolean): Promise<void> => {
    setBusy(true);
    try {
      const started = await api.executions.retry({ id: run.id, body: useLatest ? { use_latest: true } : {} });
      toast('The retry has started');
      await navigate({ to: '/runs/$id', params: { id: started.id } });
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(false);
    }
  };
  const cancel = async (): Promise<void> => {
    await api.executions.cancel({ id: run.id });
    toast('The run is cancelled');
    await client.invalidateQueries({ queryKey: ['runs', run.id] });
  };
  const showRuns = (): void => void navigate({ to: '/runs', search: { q: queryOfWorkflow(run.workflow_def_id) } });
  return (
    <>
      {running &&
        (isPaused(run) ? (
          <Button edits kind="primary" icon={PlayIcon} busy={resuming} onClick={resume}>
            Resume
          </Button>
        ) : (
          <Button edits icon={PauseIcon} onClick={() => setAsking('pause')}>
            Pause
          </Button>
        ))}
      {running ? (
        <Button edits icon={StopIcon} onClick={() => setAsking('cancel')}>
          Cancel
        </Button>
      ) : (
        run.status !== 'completed' && (
          <Button edits kind="primary" icon={RetryIcon} busy={busy} onClick={() => void retry(false)}>
            Retry
          </Button>
        )
      )}
      <Popover
        label="More actions"
        align="end"
        trigger={(props) => <IconButton {...props} icon={MoreIcon} label="More actions" kind="secondary" />}
      >
        {(close) => (
          <ActionList
            close={close}
            actions={[
              ...(running ? [{ edits: true, label: 'Send a signal', onSelect: () => setAsking('signal') }] : []),
              ...(run.status === 'failed' || run.status === 'cancelled'
                ? [
                    {
                      edits: true,
                      label: 'Retry with the current version',
                      icon: RetryIcon,
                      onSelect: () => void retry(true),
                    },
                  ]
                : []),
              { label: 'Compare with another run', icon: SwapIcon, onSelect: () => setAsking('compare') },
              { label: 'Runs of this workflow', icon: RunsIcon, onSelect: showRuns },
            ]}
          />
        )}
      </Popover>
      {asking === 'cancel' && (
        <ConfirmDialog
          title="Cancel this run?"
          action="Cancel the run"
          danger
          onConfirm={cancel}
          onClose={() => setAsking(null)}
        >
          <p>Steps in progress are interrupted. Cleanup steps still run, and the run cannot be continued.</p>
        </ConfirmDialog>
      )}
      {asking === 'pause' && <PauseDialog runId={run.id} onClose={() => setAsking(null)} />}
      {asking === 'compare' && <CompareDialog run={run} onClose={() => setAsking(null)} />}
      {asking === 'signal' && <SignalDialog runId={run.id} signal="" onClose={() => setAsking(null)} />}
    </>
  );
}

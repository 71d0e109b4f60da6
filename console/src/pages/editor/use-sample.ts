import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../../api/client';
import { useLiveRun } from '../run/live-run';
import type { Sample } from './editor-context';

const MAX_STEPS = 200;
const NONE: Sample & { statuses: Readonly<Record<string, string>> } = {
  runId: null,
  trigger: null,
  steps: {},
  statuses: {},
};

/** Outputs and states of the steps of a run, kept up to date by the stream of the run while it runs. */
export function useSample(runId: string | undefined) {
  const { data } = useQuery({
    queryKey: ['runs', runId, 'sample'],
    queryFn: async ({ signal }) => {
      const id = runId ?? '';
      const [run, detail] = await Promise.all([
        api.executions.get({ id }, { signal }),
        api.executions.detail({ id, limit: MAX_STEPS }, { signal }),
      ]);
      return { run, steps: detail.steps };
    },
    enabled: runId !== undefined,
  });
  useLiveRun(runId ?? '', data?.run.status === 'running');
  return useMemo(() => {
    if (runId === undefined || data === undefined) return NONE;
    const steps: Record<string, unknown> = {};
    const statuses: Record<string, string> = {};
    for (const { step_id: id, path, status, output } of data.steps) {
      if (output !== null) steps[id] = output;
      // Items of a loop share the card of their step; a failure is what counts.
      const place = path.replaceAll(/\/steps(?:\[\d+\]|\.\d+)/g, '/steps');
      if (statuses[place] !== 'failed') statuses[place] = status;
    }
    return { runId, trigger: data.run.trigger, steps, statuses };
  }, [runId, data]);
}

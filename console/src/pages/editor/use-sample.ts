import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../../api/client';
import { useLiveRun } from '../run/live-run';
import type { Sample } from './editor-context';

const MAX_STEPS = 200;
/** Of each output: enough for the names of its members, and to look at. */
const MAX_VALUE_CHARS = 16 * 1024;
const NONE: Sample & { statuses: Readonly<Record<string, string>> } = {
  runId: null,
  trigger: null,
  steps: {},
  cut: {},
  statuses: {},
};

/** Outputs and states of the steps of a run, kept up to date by the stream of the run while it runs. */
export function useSample(runId: string | undefined) {
  const { data } = useQuery({
    queryKey: ['runs', runId, 'sample'],
    queryFn: async ({ signal }) => {
      const id = runId ?? '';
      const [run, detail] = await Promise.all([
        api.executions.get({ id, max_value_chars: MAX_VALUE_CHARS }, { signal }),
        api.executions.detail({ id, limit: MAX_STEPS, max_value_chars: MAX_VALUE_CHARS }, { signal }),
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
    const cut: Record<string, string> = {};
    for (const { step_id: id, path, status, output, cut: names } of data.steps) {
      if (output !== null) {
        steps[id] = output;
        if (names?.includes('output') === true) cut[id] = path;
        else delete cut[id];
      }
      // Items of a loop share the card of their step; a failure is what counts.
      const place = path.replaceAll(/\/steps(?:\[\d+\]|\.\d+)/g, '/steps');
      if (statuses[place] !== 'failed') statuses[place] = status;
    }
    return { runId, trigger: data.run.trigger, steps, cut, statuses };
  }, [runId, data]);
}

import type { Api } from '../../support/server';
import { until } from '../../support/until';

export interface Execution {
  id: string;
  status: string;
  trigger_type: string;
  output: unknown;
  error: { code: string; message: string; step_id: string | null } | null;
  waiting: { step_id: string | null; kind: string }[];
  duration_ms: number | null;
}

export interface Detail {
  execution: Execution;
  steps: {
    step_id: string;
    status: string;
    attempt: number;
    output: unknown;
    error: { code: string; message: string } | null;
  }[];
}

/** Creates a workflow with these steps; its id. */
export async function createWorkflow(
  api: Api,
  steps: unknown[],
  more: { trigger?: 'manual' | 'http'; output?: unknown } = {},
): Promise<string> {
  const { trigger = 'http', output } = more;
  const dsl = { id: 'flow', trigger: { type: trigger }, steps, ...(output === undefined ? {} : { output }) };
  return (await api.call<{ id: string }>('POST', '/api/v1/workflows', { name: 'flow', dsl })).id;
}

export const getRun = (api: Api, id: string): Promise<Execution> => api.call('GET', `/api/v1/executions/${id}`);

export const getDetail = (api: Api, id: string): Promise<Detail> => api.call('GET', `/api/v1/executions/${id}/detail`);

/** Starts by hand; the new run's id. */
export const trigger = async (api: Api, workflow: string, body: unknown = {}): Promise<string> =>
  (await api.call<{ id: string }>('POST', `/api/v1/workflows/${workflow}/trigger`, body)).id;

/** The run, once it is no longer running. */
export const ended = (api: Api, id: string, withinMs = 15_000): Promise<Execution> =>
  until(`execution ${id} ends`, () => endedOrNull(api, id), withinMs);

async function endedOrNull(api: Api, id: string): Promise<Execution | null> {
  const run = await getRun(api, id);
  return run.status === 'running' ? null : run;
}

/** The run, once it waits for this kind of event. */
export const waitingFor = (api: Api, id: string, kind: string): Promise<Execution> =>
  until(`execution ${id} waits for ${kind}`, async () => {
    const run = await getRun(api, id);
    return run.waiting.some((one) => one.kind === kind) ? run : null;
  });

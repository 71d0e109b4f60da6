import type { ActionContext } from '../../../mixins/service';
import type { App } from '../../../services/app';
import type { Engine } from '../../../services/executor/engine';
import { startRun } from '../../../services/executor/start-run';
import { ManualClock } from '../../support/manual-clock';

test('the error of a run that cannot be stored hides the database; the log has its cause', async () => {
  const fault = new Error('connect ECONNREFUSED 10.1.2.3:27017');
  const warnings: string[] = [];
  const settled: boolean[] = [];
  const engine = {
    records: {
      plan: async () => ({
        plan: { timeoutMs: null },
        concurrencyKey: null,
        labels: [],
        throttle: null,
        rateLimit: null,
        gathering: null,
        priority: null,
      }),
      usage: { place: async () => ({ at: 0, settle: (stored: boolean) => settled.push(stored) }) },
    },
    host: { begin: () => Promise.reject(fault) },
  } as unknown as Engine;
  const ctx = {
    params: { workflow_id: 'w', trigger_type: 'http', trigger: {} },
    tenantId: 't',
    log: { warn: (text: string) => warnings.push(text) },
  } as unknown as ActionContext<'executor.start'>;

  const compute = { lane: () => null };
  const started = startRun({ clock: new ManualClock(0), tracer: null, compute } as unknown as App, engine, ctx);

  await expect(started).rejects.toMatchObject({
    type: 'unavailable',
    message: 'The run could not be stored: the database does not answer. Try again',
    data: { retry_after: 5 },
    cause: fault,
  });
  // It is unknown whether the run is stored: it counts against the monthly quota until the records are read again.
  expect(settled).toEqual([true]);
  expect(warnings).toEqual(['A run of workflow w could not be stored: connect ECONNREFUSED 10.1.2.3:27017']);
});

import type { Json, JsonObject } from '../../../lib/json';
import { executorServices } from '../../support/run-services';
import { schedulerService } from '../../../services/scheduler/scheduler.service';
import { secretsService } from '../../../services/secrets/secrets.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import { type Actor, startApp, type TestApp } from '../../support/app';
import { LeapingClock } from '../../support/leaping-clock';
import { type SourceServer, startSourceServer } from '../../support/source-server';
import { until } from '../../support/until';
import { FakeAuth } from '../workflows/fakes';

const ann: Actor = { tenant_id: 'ann', user_id: 'u1', role: 'owner' };

let app: TestApp;
let source: SourceServer;
const clock = new LeapingClock();
beforeAll(async () => {
  source = await startSourceServer();
  app = await startApp({
    services: [
      new FakeAuth().service,
      secretsService,
      workflowsService,
      executorServices,
      (all) => schedulerService(all, clock),
    ],
    env: { EGRESS_ALLOW: '127.0.0.1' },
  });
});
afterAll(async () => {
  await app?.close();
  await source?.close();
});

async function created(trigger: JsonObject, steps: JsonObject[]): Promise<string> {
  const dsl = { id: 'flow', trigger, steps };
  return (await app.call('workflows.create', { name: 'Timed', dsl }, ann)).id;
}

const runsOf = async (workflow_id: string, status: 'completed' | 'running' = 'completed') =>
  (await app.call('executions.list', { workflow_id, status, limit: 100 }, ann)).data;

test('runs of a schedule that queue up go one after the other, in the order of their times', async () => {
  const id = await created({ type: 'schedule', config: { every: '1s', overlap: 'queue' } }, [
    { id: 'work', type: 'wait', config: { for: '1500ms' } },
  ]);
  await until('some wait for their turn', async () => (await runsOf(id, 'running')).length >= 3, 20_000);
  await app.call('workflows.disable', { id }, ann);
  const count = (await runsOf(id, 'running')).length + (await runsOf(id)).length;
  const ended = await until(
    'all have had it',
    async () => {
      const runs = await runsOf(id);
      return runs.length === count ? runs : null;
    },
    30_000,
  );
  const spans = await Promise.all(
    ended.map(async (run) => {
      const { execution, steps } = await app.call('executions.detail', { id: run.id }, ann);
      const [work] = steps;
      return {
        slot: String((execution.trigger as JsonObject).scheduled_for),
        from: Date.parse(work?.started_at ?? ''),
        to: Date.parse(work?.ended_at ?? ''),
      };
    }),
  );
  spans.sort((a, b) => a.from - b.from);
  expect(spans.map(({ slot }) => slot)).toEqual(spans.map(({ slot }) => slot).sort());
  for (const [n, { from }] of spans.entries()) expect(from).toBeGreaterThanOrEqual(spans[n - 1]?.to ?? 0);
}, 60_000);

test('an item of a source becomes a run that works with it, and is shown with its end', async () => {
  let list: Json[] = [{ id: 'old' }];
  source.answer = () => ({ body: { orders: list } });
  const id = await created({ type: 'http_poll', config: { url: source.url, items: 'orders', every: '10s' } }, [
    {
      id: 'total',
      type: 'set',
      config: { sum: '{{ trigger.item.price * trigger.item.count }}', of: '{{ trigger.id }}' },
    },
  ]);
  await until('the present is known', () => source.asked.length === 1);
  await until('that is written', async () => {
    const { schedule } = await app.call('workflows.schedule', { id }, ann);
    return schedule !== null && 'last_ok_at' in schedule && schedule.last_ok_at !== null;
  });
  list = [{ id: 'new', price: 7, count: 6 }, { id: 'old' }];
  const [run] = await until('the run has ended', async () => {
    clock.leap(1_000);
    const runs = await runsOf(id);
    return runs.length > 0 ? runs : null;
  });
  expect(await app.call('executions.get', { id: run?.id ?? '' }, ann)).toMatchObject({
    status: 'completed',
    trigger_type: 'http_poll',
    output: { sum: 42, of: 'new' },
  });
  const { schedule } = await app.call('workflows.schedule', { id }, ann);
  expect(schedule?.recent_runs).toMatchObject([{ item: 'new', execution_id: run?.id, status: 'completed' }]);
}, 30_000);

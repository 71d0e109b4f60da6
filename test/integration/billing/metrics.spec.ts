import type { Session } from '../../../contracts/auth/accounts';
import type { MetricsView } from '../../../contracts/billing';
import { LeapingClock } from '../../support/leaping-clock';
import { until } from '../../support/until';
import { openShop, type Shop } from './shop';

const DAY_MS = 24 * 3_600_000;
const clock = new LeapingClock();
let shop: Shop;
beforeAll(async () => {
  // Early in a day, so that what begins together begins on one day.
  clock.leap(DAY_MS - (clock.now() % DAY_MS) + 60_000);
  shop = await openShop({ clock });
});
afterAll(() => shop.close());

const actor = ({ tenant, user }: Session) => ({ tenant_id: tenant.id, user_id: user.id });

const metrics = (who: Session): Promise<MetricsView> => {
  // Answers are half a minute old at most.
  clock.leap(31_000);
  return shop.t.call('billing.metrics', {}, actor(who));
};

async function run(who: Session, type: string, config: object): Promise<string> {
  const dsl = { id: 'flow', trigger: { type: 'manual' }, steps: [{ id: 'a', type, config }] };
  const workflow = await shop.t.call('workflows.create', { name: type, dsl } as never, actor(who));
  return (await shop.t.call('workflows.trigger', { id: workflow.id, trigger: {} }, actor(who))).id;
}

const ended = (who: Session, id: string) =>
  until(`${id} has ended`, async () => (await shop.t.call('executions.get', { id }, actor(who))).status !== 'running');

test('runs are counted by day and state, against the limits', async () => {
  const who = await shop.tenant();
  await ended(who, await run(who, 'log', { message: 'x' }));
  await ended(who, await run(who, 'fail', { message: 'no' }));
  const waiting = await run(who, 'wait_for_signal', { signal: 'go' });
  const cancelled = await run(who, 'wait_for_signal', { signal: 'go' });
  await shop.t.call('executions.cancel', { id: cancelled }, actor(who));
  const executions = shop.t.app.db.collection<{ _id: string }>('executions');
  await ended(who, cancelled);
  await executions.updateMany(
    { tenant_id: who.tenant.id, status: { $ne: 'running' } },
    { $set: { tokens: 30, cost_usd: 0.1 } },
  );

  const view = await metrics(who);
  const today = new Date(clock.now()).toISOString().slice(0, 10);
  const figures = { total: 4, running: 1, completed: 1, failed: 1, cancelled: 1 };
  expect(view).toMatchObject({
    plan: 'free',
    usage: { active_workflows: 4, executions_per_month: 4, members: 1, knowledge_base_mb: 0, storage_mb: 0 },
    executions: figures,
    steps: 2,
    tokens: 90,
    cost_usd: 0.3,
  });
  expect(view.days).toHaveLength(30);
  expect(view.days.at(-1)).toEqual({ date: today, ...figures, steps: 2, tokens: 90, cost_usd: 0.3 });
  expect(view.days[0]).toEqual({
    date: new Date(clock.now() - 29 * DAY_MS).toISOString().slice(0, 10),
    total: 0,
    running: 0,
    completed: 0,
    failed: 0,
    cancelled: 0,
    steps: 0,
    tokens: 0,
    cost_usd: 0,
  });

  // A day is stored once it is over and no run of it goes on; until then it is counted again.
  clock.leap(2 * DAY_MS);
  expect((await metrics(who)).days.at(-3)).toMatchObject(figures);
  await shop.t.call('executions.signal', { id: waiting, signal: 'go' }, actor(who));
  await ended(who, waiting);
  const after = { total: 4, running: 0, completed: 2, failed: 1, cancelled: 1, steps: 3, tokens: 90, cost_usd: 0.3 };
  expect((await metrics(who)).days.at(-3)).toEqual({ date: today, ...after });
  await executions.deleteMany({ tenant_id: who.tenant.id });
  expect((await metrics(who)).days.at(-3)).toEqual({ date: today, ...after });
});

test('every step counts that was run, each item of a loop too, and none that a retry took over', async () => {
  const who = await shop.tenant();
  const inner = { id: 'b', type: 'set', config: { v: '{{ loop.item }}' } };
  const steps = [
    { id: 'a', type: 'foreach', config: { items: [1, 2, 3] }, steps: [inner] },
    { id: 'c', type: 'fail', config: { message: 'no' } },
  ];
  const dsl = { id: 'flow', trigger: { type: 'manual' }, steps };
  const workflow = await shop.t.call('workflows.create', { name: 'loop', dsl } as never, actor(who));
  const { id } = await shop.t.call('workflows.trigger', { id: workflow.id, trigger: {} }, actor(who));
  await ended(who, id);
  expect((await metrics(who)).steps).toBe(5);
  const again = await shop.t.call('executions.retry', { id }, actor(who));
  await ended(who, again.id);
  expect((await metrics(who)).steps).toBe(6);
});

test('the usage of others is not visible', async () => {
  const [who, other] = [await shop.tenant(), await shop.tenant()];
  await ended(who, await run(who, 'log', { message: 'x' }));
  expect((await metrics(other)).executions.total).toBe(0);
  const { status } = await shop.ask(null, 'GET /api/v1/metrics');
  expect(status).toBe(401);
});

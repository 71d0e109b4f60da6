import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monthOf } from '../../../lib/month';
import type { Session } from '../../../contracts/auth/accounts';
import { LeapingClock } from '../../support/leaping-clock';
import { until } from '../../support/until';
import { openShop, type Shop } from './shop';

const DAY_MS = 24 * 3_600_000;
const KEPT = 2;

let dir: string;
let shop: Shop;
const clock = new LeapingClock();

beforeAll(async () => {
  // So early in a month that a grace that begins now ends in it too.
  clock.leap(monthOf(clock.now()).end - clock.now() + DAY_MS);
  dir = await mkdtemp(join(tmpdir(), 'grace-'));
  const plans = join(dir, 'plans.json');
  const free = { active_workflows: KEPT, executions_per_month: 1 };
  await writeFile(plans, JSON.stringify({ free, pro: { executions_per_month: 3 } }));
  shop = await openShop({ clock, env: { PLANS_FILE: plans } });
});
afterAll(async () => {
  await shop.close();
  await rm(dir, { recursive: true });
});

const flow = (name: string): object => ({
  name,
  dsl: { id: 'flow', trigger: { type: 'manual' }, steps: [{ id: 'a', type: 'log', config: { message: 'x' } }] },
});
const actor = ({ tenant, user }: Session) => ({ tenant_id: tenant.id, user_id: user.id });

async function workflows(who: Session, ...names: string[]): Promise<string[]> {
  const ids = [];
  for (const name of names) {
    ids.push((await shop.t.call('workflows.create', flow(name) as never, actor(who))).id);
    // The time of creation distinguishes them.
    clock.leap(5);
  }
  return ids;
}

const enabled = async (who: Session): Promise<string[]> =>
  (await shop.t.call('workflows.list', {}, actor(who))).data
    .flatMap((row) => (row.enabled ? [row.name] : []))
    .reverse();

/** What the provider says of a subscription from now on, delivered and worked on. */
async function becomes(held: Awaited<ReturnType<Shop['subscriber']>>['held'], status: string): Promise<void> {
  held.status = status;
  const event = shop.provider.subscriptionEvent('customer.subscription.updated', held);
  expect((await shop.deliver(event)).status).toBe(200);
  await shop.settled(event.id);
}

/** Background jobs run every quarter of a minute; an event without an effect makes them run now. */
async function look(): Promise<void> {
  await shop.deliver(shop.provider.event('customer.subscription.updated', { object: 'subscription' }));
}

test('while the grace lasts, as many runs start as before, and have as long a history; then no more than the plan allows', async () => {
  const { who, held } = await shop.subscriber('pro');
  const [id] = (await workflows(who, 'only')) as [string];
  const start = () => shop.t.call('workflows.trigger', { id, trigger: {} }, actor(who));
  await start();
  await becomes(held, 'canceled');
  clock.leap(10_000);
  await start();
  await start();
  await expect(start()).rejects.toMatchObject({ type: 'quota_exceeded', code: 402 });
  const allowance = () => shop.t.call('billing.allowance', {}, { tenant_id: who.tenant.id, role: 'service' });
  expect(await allowance()).toEqual({ executions_per_month: 3, history_days: 180 });
  clock.leap(7 * DAY_MS);
  expect(await allowance()).toEqual({ executions_per_month: 0, history_days: 0 });
  await expect(start()).rejects.toMatchObject({ type: 'quota_exceeded' });
});

test('a lower plan leaves everything as it is for a week, then disables the newest workflows and deletes nothing', async () => {
  const { who, held } = await shop.subscriber('pro');
  await workflows(who, 'first', 'second', 'third', 'fourth');
  await becomes(held, 'canceled');
  const canceled = await shop.subscription(who);
  expect(canceled).toMatchObject({ plan: 'free', status: 'canceled', limits: { active_workflows: KEPT } });
  expect(Date.parse(canceled.grace_until as string) - clock.now()).toBeGreaterThan(7 * DAY_MS - 60_000);
  expect(canceled.notices.at(-1)).toMatchObject({
    kind: 'grace_began',
    message: expect.stringContaining('Nothing is deleted'),
  });

  clock.leap(6 * DAY_MS);
  await look();
  expect(await enabled(who)).toEqual(['first', 'second', 'third', 'fourth']);

  clock.leap(DAY_MS);
  await look();
  const ended = await until('the grace is over', async () => {
    const view = await shop.subscription(who);
    return view.grace_until === null ? view : null;
  });
  expect(await enabled(who)).toEqual(['first', 'second']);
  expect(ended.usage.active_workflows).toBe(KEPT);
  expect(ended.notices.at(-1)).toMatchObject({
    kind: 'workflows_disabled',
    workflows: [{ name: 'fourth' }, { name: 'third' }],
  });
  const events = await shop.audited(who, 'workflow.disable');
  expect(events.map(({ target, actor: by }) => [target.name, by.type])).toEqual([
    ['third', 'service'],
    ['fourth', 'service'],
  ]);

  await becomes(held, 'active');
  expect(await shop.subscription(who)).toMatchObject({ plan: 'pro', grace_until: null });
  expect(await enabled(who)).toEqual(['first', 'second']);
});

test('who is back before the grace is over keeps everything', async () => {
  const { who, held } = await shop.subscriber('pro');
  await workflows(who, 'first', 'second', 'third');
  await becomes(held, 'canceled');
  clock.leap(3 * DAY_MS);
  await becomes(held, 'active');
  clock.leap(10 * DAY_MS);
  await look();
  await becomes(held, 'active');
  expect(await enabled(who)).toEqual(['first', 'second', 'third']);
});

test('who goes on after a crash names all that was disabled, and disables no others', async () => {
  const { who, held } = await shop.subscriber('pro');
  const ids = await workflows(who, 'first', 'second', 'third', 'fourth');
  await becomes(held, 'canceled');
  // As a process leaves it that has died after the first of two.
  const fourth = { id: ids[3] as string, name: 'fourth' };
  const third = { id: ids[2] as string, name: 'third' };
  await shop.t.app.db
    .collection<{ _id: string }>('subscriptions')
    .updateOne({ _id: who.tenant.id }, { $set: { 'grace.disabled': [fourth, third] }, $inc: { rev: 1 } });
  await shop.t.call('workflows.suspend', { id: fourth.id }, { tenant_id: who.tenant.id, role: 'service' });
  clock.leap(8 * DAY_MS);
  await look();
  const { notices } = await until('the grace is over', async () => {
    const view = await shop.subscription(who);
    return view.grace_until === null ? view : null;
  });
  expect(notices.at(-1)?.workflows).toEqual([fourth, third]);
  expect(await enabled(who)).toEqual(['first', 'second']);
  expect(await shop.audited(who, 'workflow.disable')).toHaveLength(2);
});

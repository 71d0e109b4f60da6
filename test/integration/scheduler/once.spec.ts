import { until } from '../../support/until';
import type { FakeExecutor } from '../workflows/fakes';
import { Site } from './site';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Clocks of Berlin are put back at 1:00 UTC that day, from 3:00 to 2:00. */
const BEFORE_THE_CHANGE = Date.UTC(2026, 9, 25, 0, 30);
const WORKFLOWS = 150;
const MINUTES = 100;

let site: Site;
beforeEach(async () => {
  site = await Site.openCluster({ schedulers: 2, executors: 3 });
});
afterEach(() => site?.close());

/** Every minute of a span in UTC, as far as `keep` says. */
const minutes = (keep: (at: Date) => boolean): string[] =>
  Array.from({ length: MINUTES }, (_, n) => new Date(BEFORE_THE_CHANGE + (n + 1) * MINUTE))
    .filter(keep)
    .map((at) => at.toISOString());

const startsOf = (executor: FakeExecutor): string[] =>
  [...executor.runs.values()].map(({ params }) => `${params.workflow_id} ${String(params.trigger.scheduled_for)}`);

test('10,000 slots across a change of clocks are each started once, while schedulers die', async () => {
  site.clock.advance(BEFORE_THE_CHANGE - site.clock.now());
  const config = { timezone: 'Europe/Berlin', missed: 'all', window: '1d' };
  const ids: string[] = [];
  // Half of them of every minute, half of minutes of named hours, of which those from 2:00 to 3:00 come twice.
  for (let n = 0; n < WORKFLOWS; n += 1)
    ids.push(await site.workflow({ ...config, cron: n % 2 === 0 ? '* * * * *' : '* 0-22 * * *' }));

  for (let minute = 1; minute <= MINUTES; minute += 1) {
    site.clock.advance(MINUTE);
    // Under way, between a start and what is written of it, now and then.
    if (minute % 20 === 0) {
      const before = site.executor.runs.size;
      await until('starts are under way', () => {
        site.clock.advance(1);
        return site.executor.runs.size > before;
      });
      await site.kill();
      await site.addScheduler();
    }
    if (minute % 3 === 0) await site.quiet();
  }
  await site.pass(MINUTE);
  await site.pass(MINUTE);

  const always = minutes(() => true);
  const firstTime = minutes(
    (at) => at.getTime() < Date.UTC(2026, 9, 25, 1) || at.getTime() >= Date.UTC(2026, 9, 25, 2),
  );
  const end = BEFORE_THE_CHANGE + MINUTES * MINUTE;
  const within = (slots: string[]) => slots.filter((slot) => Date.parse(slot) <= end);
  for (const [n, id] of ids.entries()) expect(within(site.slotsOf(id))).toEqual(n % 2 === 0 ? always : firstTime);
  const started = startsOf(site.executor);
  expect(new Set(started).size).toBe(started.length);
  expect(started.length).toBeGreaterThan(10_000);
}, 600_000);

test('what hangs at the executors for one tenant does not hold up another', async () => {
  const bob = { tenant_id: 'bob', user_id: 'u2', role: 'owner' as const };
  for (let n = 0; n < 120; n += 1) await site.workflow({ every: '1h' });
  site.executor.hanging.add('ann');
  const theirs = await site.workflow({ every: '1h' }, { actor: bob });
  site.clock.advance(HOUR);
  await until(
    'the other one is started',
    () => {
      site.clock.advance(10);
      return site.slotsOf(theirs).length === 1;
    },
    4_000,
  );
}, 60_000);

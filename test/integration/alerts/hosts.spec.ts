import type { EndedRun } from '../../../contracts/alerts';
import { randomId } from '../../../lib/ids';
import { alertsService } from '../../../services/alerts/alerts.service';
import type { TestApp } from '../../support/app';
import { startApp } from '../../support/app';
import { until } from '../../support/until';
import { AlertSite } from './site';

let site: AlertSite;
const others: TestApp[] = [];
beforeAll(async () => {
  site = await AlertSite.open();
  const { config } = site.app.app;
  for (let n = 0; n < 2; n += 1)
    others.push(
      await startApp({
        database: site.database,
        services: [(each) => alertsService(each, site.clock), fakesOf()],
        env: { EGRESS_ALLOW: new URL(site.receiver.url).host, BASE_URL: config.baseUrl ?? '' },
      }),
    );
}, 60_000);
afterAll(async () => {
  await Promise.all(others.map((each) => each.close()));
  await site?.close();
});

/** The other hosts are alone on their buses: what they ask of workflows, they ask there. */
function fakesOf() {
  return () => ({
    name: 'workflows',
    actions: {
      names: ({ params }: { params: { ids: string[] } }) => ({ data: params.ids.map((id) => ({ id, name: id })) }),
    },
  });
}

test('several hosts count each run once, and one of them sends each notice', async () => {
  const workflows = await Promise.all(['One', 'Two', 'Three'].map((name) => site.workflow(name)));
  const inRow = await site.alert({ condition: { kind: 'failures_in_row', failures: 2 } });
  const rate = await site.alert({
    condition: { kind: 'failure_rate', percent: 10, window: '1h', min_runs: 100 },
    channels: [{ kind: 'webhook', url: `${site.receiver.url}/rate` }],
  });
  const hosts = [site.app, ...others];
  const owner = { tenant_id: site.tenantId, role: 'service' as const };
  const started = Date.now();
  let at = started;
  const all: EndedRun[] = [];
  for (let n = 0; n < 600; n += 1) {
    const workflow_id = workflows[n % 3] as string;
    // Of each workflow: eight that fail and two that do not.
    const status = Math.floor(n / 3) % 10 < 8 ? ('failed' as const) : ('completed' as const);
    all.push({ id: randomId(), workflow_id, workflow_name: 'W', status, ended_at: (at += 1), duration_ms: 5 });
  }
  // A host reports each of them, and another one reports some of them again, as after a crash.
  for (let from = 0; from < all.length; from += 30) {
    const some = all.slice(from, from + 30);
    await Promise.all(some.map((run, n) => (hosts[n % 3] as TestApp).call('alerts.observe', { run }, owner)));
    await Promise.all(some.slice(0, 7).map((run) => (hosts[1] as TestApp).call('alerts.observe', { run }, owner)));
  }
  await site.counted(all.map(({ id }) => id));
  const notices = await site.notices(inRow.id, 3);
  // It comes and goes twenty times: one opening and one end for each workflow within the quiet period.
  const opened = notices.filter(({ kind }) => kind === 'opened');
  expect(new Set(opened.map(({ workflow_id }) => workflow_id))).toEqual(new Set(workflows));
  expect(opened).toHaveLength(3);
  const watches = await site.app.app.db.collection('alert_watches').find({ rule_id: inRow.id }).toArray();
  for (const { watch } of watches) {
    const { incident } = JSON.parse(String(watch)) as { incident: { kind: string; track: { count: number } } };
    // All failures of 20 rounds, as an incident that goes on counts its first failures, too.
    expect(incident).toMatchObject({ kind: 'over', track: { count: 160 } });
  }
  const ratios = await site.app.app.db.collection('alert_watches').find({ rule_id: rate.id }).toArray();
  const totals = ratios.map(({ watch }) => {
    const { meter } = JSON.parse(String(watch)) as {
      meter: { window: { parts: { total: number; failed: number }[] } };
    };
    const sum = (of: 'total' | 'failed') => meter.window.parts.reduce((all, part) => all + part[of], 0);
    return [sum('total'), sum('failed')];
  });
  expect(totals).toEqual([
    [200, 160],
    [200, 160],
    [200, 160],
  ]);
  await until(
    'every notice has arrived',
    () => site.hooks('/rate').length === 3 && site.hooks().length >= notices.length,
  );
  const ids = site.receiver.asked.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(ids.length);
}, 60_000);

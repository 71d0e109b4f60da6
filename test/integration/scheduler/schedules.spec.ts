import { AppError } from '../../../lib/errors';
import type { Json } from '../../../lib/json';
import { until } from '../../support/until';
import { Site } from './site';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let site: Site;
beforeEach(async () => {
  site = await Site.open();
});
afterEach(() => site?.close());

const disable = (id: string) => site.hub.call('workflows.disable', { id }, site.ann);
const enable = (id: string) => site.hub.call('workflows.enable', { id }, site.ann);
const only = <T>(items: readonly T[]): T => {
  expect(items).toHaveLength(1);
  return items[0] as T;
};

describe('a workflow with a schedule', () => {
  test('starts when its time comes, and says when and for which time', async () => {
    const id = await site.workflow({ cron: '30 9 * * *', timezone: 'Europe/Berlin' });
    await site.pass(8.5 * HOUR - 1);
    expect(site.slotsOf(id)).toEqual([]);
    await site.pass(1);
    const { params } = site.executor.only;
    expect(params).toMatchObject({
      workflow_id: id,
      trigger_type: 'schedule',
      trigger: {
        scheduled_for: '2026-01-01T08:30:00.000Z',
        fired_at: expect.stringMatching(/^2026-01-01T08:30:00/),
        cron: '30 9 * * *',
        timezone: 'Europe/Berlin',
      },
    });
  });

  test('shows its next starts, which are the real ones, and what became of the last', async () => {
    const id = await site.workflow({ every: '90s', jitter: '10s' });
    const { next_runs: coming, ...before } = await site.schedule(id);
    expect(before).toEqual({
      type: 'schedule',
      trigger: 0,
      every: '90s',
      timezone: 'UTC',
      paused: false,
      schedule_paused: false,
      recent_runs: [],
      missed_policy: 'last',
      window_ms: HOUR,
      overlap_policy: 'allow',
      jitter_ms: 10_000,
    });
    expect(coming).toHaveLength(5);
    for (const next of coming) {
      const runs = site.executor.runs.size;
      await site.pass(Date.parse(next) - site.clock.now() - 1);
      expect(site.executor.runs.size).toBe(runs);
      await site.pass(1);
      expect(site.executor.runs.size).toBe(runs + 1);
    }
    const { recent_runs: recent } = await site.schedule(id);
    expect(recent.map(({ scheduled_for }) => scheduled_for)).toEqual(
      [450, 360, 270, 180, 90].map((seconds) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString()),
    );
    expect(recent[0]).toMatchObject({ outcome: 'fired', status: 'running', error: null });
    expect(site.executor.runs.has(recent[0]?.execution_id ?? '')).toBe(true);
  });

  test('of several schedules shows the first, and all', async () => {
    const triggers: Json[] = [
      { type: 'manual' },
      { type: 'schedule', config: { every: '1h' } },
      { type: 'schedule', config: { cron: '@daily' } },
    ];
    const dsl = { id: 'flow', triggers, steps: [{ id: 's', type: 'set', config: {} }] };
    const { id } = await site.hub.call('workflows.create', { name: 'Two', dsl }, site.ann);
    const { schedule, schedules } = await site.hub.call('workflows.schedule', { id }, site.ann);
    expect(schedules).toMatchObject([{ every: '1h' }, { cron: '@daily' }]);
    expect(schedule).toEqual(schedules?.[0]);
    await site.pass(24 * HOUR);
    // Both begin at midnight, each with a run of its own.
    expect(site.slotsOf(id).filter((slot) => slot === '2026-01-02T00:00:00.000Z')).toHaveLength(2);
  });

  test('keeps a history of its last times', async () => {
    const id = await site.workflow({ every: '1m' });
    for (let n = 0; n < 150; n += 1) await site.pass(MINUTE);
    const kept = await site.db.collection('schedule_slots').countDocuments({ schedule_id: `${id}:0` });
    expect(kept).toBeGreaterThanOrEqual(50);
    expect(kept).toBeLessThan(150);
    expect((await site.schedule(id)).recent_runs).toHaveLength(20);
  }, 60_000);
});

describe('while it is disabled', () => {
  test('it does not start, and starts nothing of that later on', async () => {
    const id = await site.workflow({ cron: '0 * * * *', missed: 'all', window: '30d' });
    await disable(id);
    expect(await site.schedule(id)).toMatchObject({ paused: true, next_runs: [] });
    await site.pass(3 * HOUR + MINUTE);
    await enable(id);
    expect(await site.schedule(id)).toMatchObject({ paused: false });
    await site.pass(HOUR);
    expect(site.slotsOf(id)).toEqual(['2026-01-01T04:00:00.000Z']);
  });

  test('its beat is kept', async () => {
    const id = await site.workflow({ every: '1h' });
    await disable(id);
    await site.pass(2 * HOUR + 20 * MINUTE);
    await enable(id);
    expect((await site.schedule(id)).next_runs[0]).toBe('2026-01-01T03:00:00.000Z');
  });

  test('a workflow that waits for approval is paused as well', async () => {
    site.auth.tenants.set('ann', { approval: true });
    const member = { ...site.ann, role: 'member' as const };
    const id = await site.workflow({ cron: '0 * * * *' }, { actor: member });
    await site.pass(HOUR);
    expect(await site.schedule(id)).toMatchObject({ paused: true });
    await site.hub.call('workflows.approve', { id }, site.ann);
    await site.pass(HOUR);
    expect(site.slotsOf(id)).toEqual(['2026-01-01T02:00:00.000Z']);
  });
});

describe('a change', () => {
  const dslWith = (config: Record<string, string>, value = 1) => ({
    id: 'flow',
    trigger: { type: 'schedule', config },
    steps: [{ id: 's', type: 'set', config: { value } }],
  });

  test('of the trigger counts at once', async () => {
    const id = await site.workflow({ cron: '0 * * * *' });
    await site.hub.call('workflows.update', { id, dsl: dslWith({ cron: '15 * * * *' }) }, site.ann);
    expect((await site.schedule(id)).next_runs[0]).toBe('2026-01-01T00:15:00.000Z');
    await site.pass(HOUR);
    expect(site.slotsOf(id)).toEqual(['2026-01-01T00:15:00.000Z']);
  });

  test('of anything else leaves the beat alone', async () => {
    const id = await site.workflow({ every: '1h' });
    await site.pass(30 * MINUTE);
    await site.hub.call('workflows.update', { id, dsl: dslWith({ every: '1h' }, 2) }, site.ann);
    expect((await site.schedule(id)).next_runs[0]).toBe('2026-01-01T01:00:00.000Z');
  });

  test('that takes the schedule away, or the workflow, ends it', async () => {
    const [first, second] = [await site.workflow({ every: '1h' }), await site.workflow({ every: '1h' })];
    await site.hub.call(
      'workflows.update',
      { id: first, dsl: { ...dslWith({}), trigger: { type: 'manual' } } },
      site.ann,
    );
    await site.hub.call('workflows.remove', { id: second }, site.ann);
    expect(await site.hub.call('workflows.schedule', { id: first }, site.ann)).toEqual({ schedule: null });
    expect(await site.db.collection('schedules').countDocuments()).toBe(0);
    await site.pass(2 * HOUR);
    expect(site.executor.runs.size).toBe(0);
  });

  test('whose event the scheduler missed is sent to it later', async () => {
    await site.close();
    site = await Site.openCluster();
    await site.kill();
    const id = await site.workflow({ every: '1h' });
    await site.addScheduler();
    await until('the schedule is there', async () => {
      return (await site.hub.call('workflows.schedule', { id }, site.ann)).schedule !== null;
    });
    await until('the mark is gone', async () => {
      return (await site.db.collection('workflows').countDocuments({ unsynced: true })) === 0;
    });
  }, 20_000);

  test('whose event comes late undoes nothing newer', async () => {
    const id = await site.workflow({ every: '1h' });
    await disable(id);
    const stale = { workflow_id: id, revision: 0, active: true, timers: [] };
    await site.hub.call('scheduler.sync', stale, { tenant_id: 'ann', role: 'service' });
    expect(await site.schedule(id)).toMatchObject({ paused: true });
  });

  test('a workflow that was deleted unheard is forgotten when its time comes', async () => {
    const id = await site.workflow({ every: '1h' });
    await site.db.collection('workflows').deleteOne({ _id: id as never });
    await until('it is forgotten', async () => {
      site.clock.advance(HOUR);
      return (await site.db.collection('schedules').countDocuments()) === 0;
    });
    expect(site.executor.runs.size).toBe(0);
  });
});

describe('what cannot be started', () => {
  test('since the workflow may not start now is refused once, and goes on with the next time', async () => {
    const id = await site.workflow({ cron: '0 * * * *' }, { step: { key: '{{ secret.MISSING }}' } });
    await site.pass(HOUR);
    const refused = only((await site.schedule(id)).recent_runs);
    expect(refused).toMatchObject({ outcome: 'refused', execution_id: null, error: { code: 'unknown_secret' } });
    site.executor.startFaults.push(new AppError('quota_exceeded', 'Enough for this month'));
    await site.hub.call('secrets.put', { name: 'MISSING', value: 'a value' }, site.ann);
    await site.pass(HOUR);
    expect((await site.schedule(id)).recent_runs[0]).toMatchObject({
      outcome: 'refused',
      error: { code: 'quota_exceeded', message: 'Enough for this month' },
    });
    await site.pass(HOUR);
    expect(site.slotsOf(id)).toEqual(['2026-01-01T03:00:00.000Z']);
  });

  test('for a moment is tried again', async () => {
    const id = await site.workflow({ cron: '0 * * * *' });
    site.executor.startFaults.push(new AppError('timed_out', 'Too slow'), new AppError('timed_out', 'Too slow'));
    await site.pass(HOUR);
    expect(site.executor.runs.size).toBe(0);
    await site.pass(1_000);
    await site.pass(1_000);
    expect(site.slotsOf(id)).toEqual(['2026-01-01T01:00:00.000Z']);
    expect(only((await site.schedule(id)).recent_runs)).toMatchObject({ outcome: 'fired' });
  });

  test('for as long as it counts is given up', async () => {
    const id = await site.workflow({ cron: '0 * * * *', missed: 'skip' });
    for (let n = 0; n < 100; n += 1) site.executor.startFaults.push(new AppError('timed_out', 'Too slow'));
    await site.pass(HOUR);
    await site.pass(2 * MINUTE);
    expect(only((await site.schedule(id)).recent_runs)).toMatchObject({
      outcome: 'failed',
      error: { code: 'unavailable', message: 'Too slow' },
    });
    site.executor.startFaults.length = 0;
    await site.pass(58 * MINUTE);
    expect(site.slotsOf(id)).toEqual(['2026-01-01T02:00:00.000Z']);
  });

  test('an outage is recorded for each fire time, and the last one starts late', async () => {
    const id = await site.workflow({ cron: '*/10 * * * *' });
    await site.pass(35 * MINUTE);
    const { recent_runs: recent } = await site.schedule(id);
    expect(recent.map(({ outcome }) => outcome)).toEqual(['late', 'missed', 'missed']);
    expect(recent[0]?.scheduled_for).toBe('2026-01-01T00:30:00.000Z');
    expect(recent[0]?.lag_ms).toBeGreaterThanOrEqual(5 * MINUTE);
  });
});

describe('a run that is not over when the next one is to begin', () => {
  const end = (): void => {
    for (const { view } of site.executor.runs.values()) view.status = 'completed';
  };

  test('is left alone', async () => {
    const id = await site.workflow({ cron: '0 * * * *' });
    await site.pass(HOUR);
    await site.pass(HOUR);
    expect(site.slotsOf(id)).toHaveLength(2);
    expect(site.executor.runs.values().next().value?.params.queue).toBeUndefined();
  });

  test('lets the next one be skipped', async () => {
    const id = await site.workflow({ cron: '0 * * * *', overlap: 'skip' });
    await site.pass(HOUR);
    await site.pass(HOUR);
    expect((await site.schedule(id)).recent_runs.map(({ outcome }) => outcome)).toEqual(['skipped', 'fired']);
    end();
    await site.pass(HOUR);
    expect(site.slotsOf(id)).toEqual(['2026-01-01T01:00:00.000Z', '2026-01-01T03:00:00.000Z']);
  });

  test('lets the next one queue up', async () => {
    const id = await site.workflow({ cron: '0 * * * *', overlap: 'queue' });
    await site.pass(HOUR);
    await site.pass(HOUR);
    expect(site.slotsOf(id)).toHaveLength(2);
    expect([...site.executor.runs.values()].map(({ params }) => params.queue)).toEqual(['schedule', 'schedule']);
  });
});

test('another tenant sees nothing of it', async () => {
  const id = await site.workflow({ every: '1h' });
  const bob = { tenant_id: 'bob', role: 'owner' as const };
  await expect(site.hub.call('workflows.schedule', { id }, bob)).rejects.toMatchObject({ type: 'not_found' });
  const service = { tenant_id: 'bob', role: 'service' as const };
  expect(await site.hub.call('scheduler.state', { workflow_id: id }, service)).toEqual({ schedules: [] });
});

import type { AlertView } from '../../../contracts/alerts';
import { registerTenant } from '../../support/accounts';
import { join } from '../../support/team';
import { AlertSite } from './site';

let site: AlertSite;
beforeAll(async () => {
  site = await AlertSite.open();
}, 60_000);
afterAll(() => site?.close());

const IN_ROW = { kind: 'failures_in_row', failures: 1 };
const HOOK = { kind: 'webhook', url: 'https://hooks.example.com/services/T000/aVerySecretSegment?key=1' };
const post = (body: object, api = site.ann) => api.ask<{ details: { path: string }[] }>('POST', '/api/v1/alerts', body);

describe('a rule', () => {
  test('shows its webhook without secrets, keeps them when it is sent back, and says the new one once', async () => {
    const made = await site.alert({ channels: [HOOK] });
    const [shown] = made.channels;
    expect(shown).toMatchObject({ url: 'https://hooks.example.com/services/T000/***?***' });
    const got = await site.ann.call<AlertView>('GET', `/api/v1/alerts/${made.id}`);
    expect(got.channels).toEqual([{ ...shown, secret: null }]);
    const open = async (): Promise<string> => {
      const { data } = await site.ann.call<{ data: unknown[] }>('GET', '/api/v1/alerts');
      return JSON.stringify(data);
    };
    expect(await open()).not.toContain('aVerySecretSegment');
    const kept = await site.ann.call<AlertView>('PUT', `/api/v1/alerts/${made.id}`, { ...got, name: 'Renamed' });
    expect(kept.channels).toEqual(got.channels);
    const stored = await site.app.app.db.collection('alert_rules').findOne({ _id: made.id as never });
    expect(JSON.stringify(stored)).not.toContain('aVerySecretSegment');
    const given = await site.ann.call<AlertView>('PUT', `/api/v1/alerts/${made.id}`, {
      ...got,
      channels: [{ ...HOOK }],
    });
    expect(given.channels[0]).toMatchObject({ secret: expect.stringMatching(/^whsec_/) });
    const events = await site.ann.call<{ data: { action: string }[] }>('GET', '/api/v1/audit?limit=50');
    expect(events.data.map(({ action }) => action)).toEqual(expect.arrayContaining(['alert.create', 'alert.update']));
    expect(JSON.stringify(events)).not.toContain('aVerySecretSegment');
  });

  test('is refused with every fault of it', async () => {
    const faults = await post({
      name: 'x',
      scope: { kind: 'workflows' },
      condition: { kind: 'failure_rate', percent: 200, window: '10s' },
      channels: [{ kind: 'webhook', url: 'ftp://x' }, { kind: 'mail' }],
      quiet_period: '1s',
    });
    expect(faults.status).toBe(400);
    expect(faults.body.details.map(({ path }) => path)).toEqual([
      'condition.percent',
      'condition.window',
      'condition.min_runs',
      'scope.workflow_ids',
      'quiet_period',
      'channels[0].url',
      'channels[1].to',
    ]);
    const budget = { kind: 'budget', of: 'tokens', per: 'month', percent_of_plan: 80 };
    expect((await post({ name: 'x', condition: budget, channels: [HOOK] })).body.details).toMatchObject([
      { path: 'condition.percent_of_plan' },
    ]);
    const scope = { kind: 'workflows', workflow_ids: ['00000000-0000-4000-8000-000000000000'] };
    expect((await post({ name: 'x', scope, condition: IN_ROW, channels: [HOOK] })).body.details).toEqual([
      { path: 'scope.workflow_ids[0]', message: 'there is no such workflow' },
    ]);
  });

  test('has a name of its own, and is found by its workflow', async () => {
    const workflow = await site.workflow();
    const scope = { kind: 'workflows', workflow_ids: [workflow] };
    const mine = await site.alert({ name: 'Mine', scope });
    expect(await post({ name: 'Mine', condition: IN_ROW, channels: [HOOK] })).toMatchObject({ status: 409 });
    const { data } = await site.ann.call<{ data: AlertView[] }>('GET', `/api/v1/alerts?workflow_id=${workflow}`);
    expect(data.map(({ id }) => id)).toContain(mine.id);
    const other = await site.workflow('Other');
    const found = await site.ann.call<{ data: AlertView[] }>('GET', `/api/v1/alerts?workflow_id=${other}`);
    expect(found.data.map(({ id }) => id)).not.toContain(mine.id);
  });

  test('is muted until a time to come', async () => {
    const { id } = await site.alert();
    const mute = (until: string | null) => site.ann.ask('POST', `/api/v1/alerts/${id}/mute`, { until });
    expect((await mute('yesterday')).status).toBe(400);
    expect((await mute('2020-01-01T00:00:00Z')).status).toBe(400);
    expect(await mute(null)).toMatchObject({ status: 200, body: { muted_until: null } });
  });

  test('is tested once in a while, and the notice says that it is a test', async () => {
    const { id } = await site.alert({ name: 'Tested' });
    const test = () => site.ann.ask<{ data: object[] }>('POST', `/api/v1/alerts/${id}/test`);
    expect(await test()).toMatchObject({ status: 202, body: { data: [{ kind: 'test', status: 'pending' }] } });
    expect((await test()).status).toBe(429);
    expect(await site.notices(id, 1)).toMatchObject([{ kind: 'test', status: 'sent', subject: '[Test] Tested' }]);
    expect(site.hooks().at(-1)).toMatchObject({ type: 'alert.test' });
  });

  test('is made by admins, read by members, and unknown to other tenants', async () => {
    const { id } = await site.alert();
    const member = site.as((await join(site.app, site.ann.token, 'member@example.com')).token);
    expect((await post({ name: 'm', condition: IN_ROW, channels: [HOOK] }, member)).status).toBe(403);
    expect((await member.ask('GET', `/api/v1/alerts/${id}`)).status).toBe(200);
    const bob = site.as((await registerTenant(site.app, { email: 'bob@example.com' })).token);
    for (const [method, path, body] of [
      ['GET', `/api/v1/alerts/${id}`, undefined],
      ['GET', `/api/v1/alerts/${id}/notifications`, undefined],
      ['POST', `/api/v1/alerts/${id}/test`, {}],
      ['POST', `/api/v1/alerts/${id}/mute`, { until: null }],
      ['DELETE', `/api/v1/alerts/${id}`, undefined],
    ] as const)
      expect((await bob.ask(method, path, body)).status).toBe(404);
  });

  test('is one of a hundred at most', async () => {
    const bob = site.as((await registerTenant(site.app, { email: 'carl@example.com' })).token);
    for (let n = 0; n < 100; n += 1)
      expect((await post({ name: `rule ${n}`, condition: IN_ROW, channels: [HOOK] }, bob)).status).toBe(201);
    expect(await post({ name: 'one more', condition: IN_ROW, channels: [HOOK] }, bob)).toMatchObject({
      status: 402,
      body: { max: 100 },
    });
  }, 60_000);
});

test('history is paged by cursor', async () => {
  const { id } = await site.alert();
  for (let n = 1; n <= 3; n += 1) {
    await site.ann.call('POST', `/api/v1/alerts/${id}/test`);
    await site.notices(id, n);
    site.leap(6_000);
  }
  type Page = { data: { id: string }[]; next_cursor: string | null };
  const first = await site.ann.call<Page>('GET', `/api/v1/alerts/${id}/notifications?limit=2`);
  const rest = await site.ann.call<Page>(
    'GET',
    `/api/v1/alerts/${id}/notifications?limit=2&cursor=${first.next_cursor}`,
  );
  expect([first.data.length, rest.data.length, rest.next_cursor]).toEqual([2, 1, null]);
  expect(new Set([...first.data, ...rest.data].map((each) => each.id)).size).toBe(3);
  site.leapBack();
});

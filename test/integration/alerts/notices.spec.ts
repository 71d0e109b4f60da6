import type { AlertChannel } from '../../../contracts/alerts';
import { signatureFault } from '../../../lib/webhook-signature/verify';
import { SIGNATURE_PRESETS } from '../../../lib/webhook-signature/presets';
import { until } from '../../support/until';
import type { Answer, Asked } from '../../support/source-server';
import { AlertSite } from './site';

const MINUTE = 60_000;

let site: AlertSite;
let answer: (asked: Asked) => Answer;
beforeAll(async () => {
  site = await AlertSite.open({ answer: (asked) => answer(asked) });
}, 60_000);
afterAll(() => site?.close());
beforeEach(() => {
  answer = () => ({});
});
afterEach(() => site.leapBack());

describe('a webhook', () => {
  test('gets a signed notice when the condition begins to hold, and one when it ends, with links to the runs', async () => {
    const workflow = await site.workflow('Orders');
    const alert = await site.alert({ scope: { kind: 'workflows', workflow_ids: [workflow] } });
    const secret = (alert.channels[0] as Extract<AlertChannel, { kind: 'webhook' }>).secret as string;
    expect(secret).toMatch(/^whsec_/);
    const runs = await site.runs(workflow, 'sfffs');
    const notices = await site.notices(alert.id, 2);
    expect(notices.map(({ kind, status }) => [kind, status])).toEqual([
      ['recovered', 'sent'],
      ['opened', 'sent'],
    ]);
    const sequenceOf = ({ body }: Asked): number => (body as { data: { sequence: number } }).data.sequence;
    const asked = site.receiver.asked
      .filter(({ path }) => path === '/hook')
      .sort((a, b) => sequenceOf(a) - sequenceOf(b));
    expect(asked).toHaveLength(2);
    const [opened] = asked as [Asked];
    const headers = opened.headers as Record<string, string>;
    const body = Buffer.from(JSON.stringify(opened.body));
    const scheme = SIGNATURE_PRESETS['standard-webhooks'];
    expect(signatureFault(scheme, secret, { headers, body }, site.clock.now())).toBeNull();
    expect(signatureFault(scheme, 'whsec_AAAA', { headers, body }, site.clock.now())).not.toBeNull();
    expect(headers['webhook-id']).toBe(notices[1]?.id);
    expect(opened.body).toMatchObject({
      id: notices[1]?.id,
      type: 'alert.opened',
      data: {
        tenant_id: site.tenantId,
        alert: { id: alert.id, name: alert.name },
        workflow: { id: workflow, name: 'Orders' },
        incident: 1,
        sequence: 1,
        count: 2,
        summary: '2 runs in a row have failed',
        executions: runs.slice(1, 3).map((id) => ({ id, url: `https://everstep.example/console/runs/${id}` })),
      },
    });
    expect((asked[1] as Asked).body).toMatchObject({ type: 'alert.recovered', data: { sequence: 2, count: 3 } });
  });

  test('that does not answer well is asked again, later and later, under the same id', async () => {
    const workflow = await site.workflow();
    const alert = await site.alert({
      scope: { kind: 'workflows', workflow_ids: [workflow] },
      channels: [{ kind: 'webhook', url: `${site.receiver.url}/busy` }],
    });
    let refusals = 2;
    answer = ({ path }) => (path === '/busy' && (refusals -= 1) >= 0 ? { status: 503 } : {});
    await site.runs(workflow, 'ff');
    for (const left of [1, 0]) {
      await until('it was refused', () => refusals === left);
      const { error } = await until('the refusal is on record', async () => {
        const { data } = await site.ann.call<{ data: { error: string | null; attempts: number }[] }>(
          'GET',
          `/api/v1/alerts/${alert.id}/notifications`,
        );
        return data[0]?.error !== null && data[0]?.attempts === 2 - left ? data[0] : null;
      });
      expect(error).toBe('the receiver answered 503');
      site.leap(MINUTE);
    }
    expect(await site.notices(alert.id, 1)).toMatchObject([{ status: 'sent', attempts: 3, error: null }]);
    const ids = site.receiver.asked.filter(({ path }) => path === '/busy').map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
  });

  test('may not reach addresses that the installation does not allow, nor follow redirects', async () => {
    const alert = await site.alert({
      channels: [
        { kind: 'webhook', url: 'http://127.0.0.1:9/hook' },
        { kind: 'webhook', url: `${site.receiver.url}/moved` },
      ],
    });
    answer = () => ({ status: 302, headers: { location: 'http://127.0.0.1:9/' } });
    await site.ann.call('POST', `/api/v1/alerts/${alert.id}/test`);
    const notices = await site.notices(alert.id, 2);
    expect(notices.map(({ status }) => status)).toEqual(['failed', 'failed']);
    expect(notices.map(({ error }) => error)).toEqual(
      expect.arrayContaining([expect.stringContaining('127.0.0.1'), 'the receiver answered 302']),
    );
  });
});

describe('mails', () => {
  test('go to members, each once, with what, since when and which runs', async () => {
    const workflow = await site.workflow('Bad\nname');
    const alert = await site.alert({
      name: 'Orders fail',
      scope: { kind: 'workflows', workflow_ids: [workflow] },
      channels: [{ kind: 'mail', to: ['owners', 'ann@example.com'] }],
    });
    const runs = await site.runs(workflow, 'ff');
    await site.notices(alert.id, 1);
    const mail = await site.mails.next('ann@example.com', '[Alert] Orders fail: Bad name');
    expect(mail.text).toContain('Alert "Orders fail", workflow "Bad name":');
    expect(mail.text).toContain('2 runs in a row have failed.');
    expect(mail.text).toContain(`https://everstep.example/console/runs/${runs[1]}`);
    expect(site.mails.mails).toEqual([]);
  });

  test('go to members only', async () => {
    const refused = await site.ann.ask('POST', '/api/v1/alerts', {
      name: 'x',
      condition: { kind: 'failures_in_row', failures: 1 },
      channels: [{ kind: 'mail', to: ['other@example.com'] }],
    });
    expect(refused).toMatchObject({
      status: 400,
      body: {
        details: [{ path: 'channels[0].to[0]', message: expect.stringContaining('confirmed address of a member') }],
      },
    });
  });
});

describe('a chat', () => {
  test('gets the text by an action of a connector, in which nothing of it is an expression', async () => {
    answer = () => ({ body: { ok: true, ts: '1.2', channel: 'C1', message: {} } });
    const credentials = { access_token: 'xoxb-1' };
    await site.ann.call('POST', '/api/v1/connections', { connector: 'chat', name: 'team', credentials });
    const workflow = await site.workflow('{{ 1 + 1 }}');
    const alert = await site.alert({
      name: 'Chat',
      scope: { kind: 'workflows', workflow_ids: [workflow] },
      channels: [{ kind: 'connector', action: 'chat.post_message', connection: 'team', input: { channel: 'C1' } }],
    });
    await site.runs(workflow, 'ff');
    expect(await site.notices(alert.id, 1)).toMatchObject([
      { status: 'sent', channel: { target: 'chat.post_message' } },
    ]);
    const posts = site.receiver.asked.filter(({ path }) => path === '/chat.postMessage');
    expect(posts).toHaveLength(1);
    expect(posts[0]?.body).toMatchObject({ channel: 'C1', text: expect.stringContaining('workflow "{{ 1 + 1 }}"') });
    // The run that sends it counts for no alert and no health.
    const health = await site.ann.call('GET', `/api/v1/workflows/${workflow}/health`);
    expect(health).toMatchObject({ total: 2 });
  });

  test('is not asked for with an action that does not exist, or with secrets', async () => {
    const create = (channel: object) =>
      site.ann.ask<{ details: unknown }>('POST', '/api/v1/alerts', {
        name: 'y',
        condition: { kind: 'failures_in_row', failures: 1 },
        channels: [channel],
      });
    expect((await create({ kind: 'connector', action: 'chat.nothing' })).body.details).toEqual([
      { path: 'channels[0].action', message: 'there is no action chat.nothing' },
    ]);
    expect((await create({ kind: 'connector', action: 'chat.post_message' })).status).toBe(400);
    const secret = { channel: '{{ secret.KEY }}' };
    expect((await create({ kind: 'connector', action: 'chat.post_message', input: secret })).body.details).toEqual([
      { path: 'channels[0].input', message: 'must name no secret: use a connection' },
    ]);
  });
});

describe('an incident', () => {
  test('is quiet for the quiet period, is reminded of after it, and is shown by the alert', async () => {
    const workflow = await site.workflow('Quiet');
    const alert = await site.alert({ scope: { kind: 'workflows', workflow_ids: [workflow] }, quiet_period: '10m' });
    await site.runs(workflow, 'ff');
    await site.notices(alert.id, 1);
    await site.counted(await site.runs(workflow, 'ff'));
    expect(await site.notices(alert.id, 1)).toHaveLength(1);
    const shown = await site.ann.call('GET', `/api/v1/alerts/${alert.id}`);
    expect(shown).toMatchObject({
      state: 'firing',
      incidents: [{ workflow_id: workflow, workflow_name: 'Quiet', count: 4, detail: '4 runs in a row have failed' }],
    });
    site.leap(10 * MINUTE);
    const notices = await site.notices(alert.id, 2);
    expect(notices[0]).toMatchObject({ kind: 'reminder' });
    await site.runs(workflow, 's');
    expect((await site.notices(alert.id, 3))[0]).toMatchObject({ kind: 'recovered' });
    expect(await site.ann.call('GET', `/api/v1/alerts/${alert.id}`)).toMatchObject({ state: 'ok', incidents: [] });
  });

  test('of a muted alert is notified when the mute is over', async () => {
    const workflow = await site.workflow('Muted');
    const alert = await site.alert({ scope: { kind: 'workflows', workflow_ids: [workflow] } });
    const until = new Date(site.clock.now() + 60 * MINUTE).toISOString();
    await site.ann.call('POST', `/api/v1/alerts/${alert.id}/mute`, { until });
    await site.counted(await site.runs(workflow, 'ff'));
    expect(await site.ann.call('GET', `/api/v1/alerts/${alert.id}`)).toMatchObject({
      state: 'firing',
      muted_until: until,
    });
    expect(await site.notices(alert.id, 0)).toEqual([]);
    await site.ann.call('POST', `/api/v1/alerts/${alert.id}/mute`, { until: null });
    expect(await site.notices(alert.id, 1)).toMatchObject([{ kind: 'opened' }]);
  });

  test('begins for each workflow of a tenant, and another condition begins anew', async () => {
    const [one, two] = [await site.workflow('One'), await site.workflow('Two')];
    const alert = await site.alert();
    await site.runs(one, 'ff');
    await site.runs(two, 'ff');
    const notices = await site.notices(alert.id, 2);
    expect(new Set(notices.map(({ workflow_id }) => workflow_id))).toEqual(new Set([one, two]));
    const condition = { kind: 'failures_in_row', failures: 3 };
    const changed = await site.ann.call('PUT', `/api/v1/alerts/${alert.id}`, { ...alert, condition });
    expect(changed).toMatchObject({ state: 'ok', incidents: [] });
    await site.runs(one, 'fff');
    expect((await site.notices(alert.id, 3))[0]).toMatchObject({ kind: 'opened', workflow_id: one });
    await site.ann.call('DELETE', `/api/v1/alerts/${alert.id}`);
    expect((await site.ann.ask('GET', `/api/v1/alerts/${alert.id}`)).status).toBe(404);
  });
});

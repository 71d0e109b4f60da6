import type { Json, JsonObject } from '../../../lib/json';
import { authService } from '../../../services/auth/auth.service';
import { channelsService } from '../../../services/channels/channels.service';
import { connectionsService } from '../../../services/connections/connections.service';
import { connectorsService } from '../../../services/connectors/connectors.service';
import { executorServices } from '../../support/run-services';
import { filesService } from '../../../services/files/files.service';
import { secretsService } from '../../../services/secrets/secrets.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import { registerTenant } from '../../support/accounts';
import { type Actor, openTestDatabase, startApp, type TestApp, type TestDatabase } from '../../support/app';
import { type Daemon, describeWith, startOwnNats } from '../../support/daemons';
import { type SourceServer, startSourceServer } from '../../support/source-server';
import { sendWebhook, webhookService } from '../../support/webhooks';
import { until } from '../../support/until';
import { codeOf } from '../executor/house';

const SERVICES = [
  authService,
  secretsService,
  workflowsService,
  executorServices,
  filesService,
  channelsService,
  connectionsService,
  connectorsService,
  webhookService,
];

/** Where changes are made, and where runs are started: one process, or two. */
interface Place {
  near: TestApp;
  far: TestApp;
  ann: Actor & { tenant_id: string };
  source: SourceServer;
}

/** `open` starts what the tests of one cluster share. */
function changes(open: (env: Record<string, string>) => Promise<{ near: TestApp; far: TestApp }>): void {
  const place = {} as Place;
  beforeAll(async () => {
    place.source = await startSourceServer(() => ({ body: { ok: true, team: 'T', user: 'bot' } }));
    Object.assign(place, await open({ EGRESS_ALLOW: '127.0.0.1', CONNECTOR_CHAT_URL: place.source.url }));
    const { tenant, user } = await registerTenant(place.near);
    place.ann = { tenant_id: tenant.id, user_id: user.id, email: user.email, role: 'owner' };
  }, 30_000);
  afterAll(() => place.source?.close());

  const workflow = async (config: JsonObject, rest: JsonObject = {}): Promise<string> => {
    const { near, source, ann } = place;
    const call = { id: 'call', type: 'http_request', config: { url: source.url, ...config } };
    const dsl = { id: 'flow', trigger: { type: 'http' }, steps: [call], ...rest };
    return (await near.call('workflows.create', { name: 'Flow', dsl }, ann)).id;
  };
  const sync = (workflow_id: string, headers: Record<string, string> = {}) =>
    sendWebhook(place.far, { workflow_id, headers, wait: true });
  const run = (workflow_id: string, key: string) => sendWebhook(place.far, { workflow_id, key });
  /** The value that the last request to the source showed. */
  const shown = (): unknown => place.source.asked.at(-1)?.headers['x-key'];
  const put = (name: string, value: string) => place.near.call('secrets.put', { name, value }, place.ann);
  const withSecret = (name: string) => workflow({ headers: { 'x-key': `{{ secret.${name} }}` } });

  // What is remembered lives for a second: of several rounds in a row at least one would meet it.
  const ROUNDS = [1, 2, 3] as const;

  test('the next run has the value that a secret was just given', async () => {
    await put('ROTATED', 'value-number-0');
    const id = await withSecret('ROTATED');
    await sync(id);
    for (const round of ROUNDS) {
      await put('ROTATED', `value-number-${round}`);
      await sync(id);
      expect(shown()).toBe(`value-number-${round}`);
    }
  });

  test('a deleted secret is sent nowhere', async () => {
    for (const round of ROUNDS) {
      await put('GONE', `value-${round}`);
      const id = await withSecret('GONE');
      await sync(id);
      expect(shown()).toBe(`value-${round}`);
      await place.near.call('secrets.remove', { name: 'GONE', force: true }, place.ann);
      expect(await codeOf(sync(id))).toBe('unknown_secret');
    }
  });

  test('a run that waits, and tries again, sends neither a deleted secret nor an earlier value', async () => {
    await put('WAITED', 'value-before');
    const call = (id: string, value: string): Json => ({
      id,
      type: 'http_request',
      config: { url: place.source.url, headers: { 'x-key': value } },
    });
    const gate = { id: 'gate', type: 'wait_for_signal', config: { signal: 'go' } };
    const direct = [call('first', '{{ secret.WAITED }}'), gate, call('second', '{{ secret.WAITED }}')];
    const kept = { id: 'kept', type: 'set', config: { key: '{{ secret.WAITED }}' } };
    const id = await workflow({}, { steps: direct });
    const passing = await workflow({}, { steps: [kept, gate, call('second', '{{ steps.kept.key }}')] });
    const begin = async (id: string): Promise<string> => {
      const { id: execution } = await place.far.call('workflows.trigger', { id, trigger: {} }, place.ann);
      await until('it waits', async () => {
        const { waiting } = await place.far.call('executions.get', { id: execution }, place.ann);
        return waiting.length > 0 ? waiting : null;
      });
      return execution;
    };
    const go = async (execution: string) => {
      await place.far.call('executions.signal', { id: execution, signal: 'go' }, place.ann);
      return until('it has ended', async () => {
        const view = await place.far.call('executions.get', { id: execution }, place.ann);
        return view.status === 'running' ? null : view;
      });
    };
    for (const each of [id, passing]) {
      await put('WAITED', 'value-before');
      const replaced = await begin(each);
      await put('WAITED', 'value-after');
      expect((await go(replaced)).status).toBe('completed');
      expect(shown()).toBe('value-after');
      const removed = await begin(each);
      const before = place.source.asked.length;
      await place.near.call('secrets.remove', { name: 'WAITED', force: true }, place.ann);
      expect((await go(removed)).error?.message).toContain('no secret named WAITED');
      expect(place.source.asked.length).toBe(before);
    }
  });

  test('a disabled workflow starts no run', async () => {
    const id = await workflow({});
    for (const _ of ROUNDS) {
      await sync(id);
      await place.near.call('workflows.disable', { id }, place.ann);
      expect(await codeOf(sync(id))).toBe('workflow_disabled');
      await place.near.call('workflows.enable', { id }, place.ann);
    }
    await place.near.call('workflows.remove', { id }, place.ann);
    expect(await codeOf(sync(id))).toBe('not_found');
  });

  test('a changed key of a webhook counts', async () => {
    const id = await workflow({});
    await sync(id);
    await place.near.call('workflows.set_webhook_key', { id, key: 'key-of-the-webhook' }, place.ann);
    expect(await codeOf(sync(id))).toBe('unauthenticated');
    await sync(id, { 'x-api-key': 'key-of-the-webhook' });
    await place.near.call('workflows.set_webhook_key', { id, key: 'another-key-of-it' }, place.ann);
    expect(await codeOf(sync(id, { 'x-api-key': 'key-of-the-webhook' }))).toBe('unauthenticated');
  });

  test('a revoked key of a workflow opens nothing', async () => {
    const id = await workflow({});
    for (const _ of ROUNDS) {
      const made = await place.near.call('workflows.create_key', { id, name: 'ci' }, place.ann);
      await run(id, made.key);
      await place.near.call('workflows.revoke_key', { id, key_id: made.id }, place.ann);
      expect(await codeOf(run(id, made.key))).toBe('unauthenticated');
    }
  });

  test('a variable has the value that it was just given', async () => {
    await place.near.call('workflows.put_variable', { name: 'REGION', value: 0 }, place.ann);
    const id = await workflow({ headers: { 'x-key': '{{ vars.REGION }}' } });
    await sync(id);
    for (const round of ROUNDS) {
      await place.near.call('workflows.put_variable', { name: 'REGION', value: round }, place.ann);
      await sync(id);
      expect(shown()).toBe(String(round));
    }
  });

  test('a deleted connection is used no more', async () => {
    const credentials = { access_token: 'xoxb-finch-in-the-vault' };
    const steps = [
      { id: 'call', type: 'chat.post_message', config: { connection: 'team', channel: 'C1', text: 'hi' } },
    ];
    const id = await workflow({}, { steps });
    for (const _ of ROUNDS) {
      const made = await place.near.call(
        'connections.create',
        { connector: 'chat', name: 'team', credentials },
        place.ann,
      );
      expect((await sync(id)).status).toBe('completed');
      await place.near.call('connections.remove', { id: made.id, force: true }, place.ann);
      const before = place.source.asked.length;
      expect((await sync(id)).status).toBe('failed');
      expect(place.source.asked.length).toBe(before);
    }
  });
}

describe('in one process', () => {
  let app: TestApp;
  afterAll(() => app?.close());
  changes(async (env) => {
    app = await startApp({ services: SERVICES, env });
    return { near: app, far: app };
  });
});

describeWith('nats', { own: true })('in two processes', () => {
  let nats: Daemon;
  let database: TestDatabase;
  let near: TestApp;
  let far: TestApp;
  afterAll(async () => {
    await Promise.all([near, far].map((app) => app?.close()));
    await database?.close();
    await nats?.stop();
  });
  changes(async (env) => {
    nats = (await startOwnNats()) as Daemon;
    database = await openTestDatabase();
    const join = (nodeId: string): Promise<TestApp> =>
      startApp({ services: SERVICES, env, database, bus: nats.url, namespace: `stale-${nats.port}`, nodeId });
    near = await join('near');
    far = await join('far');
    await until('they know each other', () =>
      [near, far].every(({ broker }) => broker.registry.getActionEndpoints('caches.forget')?.count() === 2),
    );
    return { near, far };
  });

  test('a process that does not acknowledge uses nothing old once the change is answered', async () => {
    const { token, user } = await registerTenant(near);
    const ann = { tenant_id: user.tenant_id, user_id: user.id, email: user.email, role: 'owner' as const };
    const { id, key } = await near.call('auth.create_api_key', { name: 'ci' }, ann);
    for (const credential of [token, key]) await far.call('auth.verify', { token: credential });
    const call = near.broker.call.bind(near.broker);
    const cutOff = jest
      .spyOn(near.broker, 'call')
      .mockImplementation(((action: string, ...rest: [never, never]) =>
        action === 'caches.forget' ? Promise.reject(new Error('cut off')) : call(action, ...rest)) as never);
    await near.call('auth.revoke_api_key', { id }, ann);
    expect(cutOff).toHaveBeenCalledWith('caches.forget', expect.anything(), expect.anything());
    cutOff.mockRestore();
    expect(await codeOf(Promise.resolve(far.call('auth.verify', { token: key })))).toBe('unauthenticated');
  });
});

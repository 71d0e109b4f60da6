import type { JsonObject } from '../../../lib/json';
import { aiService } from '../../../services/ai/ai.service';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { auditService } from '../../../services/audit/audit.service';
import type { AuditEventView, AuditVerdict } from '../../../contracts/audit';
import { authService } from '../../../services/auth/auth.service';
import type { Session } from '../../../contracts/auth/accounts';
import { channelsService } from '../../../services/channels/channels.service';
import { executorServices } from '../../support/run-services';
import { filesService } from '../../../services/files/files.service';
import { secretsService } from '../../../services/secrets/secrets.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ask } from '../../support/http';
import { until } from '../../support/until';

let app: TestApp;
let ann: Session;

beforeAll(async () => {
  app = await startApp({
    services: [
      apiGatewayService,
      auditService,
      authService,
      secretsService,
      workflowsService,
      filesService,
      executorServices,
      channelsService,
      aiService,
    ],
  });
});
afterAll(() => app?.close());

beforeEach(async () => {
  ann = await registerTenant(app);
});

/** What the tests read of answers. */
interface Body {
  id: string;
  type: string;
  key: string;
  webhook_api_key: string;
}

const call = async (line: `${string} /${string}`, body?: JsonObject, token: string | null = ann.token) => {
  const answer = await ask(app, line, { token, ...(body === undefined ? {} : { body }) });
  return { ...answer, body: answer.body as unknown as Body };
};

const dsl = (steps: JsonObject[]): JsonObject => ({ id: 'flow', trigger: { type: 'http' }, steps });
const LOG = { id: 'say', type: 'log', config: { message: 'x' } };

async function workflow(steps: JsonObject[] = [LOG], name = 'Flow'): Promise<string> {
  return (await call('POST /api/v1/workflows', { name, dsl: dsl(steps) })).body.id;
}

/** What is on record of things of these kinds, oldest first. */
async function events(...topics: string[]): Promise<AuditEventView[]> {
  const { body } = await call('GET /api/v1/audit?limit=200');
  const all = (body as unknown as { data: AuditEventView[] }).data.toReversed();
  return all.filter(({ action }) => topics.some((topic) => action.startsWith(`${topic}.`)));
}

const actions = async (...topics: string[]): Promise<string[]> =>
  (await events(...topics)).map(({ action, outcome }) => (outcome === null ? action : `${action} ${outcome}`));

afterEach(async () => {
  await app.app.audit.settled();
  const { body } = await call('GET /api/v1/audit/verify');
  expect(body as unknown as AuditVerdict).toMatchObject({ valid: true, complete: true });
});

describe('workflows', () => {
  test('every change of one, with the actor, the address and the request', async () => {
    const made = await ask(app, 'POST /api/v1/workflows', {
      token: ann.token,
      body: { name: 'Orders', dsl: dsl([LOG]) },
      headers: { 'x-request-id': 'trace-9' },
    });
    const id = made.body.id;
    await call(`PUT /api/v1/workflows/${id}/disable`);
    await call(`PUT /api/v1/workflows/${id}/disable`);
    await call(`PUT /api/v1/workflows/${id}/enable`);
    await call(`PUT /api/v1/workflows/${id}`, { name: 'Orders 2', dsl: dsl([LOG, { ...LOG, id: 'again' }]) });
    await call(`DELETE /api/v1/workflows/${id}`);
    const logged = await events('workflow');
    const target = { type: 'workflow', id, name: 'Orders' };
    const hash = made.body.dsl_hash;
    expect(logged).toMatchObject([
      {
        action: 'workflow.create',
        actor: { type: 'user', id: ann.user.id, email: ann.user.email, ip: '127.0.0.1' },
        target,
        before: null,
        after: { name: 'Orders', env: 'dev', dsl_hash: hash, version: 1, status: 'active', enabled: true },
        request_id: 'trace-9',
      },
      { action: 'workflow.disable', target, before: { enabled: true }, after: { enabled: false } },
      { action: 'workflow.enable', target, before: { enabled: false }, after: { enabled: true } },
      {
        action: 'workflow.update',
        target,
        before: { name: 'Orders', dsl_hash: hash, version: 1 },
        after: { name: 'Orders 2', dsl_hash: expect.not.stringContaining(hash as string), version: 2 },
      },
      { action: 'workflow.delete', target: { ...target, name: 'Orders 2' }, before: { version: 2 }, after: null },
    ]);
    expect(Object.keys(logged[1]?.after ?? {})).toEqual(['enabled']);
  });

  test('an import, an approval, a pin', async () => {
    await call('PUT /api/v1/tenant/settings', { require_approval: true });
    const file = { name: 'Imported', dsl: dsl([LOG]) };
    const { id } = await app.call('workflows.import', file as never, { tenant_id: ann.tenant.id, role: 'member' });
    await call(`POST /api/v1/workflows/${id}/approve`);
    await call(`PUT /api/v1/workflows/${id}/steps/say/pin`, { output: {} });
    expect(await events('workflow')).toMatchObject([
      { action: 'workflow.import', after: { status: 'pending_approval' } },
      { action: 'workflow.approve', before: { status: 'pending_approval' }, after: { status: 'active' } },
      { action: 'workflow.update', after: { version: 2 } },
    ]);
  });

  test('what is refused beforehand leaves nothing', async () => {
    const id = await workflow();
    await call('POST /api/v1/workflows', { name: 'x', dsl: { id: 'x' } });
    await call(`PUT /api/v1/workflows/${id}`, { dsl: {} });
    await call('DELETE /api/v1/workflows/unknown');
    await call('PUT /api/v1/workflows/unknown/enable');
    expect(await actions('workflow')).toEqual(['workflow.create']);
  });

  test('of changes that race, each is on record as it was written', async () => {
    const id = await workflow();
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => call(`PUT /api/v1/workflows/${id}`, { name })));
    const done = (await events('workflow')).slice(1);
    const failed = new Set(done.flatMap(({ refers_to }) => refers_to ?? []));
    const written = done.filter((event) => event.outcome === null && !failed.has(event.id));
    expect(new Set(written.map(({ after }) => after?.name))).toEqual(new Set(['a', 'b', 'c', 'd']));
    const names = ['Flow', ...written.map(({ after }) => after?.name)];
    expect(written.map(({ before }) => before?.name)).toEqual(names.slice(0, -1));
  });
});

test('keys of workflows and webhooks, without a character of them', async () => {
  const id = await workflow();
  const { body: made } = await call(`POST /api/v1/workflows/${id}/api-keys`, { name: 'partner' });
  await call(`DELETE /api/v1/workflows/${id}/api-keys/${made.id}`);
  const { body: webhook } = await call(`PUT /api/v1/workflows/${id}/webhook-key`);
  await call(`PUT /api/v1/workflows/${id}/webhook-key`, { key: 'a-key-of-our-own-choice' });
  await call(`DELETE /api/v1/workflows/${id}/webhook-key`);
  await call(`DELETE /api/v1/workflows/${id}/webhook-key`);
  const logged = await events('workflow_key', 'webhook_key');
  const key = { type: 'workflow_key', id: made.id, name: 'partner' };
  expect(logged).toMatchObject([
    { action: 'workflow_key.create', target: key, after: { workflow_id: id } },
    { action: 'workflow_key.revoke', target: key, before: { workflow_id: id } },
    { action: 'webhook_key.set', target: { id }, after: { webhook_api_key_set: true, webhook_api_key_changed: true } },
    { action: 'webhook_key.set', target: { id }, before: {}, after: { webhook_api_key_changed: true } },
    { action: 'webhook_key.clear', target: { id }, after: { webhook_api_key_set: false } },
  ]);
  const text = JSON.stringify(logged);
  for (const secret of [made.key, webhook.webhook_api_key, 'a-key-of-our-own-choice']) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(secret.slice(-6));
  }
});

test('secrets and variables, without their values', async () => {
  await call('POST /api/v1/secrets', { name: 'TOKEN', value: 'first-value' });
  await call('POST /api/v1/secrets', { name: 'TOKEN', value: 'second-value' });
  await call('DELETE /api/v1/secrets/TOKEN');
  await call('DELETE /api/v1/secrets/TOKEN');
  await call('PUT /api/v1/variables/REGION', { value: 'value-of-it' });
  await call('PUT /api/v1/variables/REGION', { value: 'value-then' });
  await call('DELETE /api/v1/variables/REGION');
  const logged = await events('secret', 'variable');
  expect(logged.map(({ action, target }) => `${action} ${target.id}`)).toEqual([
    'secret.create TOKEN',
    'secret.update TOKEN',
    'secret.delete TOKEN',
    'variable.create REGION',
    'variable.update REGION',
    'variable.delete REGION',
  ]);
  expect(JSON.stringify(logged)).not.toMatch(/first-value|second-value|value-of-it|value-then/);
});

test('custom nodes, with the names of what has changed', async () => {
  const definition = {
    name: 'ping',
    label: 'Ping',
    kind: 'tool',
    request: { url: 'https://example.com', headers: { authorization: 'Bearer hidden' } },
  };
  const { body: made } = await call('POST /api/v1/custom-nodes', definition as never);
  await call('POST /api/v1/custom-nodes', definition as never);
  await call(`PUT /api/v1/custom-nodes/${made.type}`, { label: 'Pong' });
  await call(`DELETE /api/v1/custom-nodes/${made.type}`);
  const logged = await events('custom_node');
  const target = { type: 'custom_node', id: made.id, name: made.type };
  expect(logged).toMatchObject([
    { action: 'custom_node.create', target, after: { label: 'Ping', kind: 'tool', version: 1 } },
    { action: 'custom_node.update', target, before: { version: 1 }, after: { version: 2, changed: ['label'] } },
    { action: 'custom_node.delete', target, before: { version: 2 } },
  ]);
  expect(JSON.stringify(logged)).not.toContain('hidden');
});

describe('runs', () => {
  const APPROVAL = { id: 'ask', type: 'approval', config: { message: 'Really?' } };
  const SIGNAL = { id: 'hold', type: 'wait_for_signal', config: { signal: 'go' } };

  async function waiting(steps: JsonObject[]): Promise<string> {
    const { body } = await call(`POST /api/v1/workflows/${await workflow(steps)}/trigger`, {});
    const id = body.id;
    await until('the run waits', async () => {
      const run = (await call(`GET /api/v1/executions/${id}`)).body as unknown as { waiting: { kind: string }[] };
      return run.waiting.some(({ kind }) => kind === 'approval' || kind === 'signal');
    });
    return id;
  }

  test('a signal, a pause, a cancellation and a retry, each found by the run', async () => {
    const id = await waiting([SIGNAL, { ...SIGNAL, id: 'hold2', config: { signal: 'go2' } }]);
    await call(`POST /api/v1/executions/${id}/signal`, { signal: 'go', data: { hidden: 'payload' } });
    await call(`POST /api/v1/executions/${id}/resume`);
    await call(`POST /api/v1/executions/${id}/pause`, { reason: 'look first' });
    await call(`POST /api/v1/executions/${id}/pause`, { reason: 'again' });
    await call(`POST /api/v1/executions/${id}/resume`);
    await call(`POST /api/v1/executions/${id}/cancel`);
    await call(`POST /api/v1/executions/${id}/cancel`);
    await call(`POST /api/v1/executions/${id}/pause`);
    await call(`POST /api/v1/executions/${id}/signal`, { signal: 'go2' });
    const { body: again } = await call(`POST /api/v1/executions/${id}/retry`, { from_step: 'hold' });
    const found = await call(`GET /api/v1/audit?target=${id}`);
    const logged = (found.body as unknown as { data: AuditEventView[] }).data.toReversed();
    expect(logged).toMatchObject([
      { action: 'execution.signal', target: { type: 'execution', id, name: 'Flow' }, after: { signal: 'go' } },
      { action: 'execution.pause', target: { id }, after: { paused: true, reason: 'look first' } },
      { action: 'execution.resume', target: { id }, after: { paused: false, reason: null } },
      { action: 'execution.cancel', target: { id } },
      { action: 'execution.retry', target: { id }, after: { execution_id: again.id, from_step: 'hold' } },
    ]);
    expect(JSON.stringify(logged)).not.toContain('payload');
  });

  test('a decision by a person, once', async () => {
    const id = await waiting([APPROVAL]);
    const decide = { signal: 'approve-ask', data: { approved: false, comment: 'no budget' } };
    expect((await call(`POST /api/v1/executions/${id}/signal`, decide)).status).toBe(202);
    expect((await call(`POST /api/v1/executions/${id}/signal`, decide)).status).toBe(409);
    expect(await events('approval', 'execution')).toMatchObject([
      {
        action: 'approval.decide',
        actor: { type: 'user', email: ann.user.email },
        target: { id },
        after: { signal: 'approve-ask', approved: false, comment: 'no budget' },
      },
    ]);
  });

  test('a decision by the holder of the link, with the address', async () => {
    const id = await waiting([APPROVAL]);
    const link = `/api/v1/executions/${id}/approve/ask` as const;
    expect((await call(`GET ${link}?decision=approve`, undefined, null)).status).toBe(200);
    expect((await call(`GET ${link}?decision=reject`, undefined, null)).status).toBe(409);
    expect(await events('approval')).toMatchObject([
      {
        action: 'approval.decide',
        actor: { type: 'anonymous', id: null, email: null, ip: '127.0.0.1' },
        target: { id },
        after: { approved: true },
      },
    ]);
  });

  test('a signal that starts workflows', async () => {
    await call('POST /api/v1/signals', { signal: 'order.paid' });
    expect(await events('signal')).toMatchObject([{ action: 'signal.send', target: { id: 'order.paid' } }]);
  });
});

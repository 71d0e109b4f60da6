import { randomUUID } from 'node:crypto';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { auditService } from '../../../services/audit/audit.service';
import { authService } from '../../../services/auth/auth.service';
import { filesService } from '../../../services/files/files.service';
import { secretsService } from '../../../services/secrets/secrets.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import type { Session } from '../../../contracts/auth/accounts';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ask } from '../../support/http';
import { ManualClock } from '../../support/manual-clock';
import { join } from '../../support/team';

const PAGE = '<script>alert(1)</script>';
const AUDIT = '/api/v1/audit?format=csv';

let app: TestApp;
let owner: Session;
let path: string;
const clock = new ManualClock(Date.now());
beforeAll(async () => {
  app = await startApp({
    services: [apiGatewayService, authService, auditService, filesService, secretsService, workflowsService],
    clock,
  });
});
beforeEach(async () => {
  owner = await registerTenant(app);
  const who = { tenant_id: owner.tenant.id, role: 'service' as const };
  const blob_id = randomUUID();
  const execution_id = randomUUID();
  const place = { execution_id, workflow_id: 'any', path: 'out/page one.html', content_type: 'text/html' };
  await app.call('files.begin', { blob_id, ...place, size: PAGE.length }, who);
  await app.call('files.put_part', { blob_id, n: 0, data: Buffer.from(PAGE).toString('base64') }, who);
  await app.call('files.commit', { blob_id }, who);
  path = `/api/v1/workspaces/runs/${execution_id}/files/out/page%20one.html`;
});
afterAll(() => app.close());

const make = (wanted: string, token: string) => ask(app, 'POST /api/v1/downloads', { token, body: { path: wanted } });
const linkTo = async (wanted: string, token = owner.token) => (await make(wanted, token)).body.url as string;
const get = (url: string, options: RequestInit = {}) => fetch(url, options);

test('a link downloads a file once, as an attachment that no browser runs, and whole', async () => {
  const { status, body } = await make(path, owner.token);
  expect([status, body.expires_at]).toEqual([201, new Date(clock.now() + 60_000).toISOString()]);
  const url = body.url as string;
  expect(url).not.toContain(owner.token);
  expect((await get(url, { method: 'HEAD' })).status).toBe(405);
  const first = await get(url, { headers: { range: 'bytes=0-3', 'if-none-match': '*' } });
  expect([first.status, await first.text()]).toEqual([200, PAGE]);
  expect(Object.fromEntries(first.headers)).toMatchObject({
    'content-disposition': expect.stringMatching(/^attachment; filename="page one.html"/),
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  });
  expect((await get(url)).status).toBe(404);
  const stored = JSON.stringify(await app.app.db.collection('download_links').find().toArray());
  expect(stored).not.toContain(owner.token);
});

test('a link downloads an exported workflow once, without a credential', async () => {
  const dsl = { id: 'flow', trigger: { type: 'manual' }, steps: [{ id: 's', type: 'set', config: { n: 1 } }] };
  const made = await ask(app, 'POST /api/v1/workflows', { token: owner.token, body: { name: 'Shared flow', dsl } });
  const url = await linkTo(`/api/v1/workflows/${made.body.id as string}/export`);
  const response = await get(url);
  expect([response.status, response.headers.get('content-disposition')]).toEqual([
    200,
    expect.stringMatching(/^attachment; filename="?[\w-]+\.service\.json/),
  ]);
  expect(await response.json()).toMatchObject({ workflow: { name: 'Shared flow', dsl } });
  expect((await get(url)).status).toBe(404);
  const other = await registerTenant(app);
  expect((await get(await linkTo(`/api/v1/workflows/${made.body.id as string}/export`, other.token))).status).toBe(404);
});

test('of many who use a link at once, one gets the file', async () => {
  const url = await linkTo(path);
  const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await get(url)).status));
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, ...Array<number>(7).fill(404)]);
});

test('a link ends after a minute, and with the session that asked for it', async () => {
  const late = await linkTo(path);
  clock.advance(60_001);
  expect((await get(late)).status).toBe(404);
  const ended = await linkTo(path);
  await ask(app, 'POST /api/v1/auth/logout', { token: owner.token });
  expect((await get(ended)).status).toBe(401);
});

test('a link gives what its maker may get: nothing of another tenant, and nothing above the role', async () => {
  const other = await registerTenant(app);
  expect((await get(await linkTo(path, other.token))).status).toBe(404);
  const bob = await join(app, owner.token, 'bob@example.com');
  expect((await get(await linkTo(AUDIT, bob.token))).status).toBe(403);
  const csv = await get(await linkTo(AUDIT));
  expect([csv.status, csv.headers.get('content-disposition')]).toEqual([
    200,
    expect.stringMatching(/^attachment; .*csv/),
  ]);
  expect(await csv.text()).toContain('member.accept');
});

test.each([
  '/api/v1/api-keys',
  '/api/v1/secrets',
  '//evil.example/api/v1/audit?format=csv',
  'https://evil.example/',
  '/api/v1/downloads/x',
  '/api/v1/workspaces/runs/../../../secrets/files/x?',
])('a link to %s is refused', async (wanted) => {
  expect(await make(wanted, owner.token)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
});

test('a path that leaves the files of a run leads to no other route', async () => {
  const url = await linkTo('/api/v1/workspaces/runs/x/files/../../../../api-keys');
  expect((await get(url)).status).toBe(400);
});

test('a user has 50 unused links at most', async () => {
  const statuses = await Promise.all(Array.from({ length: 50 }, async () => (await make(path, owner.token)).status));
  expect(new Set(statuses)).toEqual(new Set([201]));
  expect(await make(path, owner.token)).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
  clock.advance(60_001);
  expect((await make(path, owner.token)).status).toBe(201);
});

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { auditService } from '../../../services/audit/audit.service';
import { authService } from '../../../services/auth/auth.service';
import type { Session } from '../../../contracts/auth/accounts';
import { PART_BYTES } from '../../../contracts/files';
import { knowledgeService } from '../../../services/knowledge/knowledge.service';
import { secretsService } from '../../../services/secrets/secrets.service';
import { openKnowledge } from '../../../services/knowledge/open';
import { registerTenant } from '../../support/accounts';
import { type Actor, startApp, type TestApp } from '../../support/app';
import { ask } from '../../support/http';
import { LeapingClock } from '../../support/leaping-clock';
import { until } from '../../support/until';
import { codeOf } from '../executor/house';

const MEBIBYTE = 1_048_576;
const LIMIT = 2 * MEBIBYTE;
const BASES = '/api/v1/knowledge-bases';
const clock = new LeapingClock();
const part = Buffer.alloc(PART_BYTES, 'x').toString('base64');

let dir: string;
let app: TestApp;
let tenant: Session;
let who: Actor;
let base: string;
let tenants = 0;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'uploads-'));
  await writeFile(join(dir, 'plans.json'), JSON.stringify({ free: { knowledge_base_mb: 2 } }));
  const services = [authService, auditService, secretsService, knowledgeService, apiGatewayService];
  app = await startApp({ services, clock, env: { PLANS_FILE: join(dir, 'plans.json') } });
});
beforeEach(async () => {
  tenant = await registerTenant(app, { email: `member${tenants++}@example.com` });
  who = { tenant_id: tenant.tenant.id, role: 'owner' };
  const made = await ask(app, `POST ${BASES}`, { token: tenant.token, body: { name: 'Handbook' } });
  base = String(made.body.id);
});
afterAll(async () => {
  await app?.close();
  await rm(dir, { recursive: true });
});

async function begin(announced: number | null): Promise<string> {
  const upload_id = randomUUID();
  const about = { base_id: base, upload_id, filename: 'a.txt', content_type: 'text/plain', announced };
  await app.call('knowledge.begin_upload', about, who);
  return upload_id;
}
const put = (upload_id: string, n: number, data = part) =>
  app.call('knowledge.put_upload', { upload_id, n, data }, who);
const commit = (upload_id: string, size: number) =>
  app.call('knowledge.commit_upload', { base_id: base, upload_id, size }, who);
const giveUp = (upload_id: string) => app.call('knowledge.give_up_upload', { upload_id }, who);
const uploads = () => app.app.db.collection<{ _id: string; tenant_id: string; bytes: number }>('knowledge_uploads');
const parts = () => app.app.db.collection('knowledge_contents').countDocuments({ tenant_id: who.tenant_id });

test('an upload that announces its size counts from its beginning, until it is given up', async () => {
  const half = [await begin(LIMIT / 2), await begin(LIMIT / 2)];
  expect(await codeOf(begin(1))).toBe('quota_exceeded');
  await giveUp(half[0] as string);
  await begin(LIMIT / 2);
  expect(await codeOf(begin(1))).toBe('quota_exceeded');
});

test('of uploads that begin at once only those that fit are let in', async () => {
  const begun = await Promise.allSettled(Array.from({ length: 12 }, () => begin(LIMIT / 4)));
  expect(begun.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
});

test('an upload that announces nothing counts with each part that comes, and a repeated part once', async () => {
  const [one, two] = [await begin(null), await begin(0)];
  for (const n of [0, 0, 1, 1]) await put(one, n);
  for (const n of [0, 1]) await put(two, n);
  expect(await codeOf(put(two, 2))).toBe('quota_exceeded');
  expect(await codeOf(put(one, 2, 'AAAA'))).toBe('quota_exceeded');
  expect(await parts()).toBe(4);
  await giveUp(two);
  await put(one, 2);
});

test('the sweep gives back what abandoned uploads have reserved', async () => {
  await begin(LIMIT);
  clock.leap(3_600_001);
  expect(await codeOf(begin(1))).toBe('quota_exceeded');
  const other = openKnowledge(app.app, () => {
    throw new Error('A sweep of uploads calls no service');
  });
  await other.sweep.run();
  await other.stop();
  clock.leap(1_001);
  await begin(LIMIT);
});

test('a commit turns the reservation into use, and refuses parts that its size does not cover', async () => {
  const id = await begin(null);
  await put(id, 0, Buffer.from('x').toString('base64'));
  await put(id, 1);
  expect(await codeOf(commit(id, 1))).toBe('conflict');
  await giveUp(id);
  const next = await begin(LIMIT);
  await put(next, 0);
  await commit(next, PART_BYTES);
  expect(await uploads().countDocuments({ tenant_id: who.tenant_id })).toBe(0);
  const usage = await app.call('knowledge.usage', {}, { ...who, role: 'service' });
  expect(usage.bytes).toBeGreaterThanOrEqual(PART_BYTES);
  expect(usage.bytes).toBeLessThan(LIMIT);
});

test('a thousand unfinished uploads are the most', async () => {
  const id = await begin(0);
  const { _id, ...one } = (await uploads().findOne({ _id: id })) as { _id: string; tenant_id: string; bytes: number };
  await uploads().insertMany(Array.from({ length: 999 }, (_, n) => ({ ...one, _id: `${id}${n}` })));
  expect(await codeOf(begin(0))).toBe('rate_limited');
  await giveUp(id);
  await begin(0);
});

test('a client that leaves gives its bytes back', async () => {
  const { hostname, port } = new URL(app.url);
  const form = '--B\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n';
  const head = [
    `POST ${BASES}/${base}/documents/upload HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${tenant.token}`,
    'Content-Type: multipart/form-data; boundary=B',
    `Content-Length: ${LIMIT}`,
  ];
  const socket = connect(Number(port), hostname).on('error', () => {});
  socket.write(`${head.join('\r\n')}\r\n\r\n${form}${'x'.repeat(PART_BYTES + 1)}`);
  await until('a part has come', async () => (await parts()) > 0);
  expect(await codeOf(begin(1))).toBe('quota_exceeded');
  socket.destroy();
  await until(
    'the upload is given up',
    async () => (await uploads().countDocuments({ tenant_id: who.tenant_id })) === 0,
  );
  await begin(LIMIT);
});

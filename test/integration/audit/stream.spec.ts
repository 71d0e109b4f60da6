import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AuditEventView, AuditStreamView } from '../../../contracts/audit';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { auditService } from '../../../services/audit/audit.service';
import { openTestDatabase, startApp, type TestApp, type TestDatabase } from '../../support/app';
import { until } from '../../support/until';
import { fakes, roleTokens } from '../gateway/support/fakes';
import { actingUser, THING } from './support/log';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: { readonly type: string; readonly tenant_id: string; readonly data: AuditEventView };
}

const SECRET = 'a secret of the receiver';

let database: TestDatabase;
let app: TestApp;
let receiver: Server;
let url: string;
let received: Received[] = [];
/**
 * The statuses of the next answers to a tenant, and apart from them to its tests (`TENANT test`); all others are 200. Streams of
 * earlier tests may still repeat events.
 */
const refusals = new Map<string, number[]>();

const start = (): Promise<TestApp> =>
  startApp({
    services: [apiGatewayService, auditService, ...fakes({ 'auth.verify': roleTokens(() => app.app) })],
    database,
    env: { EGRESS_ALLOW: new URL(url).host },
  });

beforeAll(async () => {
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const body = JSON.parse(text) as Received['body'];
      if (body.type !== 'audit.test') received.push({ headers: request.headers, text, body });
      const of = body.type === 'audit.test' ? `${body.tenant_id} test` : body.tenant_id;
      const status = refusals.get(of)?.shift() ?? 200;
      response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end('x'.repeat(100));
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => receiver.once('listening', resolve));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/audit`;
  database = await openTestDatabase();
  app = await start();
}, 60_000);
beforeEach(() => {
  received = [];
});
afterAll(async () => {
  await app.close();
  await database.close();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});

const ask = async (tenant: string, method: string, body?: object, role = 'owner') => {
  const response = await fetch(`${app.url}/api/v1/audit/stream`, {
    method,
    headers: { authorization: `Bearer ${role}@${tenant}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> };
};
const viewOf = async (tenant: string): Promise<AuditStreamView> =>
  (await ask(tenant, 'GET')).body.stream as AuditStreamView;

const happen = async (tenant: string, ...names: string[]): Promise<void> => {
  for (const name of names)
    await app.app.audit.note(actingUser(tenant, 'ann@example.com'), {
      action: 'thing.change',
      target: { ...THING, id: name },
      after: { name },
    });
  await app.app.audit.settled();
};

const targets = (tenant: string): string[] =>
  received.filter(({ body }) => body.tenant_id === tenant).map(({ body }) => body.data.target.id);
const arrived = (tenant: string, count: number): Promise<true> =>
  until(`${count} events of ${tenant} arrive`, async () => (targets(tenant).length >= count ? true : null));

test('sends each event once, in order, signed, from the set-up on', async () => {
  await happen('acme', 'before');
  const { status, body } = await ask('acme', 'PUT', { url, secret: SECRET });
  expect([status, body]).toEqual([200, expect.objectContaining({ url, state: 'ok', secret: null })]);
  await happen('acme', 'one', 'two', 'three');
  await arrived('acme', 4);
  expect(targets('acme')).toEqual(['acme', 'one', 'two', 'three']);
  const [first] = received as [Received];
  expect(first.body).toMatchObject({ type: 'audit.audit_stream.set', data: { action: 'audit_stream.set', seq: 2 } });
  for (const { headers, text, body: sent } of received) {
    const id = String(headers['webhook-id']);
    expect([id, headers['idempotency-key']]).toEqual([sent.data.id, id]);
    const signed = createHmac('sha256', SECRET).update(`${id}.${String(headers['webhook-timestamp'])}.${text}`);
    expect(headers['webhook-signature']).toBe(`v1,${signed.digest('base64')}`);
  }
  await until('the stream has sent all', async () => ((await viewOf('acme')).behind === 0 ? true : null));
  expect(await viewOf('acme')).toMatchObject({ next_seq: 6, state: 'ok', error: null });
});

test('makes a secret where none is given, and shows it once', async () => {
  const made = (await ask('made', 'PUT', { url })).body;
  expect(made.secret).toMatch(/^whsec_/);
  const again = (await ask('made', 'PUT', { url })).body;
  expect(again.secret).toBeNull();
  await arrived('made', 2);
  const key = Buffer.from(String(made.secret).slice('whsec_'.length), 'base64');
  for (const { headers, text } of received.filter(({ body }) => body.tenant_id === 'made')) {
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${text}`;
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  }
});

test.each([500, 404, 302])(
  'repeats an event that was answered with %i, under the same id, before the next',
  async (status) => {
    const tenant = `fails${status}`;
    refusals.set(tenant, [status]);
    await ask(tenant, 'PUT', { url, secret: SECRET });
    await happen(tenant, 'next');
    const failing = await until('the failure is shown', async () => {
      const view = await viewOf(tenant);
      return view.state === 'failing' ? view : null;
    });
    expect(failing).toMatchObject({ error: `The receiver answered ${status}`, next_seq: 1 });
    expect(failing.behind).toBeGreaterThan(0);
    await arrived(tenant, 3);
    const mine = received.filter(({ body }) => body.tenant_id === tenant);
    expect(mine.map(({ body }) => body.data.seq)).toEqual([1, 1, 2]);
    expect(mine[0]?.headers['webhook-id']).toBe(mine[1]?.headers['webhook-id']);
    await until('it is well again', async () => ((await viewOf(tenant)).state === 'ok' ? true : null));
  },
  20_000,
);

test('goes on where it was after a restart, and from an earlier event when asked', async () => {
  await ask('again', 'PUT', { url, secret: SECRET });
  await happen('again', 'one');
  await arrived('again', 2);
  await until('the place is stored', async () => ((await viewOf('again')).behind === 0 ? true : null));
  await app.close();
  app = await start();
  await happen('again', 'two');
  await arrived('again', 3);
  expect(targets('again')).toEqual(['again', 'one', 'two']);
  received = [];
  await ask('again', 'PUT', { url, from_seq: 2 });
  await arrived('again', 3);
  expect(targets('again')).toEqual(['one', 'two', 'again']);
}, 30_000);

test('of two processes, one sends each event', async () => {
  const other = await start();
  try {
    await ask('twin', 'PUT', { url, secret: SECRET });
    const names = Array.from({ length: 60 }, (_, n) => `n${n}`);
    await happen('twin', ...names);
    await arrived('twin', 61);
    await until('all is sent', async () => ((await viewOf('twin')).behind === 0 ? true : null));
    expect(targets('twin')).toEqual(['twin', ...names]);
  } finally {
    await other.close();
  }
}, 30_000);

test('sends nothing of one tenant to another, and nothing after its end', async () => {
  await ask('mine', 'PUT', { url, secret: SECRET });
  await happen('theirs', 'secret thing');
  await arrived('mine', 1);
  expect((await ask('mine', 'DELETE')).status).toBe(204);
  expect((await ask('mine', 'DELETE')).status).toBe(404);
  received = [];
  await happen('mine', 'later');
  await ask('other', 'PUT', { url, secret: SECRET });
  await arrived('other', 1);
  expect(received.map(({ body }) => body.tenant_id).filter((id) => id !== 'other')).not.toContain('theirs');
  expect(targets('mine')).toEqual([]);
  expect(await viewOf('mine')).toBeNull();
});

test('is set up by owners alone, at http and https addresses', async () => {
  expect((await ask('acme', 'PUT', { url }, 'admin')).status).toBe(403);
  expect((await ask('acme', 'DELETE', undefined, 'admin')).status).toBe(403);
  expect((await ask('acme', 'GET', undefined, 'admin')).status).toBe(200);
  expect((await ask('acme', 'GET', undefined, 'member')).status).toBe(403);
  for (const wrong of ['ftp://a.example/', 'http://user:secret@a.example/', 'x'])
    expect((await ask('acme', 'PUT', { url: wrong })).status).toBe(400);
});

test('hides what may be a capability in the address, and keeps it when the address is sent back', async () => {
  const hidden = `${url}/0123456789abcdef?token=t`;
  const { body } = await ask('masked', 'PUT', { url: hidden, secret: SECRET });
  expect(body.url).toBe(`${url}/***?***`);
  await ask('masked', 'PUT', { url: body.url as string });
  await arrived('masked', 2);
  const log = await fetch(`${app.url}/api/v1/audit?action=audit_stream.`, {
    headers: { authorization: 'Bearer owner@masked' },
  });
  expect(await log.text()).not.toContain('0123456789abcdef');
});

const act = async (tenant: string, what: string, role = 'owner') => {
  const response = await fetch(`${app.url}/api/v1/audit/stream/${what}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${role}@${tenant}` },
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

test('sends nothing while it is paused, and then what happened meanwhile', async () => {
  await ask('rests', 'PUT', { url, secret: SECRET });
  await arrived('rests', 1);
  await until('all is sent', async () => ((await viewOf('rests')).behind === 0 ? true : null));
  expect((await act('rests', 'pause')).body).toMatchObject({ state: 'paused' });
  await happen('rests', 'one', 'two');
  await ask('rests', 'PUT', { url });
  // The event of the pause itself may have been sent already, or be on its way: then it is sent again afterwards.
  const { state, behind } = await viewOf('rests');
  expect([state, behind === 3 || behind === 4]).toEqual(['paused', true]);
  await ask('awake', 'PUT', { url, secret: SECRET });
  await arrived('awake', 1);
  expect([...new Set(targets('rests'))]).toEqual(['rests']);
  expect((await act('rests', 'resume')).body).toMatchObject({ state: 'ok' });
  const distinct = (): string[] => [
    ...new Map(
      received
        .filter(({ body }) => body.tenant_id === 'rests')
        .map(({ body }) => [body.data.id, body.data.target.id] as const),
    ).values(),
  ];
  await until('six events arrive', async () => (distinct().length >= 6 ? true : null));
  expect(distinct()).toEqual(['rests', 'rests', 'one', 'two', 'rests', 'rests']);
});

test('sends a test, and says what the receiver answered', async () => {
  await ask('tries', 'PUT', { url, secret: SECRET });
  await arrived('tries', 1);
  refusals.set('tries test', [503]);
  expect((await act('tries', 'test')).body).toMatchObject({ delivered: false, status: 503, error: null });
  expect((await act('tries', 'test')).body).toMatchObject({ delivered: true, status: 200 });
  await ask('tries', 'PUT', { url: 'http://127.0.0.2:1/', secret: SECRET });
  const { body } = await act('tries', 'test');
  expect(body).toMatchObject({ delivered: false, status: null, error: expect.any(String) });
});

test('is paused and tested by owners alone, where there is one', async () => {
  for (const what of ['pause', 'resume', 'test']) {
    expect((await act('acme', what, 'admin')).status).toBe(403);
    expect((await act('nothing', what)).status).toBe(404);
  }
});

test('stores its place once for a batch, not after each event', async () => {
  await ask('batch', 'PUT', { url, secret: SECRET });
  await until('all is sent', async () => ((await viewOf('batch')).behind === 0 ? true : null));
  const places = new Set<number>();
  const names = Array.from({ length: 40 }, (_, n) => `n${n}`);
  await act('batch', 'pause');
  await happen('batch', ...names);
  await act('batch', 'resume');
  await until('all is sent', async () => {
    const { next_seq, behind } = await viewOf('batch');
    places.add(next_seq);
    return behind === 0 ? true : null;
  });
  expect(places.size).toBeLessThan(10);
  expect(targets('batch').filter((name) => name !== 'batch')).toEqual(names);
});

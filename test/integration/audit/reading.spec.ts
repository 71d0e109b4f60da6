import { parseCsv } from '../../../lib/csv';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { auditService } from '../../../services/audit/audit.service';
import type { AuditEventView, AuditVerdict } from '../../../contracts/audit';
import type { Acting } from '../../../mixins/audit';
import { startApp, type TestApp } from '../../support/app';
import { ManualClock } from '../../support/manual-clock';
import { fakes, roleTokens } from '../gateway/support/fakes';
import { actingUser, THING } from './support/log';

const START = Date.parse('2026-11-01T00:00:00.000Z');
const HOUR = 3_600_000;

let app: TestApp;
let clock: ManualClock;

beforeAll(async () => {
  clock = new ManualClock(START);
  app = await startApp({
    services: [apiGatewayService, auditService, ...fakes({ 'auth.verify': roleTokens(() => app.app) })],
    clock,
  });
});
afterAll(() => app?.close());

interface List {
  data: AuditEventView[];
  limit: number;
  offset: number;
  next_cursor: string | null;
}

async function get(path: string, { as = 'admin@acme', accept }: { as?: string | null; accept?: string } = {}) {
  const headers = { ...(as === null ? {} : { authorization: `Bearer ${as}` }), ...(accept ? { accept } : {}) };
  const response = await fetch(`${app.url}/api/v1/audit${path}`, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const list = async (query = '', as?: string): Promise<List> => JSON.parse((await get(query, { as })).text) as List;
const actions = async (query: string, as?: string): Promise<string[]> =>
  (await list(query, as)).data.map(({ action }) => action);

/** Events of one tenant, an hour apart. */
async function happened(tenant: string, ...events: readonly [action: string, target: string, email: string][]) {
  for (const [action, target, email] of events) {
    const who: Acting = actingUser(tenant, email);
    const actor = { ...who.actor, id: `id of ${email}` };
    await app.app.audit.note({ ...who, actor }, { action, target: { ...THING, id: target }, after: { of: email } });
    clock.advance(HOUR);
  }
  await app.app.audit.settled();
}

describe('who may read', () => {
  test.each([
    ['owner@acme', 200],
    ['admin@acme', 200],
    ['member@acme', 403],
    [null, 401],
  ])('%s gets %i', async (as, status) => {
    expect((await get('', { as })).status).toBe(status);
    expect((await get('/verify', { as })).status).toBe(status);
    expect((await get('?format=csv', { as })).status).toBe(status);
  });

  test('a tenant sees its own log, whatever it asks for', async () => {
    await happened('one', ['workflow.create', 'w1', 'ann@example.com']);
    await happened('two', ['workflow.create', 'w2', 'bob@example.com']);
    expect((await list('', 'owner@one')).data).toMatchObject([{ seq: 1, target: { id: 'w1' } }]);
    const foreign = (await list('', 'owner@two')).data[0] as AuditEventView;
    for (const query of ['?target=w2', '?actor=bob@example.com', '?tenant_id=two', `?cursor=${foreign.id}&target=w2`]) {
      expect(JSON.stringify(await list(query, 'owner@one'))).not.toContain('bob');
    }
    const { head } = JSON.parse((await get('/verify', { as: 'owner@two' })).text) as AuditVerdict;
    const anchored = await get(`/verify?anchor=${head.seq}:${head.hash}`, { as: 'owner@one' });
    expect(JSON.parse(anchored.text)).toMatchObject({ valid: false, first_fault: { reason: 'anchor_differs' } });
  });
});

describe('a list', () => {
  let first: number;

  beforeAll(async () => {
    first = clock.now();
    await happened(
      'lists',
      ['workflow.create', 'w1', 'ann@example.com'],
      ['workflow.update', 'w1', 'Bob@Example.com'],
      ['workflow_key.create', 'k1', 'ann@example.com'],
      ['secret.create', 'TOKEN', 'ann@example.com'],
      ['workflow.delete', 'w1', 'ann@example.com'],
      ['secret.delete', 'TOKEN', 'Bob@Example.com'],
    );
  });

  const at = (hours: number, ms = 0): string => encodeURIComponent(new Date(first + hours * HOUR + ms).toISOString());

  test('shows the newest first, each with its place in the chain', async () => {
    const { data, limit, offset, next_cursor } = await list('', 'owner@lists');
    expect({ limit, offset, next_cursor }).toEqual({ limit: 50, offset: 0, next_cursor: null });
    expect(data.map(({ seq }) => seq)).toEqual([6, 5, 4, 3, 2, 1]);
    expect(data[5]).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      seq: 1,
      at: new Date(first).toISOString(),
      actor: { type: 'user', id: 'id of ann@example.com', email: 'ann@example.com', ip: '192.0.2.1' },
      action: 'workflow.create',
      target: { type: 'thing', id: 'w1', name: 'A thing' },
      before: null,
      after: { of: 'ann@example.com' },
      outcome: null,
      refers_to: null,
      request_id: 'request-1',
      prev_hash: '',
      hash: data[4]?.prev_hash,
    });
  });

  test.each<[string, string[]]>([
    ['action=workflow.update', ['workflow.update']],
    ['action=workflow.', ['workflow.delete', 'workflow.update', 'workflow.create']],
    ['action=workflow', []],
    ['action=work', []],
    ['target=TOKEN', ['secret.delete', 'secret.create']],
    ['actor=bob@EXAMPLE.com', ['secret.delete', 'workflow.update']],
    ['actor=id%20of%20Bob@Example.com', []],
    ['actor=ann@example.com&action=workflow.', ['workflow.delete', 'workflow.create']],
    ['actor=ann@example.com&action=workflow.&target=w1', ['workflow.delete', 'workflow.create']],
    ['actor=no-such-user', []],
    ['action=action:workflow.create', []],
  ])('by %s', async (query, expected) => {
    expect(await actions(`?${query}`, 'owner@lists')).toEqual(expected);
  });

  test('by time, both ends included to the millisecond', async () => {
    const seqs = async (query: string) => (await list(`?${query}`, 'owner@lists')).data.map(({ seq }) => seq);
    expect(await seqs(`from=${at(2)}`)).toEqual([6, 5, 4, 3]);
    expect(await seqs(`from=${at(2, 1)}`)).toEqual([6, 5, 4]);
    expect(await seqs(`to=${at(2)}`)).toEqual([3, 2, 1]);
    expect(await seqs(`to=${at(2, -1)}`)).toEqual([2, 1]);
    expect(await seqs(`from=${at(1)}&to=${at(4)}&action=workflow.`)).toEqual([5, 2]);
    expect(await seqs('from=2026-10-31')).toHaveLength(6);
    expect(await seqs('to=2026-10-31')).toHaveLength(0);
    expect(await seqs(`from=${at(4)}&to=${at(1)}`)).toEqual([]);
  });

  test('goes on by cursor where a page has ended, with its filter', async () => {
    const seen: number[] = [];
    let cursor: string | null = '';
    for (; cursor !== null; ) {
      const page: List = await list(`?limit=2&actor=ann@example.com${cursor && `&cursor=${cursor}`}`, 'owner@lists');
      seen.push(...page.data.map(({ seq }) => seq));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual([5, 4, 3, 1]);
    expect((await list('?limit=2&offset=3', 'owner@lists')).data.map(({ seq }) => seq)).toEqual([3, 2]);
  });

  test.each([
    'limit=0',
    'limit=201',
    'offset=-1',
    'from=yesterday',
    'to=2026-13-01',
    'from=-000001-01-01',
    'to=99999-01-01',
    'cursor=x',
    'cursor=%00',
    'actor=',
    `target=${'x'.repeat(300)}`,
    'actor=a&actor=b',
    'format=xml',
  ])('refuses %s', async (query) => {
    const { status, text } = await get(`?${query}`);
    expect([status, (JSON.parse(text) as { code: string }).code]).toEqual([400, 'invalid_request']);
  });

  test.each(['from_seq=0', 'from_seq=x', 'from_seq=99', 'anchor=1'])('a query with %s is refused', async (query) => {
    expect((await get(`/verify?${query}`)).status).toBe(400);
  });
});

describe('a file', () => {
  test('has everything that the filter finds, page after page', async () => {
    const who = actingUser('files');
    const notes = Array.from({ length: 2_345 }, (_, n) =>
      app.app.audit.note(who, {
        action: n % 2 ? 'odd.one' : 'even.one',
        target: THING,
        after: { n, text: 'a "b",\nc' },
      }),
    );
    await Promise.all(notes);
    const { status, headers, text } = await get('?format=csv&action=even.&limit=5&cursor=x', { as: 'owner@files' });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="audit-2026-11-\d\d\.csv"$/);
    const [header, ...rows] = parseCsv(text, { delimiter: ',', quote: '"' });
    expect(header?.slice(0, 4)).toEqual(['seq', 'at', 'action', 'actor_type']);
    expect(rows).toHaveLength(1_173);
    expect(rows.map(([seq]) => Number(seq))).toEqual(Array.from({ length: 1_173 }, (_, n) => 2_345 - 2 * n));
    const after = (header as string[]).indexOf('after');
    expect(JSON.parse(rows.at(-1)?.[after] ?? '')).toEqual({ n: 0, text: 'a "b",\nc' });
    expect(rows.every((row) => row.length === header?.length)).toBe(true);
  });

  test('is returned to a caller that prefers it', async () => {
    expect((await get('', { accept: 'text/csv' })).text).toMatch(/^seq,at,action/);
    expect((await get('', { accept: 'text/csv;q=0.5, application/json' })).text).toMatch(/^{"data"/);
    expect((await get('?format=json', { accept: 'text/csv' })).text).toMatch(/^{"data"/);
    const head = await fetch(`${app.url}/api/v1/audit?format=csv`, {
      method: 'HEAD',
      headers: { authorization: 'Bearer admin@acme' },
    });
    expect([head.status, head.headers.get('content-type')?.slice(0, 8)]).toEqual([200, 'text/csv']);
  });

  test('runs no formula in a spreadsheet', async () => {
    const who = actingUser('formulas', '@SUM(A1)');
    const target = { type: 'thing', id: '+1+1', name: '=HYPERLINK("http://x")' };
    await app.app.audit.note({ ...who, requestId: '-2+3' }, { action: 'thing.poke', target });
    const { text } = await get('?format=csv', { as: 'owner@formulas' });
    const [, row] = parseCsv(text, { delimiter: ',', quote: '"' });
    expect(row).toEqual(expect.arrayContaining(["'@SUM(A1)", "'+1+1", '\'=HYPERLINK("http://x")', "'-2+3"]));
  });

  test('is not sent for a filter that is refused', async () => {
    expect((await get('?format=csv&from=yesterday')).status).toBe(400);
  });
});

test('nothing changes or removes an event', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
    const answer = await fetch(`${app.url}/api/v1/audit`, { method, headers: { authorization: 'Bearer owner@acme' } });
    expect([404, 405]).toContain(answer.status);
  }
});

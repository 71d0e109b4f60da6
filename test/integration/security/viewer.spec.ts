import { ACTIONS } from '../../../contracts/catalogue';
import type { Route } from '../../../services/api-gateway/routes/route';
import { sign } from '../../support/app';
import { type Estate, makeEstate } from './support/estate';
import { filled, formOf, guarded, lineOf, picture, RESTLESS, settled, table } from './support/walk';
import { openWhole, type Whole } from './support/whole';

/** By these a viewer changes its own account, and nothing of the workspace. */
const OF_ACCOUNT: ReadonlySet<string> = new Set([
  'POST /api/v1/auth/logout',
  'POST /api/v1/auth/password',
  'POST /api/v1/auth/verify-email/resend',
  'POST /api/v1/auth/confirm',
  'POST /api/v1/auth/confirm/passkey',
  'DELETE /api/v1/auth/sessions',
  'DELETE /api/v1/auth/sessions/:id',
  'POST /api/v1/auth/totp',
  'POST /api/v1/auth/totp/confirm',
  'DELETE /api/v1/auth/totp',
  'POST /api/v1/auth/recovery-codes',
  'POST /api/v1/auth/passkeys',
  'POST /api/v1/auth/passkeys/enrolment',
  'PUT /api/v1/auth/passkeys/:id',
  'PUT /api/v1/me/run-views',
  'DELETE /api/v1/auth/passkeys/:id',
  // Of the keys that the viewer has created as a member.
  'DELETE /api/v1/api-keys/:id',
]);

/** These read, by a body or a link. */
const READS: ReadonlySet<string> = new Set([
  'POST /api/v1/downloads',
  'POST /api/v1/expressions/evaluate',
  'POST /api/v1/knowledge-bases/:id/query',
  'POST /api/v1/workflows/validate',
]);

/** Reading these gives the means to act elsewhere: tokens of accounts, models by keys of the workspace. */
const FOR_MEMBERS: ReadonlySet<string> = new Set(['GET /api/v1/oauth/connections/:id/token', 'GET /api/v1/llm/models']);

/** Reads for programs on the bus that have no route of their own. */
const BUS_READS: ReadonlySet<string> = new Set(['executions.wait', 'executions.subscribe', 'files.stat', 'files.part']);

let whole: Whole;
let estate: Estate;
let before: string;

beforeAll(async () => {
  whole = await openWhole();
  estate = await makeEstate(whole);
  before = await picture(estate);
}, 60_000);
afterAll(() => whole.close());

const isStream = ({ kind }: Route): boolean => kind === 'stream' || kind === 'tenant stream';
const isRead = (route: Route): boolean =>
  (route.method === 'GET' && !FOR_MEMBERS.has(lineOf(route))) || READS.has(lineOf(route));
const changing = guarded.filter((route) => !isRead(route) && !OF_ACCOUNT.has(lineOf(route)));
const reading = guarded.filter(
  (route) => isRead(route) && route.access !== 'admin' && route.access !== 'owner' && !RESTLESS.has(route.path),
);
/** What a member and a viewer see of themselves, and of what they may decide. */
const PERSONAL = /"(?:id|user_id|email|role|mine|right|approve_url|reject_url)": .*/g;

function send(route: Route, who: 'member' | 'viewer') {
  const line = `${route.method} ${route.path.replace(/:\w+\*?/g, ':')}`;
  const body = { ...estate.bodies.get(line) };
  const given = route.kind === 'upload' ? formOf(body) : route.method === 'GET' ? undefined : body;
  return estate[who].ask(route.method, filled(route.path, estate), given);
}

describe('a viewer, with the ids of its own workspace', () => {
  test.each(table(changing))('%s is refused', async (_line, route) => {
    const { status, body } = await send(route, 'viewer');
    expect([status, body]).toEqual([403, expect.objectContaining({ code: 'forbidden' })]);
  });

  test.each(table(reading.filter((route) => !isStream(route))))('%s shows what a member sees', async (_line, route) => {
    const [asViewer, asMember] = [await send(route, 'viewer'), await send(route, 'member')];
    expect(asViewer.status).toBe(asMember.status);
    expect(asViewer.status).not.toBe(403);
    // A personal list, and links that work once.
    if (/\/auth\/|\/me$|\/api-keys$|\/downloads$/.test(route.path)) return;
    expect(settled(asViewer.body).replace(PERSONAL, '')).toBe(settled(asMember.body).replace(PERSONAL, ''));
  });

  test.each(table(reading.filter(isStream)))('%s streams', async (_line, route) => {
    const leave = new AbortController();
    const headers = { authorization: `Bearer ${estate.viewer.token}` };
    const response = await fetch(`${whole.url}${filled(route.path, estate)}`, { headers, signal: leave.signal });
    leave.abort();
    expect(response.status).toBe(200);
  });

  test('decides no approval, neither by its link nor where it is named', async () => {
    const link = `${filled('/api/v1/executions/:id/approve/:step_id', estate)}?decision=approve`;
    const { status, body } = await estate.viewer.ask('GET', link);
    expect([status, body]).toEqual([403, expect.objectContaining({ code: 'forbidden' })]);
    const { data } = await estate.viewer.call<{ data: object[] }>('GET', '/api/v1/approvals');
    expect(data).toEqual([expect.objectContaining({ mine: false, approve_url: null, reject_url: null })]);
    expect(await estate.viewer.call('GET', '/api/v1/approvals/count')).toMatchObject({ mine: 0, all: 1 });
    expect(await estate.viewer.call('GET', '/api/v1/approvals?mine=true')).toMatchObject({ data: [] });
  });

  test('has changed nothing by all that', async () => expect(await picture(estate)).toBe(before));
});

test('over the bus, a viewer calls what reads and what is of its account, and no other action', async () => {
  const { id: user_id } = await estate.viewer.call<{ id: string }>('GET', '/api/v1/me');
  const principal = sign(whole.t.app, { tenant_id: estate.ids.tenant as string, user_id, role: 'viewer' });
  const open = new Set<string>(
    guarded.flatMap((route) =>
      route.kind === 'json' && (isRead(route) || OF_ACCOUNT.has(lineOf(route))) && route.access === 'viewer'
        ? [route.action]
        : [],
    ),
  );
  const admitted: string[] = [];
  for (const [name, { access, params }] of Object.entries(ACTIONS)) {
    if (access === 'public' || Object.keys(params).length === 0) continue;
    // Params that no action takes: one that has admitted the caller says so, and does nothing.
    const fault = await whole.t.broker.call(name, wrong(params), { meta: { principal } }).then(
      () => null,
      (error: { type?: string }) => error.type ?? null,
    );
    if (fault !== (access === 'operator' ? 'not_found' : 'forbidden')) admitted.push(name);
  }
  expect(admitted.filter((name) => !open.has(name) && !BUS_READS.has(name))).toEqual([]);
  expect(await picture(estate)).toBe(before);
});

test('every action that a viewer may call reads, or is of its account', () => {
  const open = Object.entries(ACTIONS).filter(([, { access }]) => access === 'viewer');
  const routed = new Map<string, string>(
    guarded.flatMap((route) => (route.kind === 'json' ? [[route.action, lineOf(route)]] : [])),
  );
  const others = open.filter(([name]) => {
    const line = routed.get(name) ?? '';
    return !line.startsWith('GET ') && !READS.has(line) && !OF_ACCOUNT.has(line) && !BUS_READS.has(name);
  });
  expect(others.map(([name]) => name)).toEqual([]);
});

/** Each param as a value that no rule takes. */
const wrong = (params: object): object =>
  Object.fromEntries(Object.keys(params).map((name) => [name, Symbol.iterator]));

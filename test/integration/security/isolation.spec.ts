import type { Route } from '../../../services/api-gateway/routes/route';
import { type ApiAnswer, Api } from '../../support/server';
import { type Estate, makeEstate, MARK, SECRET } from './support/estate';
import { filled as filledFor, formOf, guarded, lineOf, picture, table } from './support/walk';
import { openWhole, type Whole } from './support/whole';

/** Bodies with which a request passes validation; all other requests have an empty body. */
const BODIES: Readonly<Record<string, object>> = {
  'PUT /api/v1/alerts/:id': {
    name: 'mine now',
    condition: { kind: 'failures_in_row', failures: 1 },
    channels: [{ kind: 'webhook', url: 'http://127.0.0.1:1/' }],
  },
  'POST /api/v1/alerts/:id/mute': { until: null },
  'PUT /api/v1/workflows/:id/draft': { dsl: {} },
  'POST /api/v1/workflows/:id/schedule/backfill': { from: '2026-01-01', to: '2026-01-02' },
  'POST /api/v1/workflows/:id/chat-deployments': { slug: 'mine', title: 'mine' },
  'POST /api/v1/datasets/:id/rows': { rows: [{ input: 1 }] },
  'PUT /api/v1/datasets/:id/rows/:row_id': { input: 1 },
  'POST /api/v1/datasets/:id/rows/from-runs': { execution_ids: ['x'] },
  'POST /api/v1/executions/:id/signal': { signal: 'go', data: {} },
  'POST /api/v1/executions/:id/steps/:step_id/feedback': { rating: 'down', comment: 'theirs' },
  'POST /api/v1/workflows/:id/api-keys': { name: 'mine' },
  'PUT /api/v1/workflows/:id/steps/:step_id/pin': { output: { it: 'mine' }, execution_id: undefined },
  'PUT /api/v1/team/members/:id/role': { role: 'owner' },
  'PUT /api/v1/auth/passkeys/:id': { name: 'mine' },
  'PUT /api/v1/workflows/:id': { name: 'mine now' },
  'PUT /api/v1/variables/:name': { value: 'mine' },
  'PUT /api/v1/folders/:folder/access': { access: 'open', grants: [] },
  'POST /api/v1/knowledge-bases/:id/query': { query: 'theirs' },
  'POST /api/v1/knowledge-bases/:base_id/documents': { text: 'mine' },
};

/** Names are unique per tenant, so that a PUT with a name writes a record of the caller's own tenant. */
const MAKES_OWN: ReadonlySet<string> = new Set(['PUT /api/v1/variables/:name', 'PUT /api/v1/folders/:folder/access']);

const NEEDS_SESSION: ReadonlySet<string> = new Set([
  'DELETE /api/v1/auth/sessions/:id',
  'PUT /api/v1/auth/passkeys/:id',
  'DELETE /api/v1/auth/passkeys/:id',
]);

let whole: Whole;
let theirs: Estate;
let mallory: Api;
/** Of mallory's sign-in, for routes that an API key may not use. */
let session: string;
let before: string;

beforeAll(async () => {
  whole = await openWhole();
  theirs = await makeEstate(whole);
  mallory = new Api(whole.url);
  await mallory.register('mallory');
  session = mallory.token;
  // A key, since the walk comes by the end of sessions too.
  mallory.token = (await mallory.call<{ key: string }>('POST', '/api/v1/api-keys', { name: 'mine' })).key;
  before = await picture(theirs);
}, 60_000);
afterAll(() => whole.close());

const filled = (path: string): string => filledFor(path, theirs);

/** Every way to name an owner of a record, each with a false value. */
const claims = (): Record<string, string> => ({
  tenant_id: theirs.ids.tenant as string,
  tenantId: theirs.ids.tenant as string,
  tenant: theirs.ids.tenant as string,
  organization_id: theirs.ids.tenant as string,
  workflow_id: theirs.ids['/api/v1/workflows/:'] as string,
  execution_id: theirs.ids['/api/v1/executions/:'] as string,
});

async function asMallory(route: Route): Promise<ApiAnswer<unknown>> {
  const query = new URLSearchParams(claims()).toString();
  const writes = route.method === 'POST' || route.method === 'PUT';
  const body = { ...claims(), ...BODIES[lineOf(route)] };
  return mallory.ask(
    route.method,
    `${filled(route.path)}?${query}`,
    route.kind === 'upload' ? formOf(body) : writes ? body : undefined,
    {
      'x-tenant-id': theirs.ids.tenant as string,
      ...(NEEDS_SESSION.has(lineOf(route)) ? { authorization: `Bearer ${session}` } : {}),
    },
  );
}

/** Values that must not be in a response to another tenant, which sent none of them itself. */
const leaksIn = (text: string): string[] => [MARK, SECRET, ...theirs.credentials].filter((word) => text.includes(word));

const byId = guarded.filter(({ path }) => path.includes(':'));
/** The stream of events has no end; test/integration/gateway/tenant-events reads it. */
const others = guarded.filter(({ path }) => !path.includes(':') && path !== '/api/v1/events');
describe("an owner of one tenant, with another's ids", () => {
  const named = byId.filter((route) => !MAKES_OWN.has(lineOf(route)));

  test.each(table(named))('%s finds nothing', async (_line, route) => {
    const { status, headers, body } = await asMallory(route);
    expect([status, body]).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
    expect(headers.get('content-type')).toContain('application/json');
    expect(leaksIn(JSON.stringify(body))).toEqual([]);
  });

  test.each(table(others))('%s tells nothing that is theirs', async (_line, route) => {
    const { status, body } = await asMallory(route);
    expect(status).not.toBe(500);
    expect(leaksIn(JSON.stringify(body) ?? '')).toEqual([]);
  });

  test.each([...MAKES_OWN])("%s writes a record of the caller's own tenant, beside theirs", async (line) => {
    const { status, body } = await asMallory(guarded.find((route) => lineOf(route) === line) as Route);
    expect(status).toBeLessThan(300);
    expect(leaksIn(JSON.stringify(body))).toEqual([]);
  });

  test('has changed nothing of theirs by all that', async () => expect(await picture(theirs)).toBe(before));

  test('finds nothing of theirs in the log, and the log has no secret or credential at all', () => {
    expect(whole.log.length).toBeGreaterThan(0);
    const leaks = whole.log.filter((line) => [SECRET, ...theirs.credentials].some((word) => line.includes(word)));
    expect(leaks).toEqual([]);
  });
});

describe('what is public is a capability, and only that', () => {
  const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
    mallory.ask(method, path, method === 'POST' ? {} : undefined, headers);

  test("a webhook under a key, and a run, refuse another tenant's keys", async () => {
    const own = await mallory.call<{ id: string }>('POST', '/api/v1/workflows', {
      name: 'mine',
      dsl: { id: 'f', trigger: { type: 'http' }, steps: [{ id: 'a', type: 'log', config: { message: 'x' } }] },
    });
    const { key } = await mallory.call<{ key: string }>('POST', `/api/v1/workflows/${own.id}/api-keys`, { name: 'k' });
    const { webhook_api_key } = await mallory.call<{ webhook_api_key: string }>(
      'PUT',
      `/api/v1/workflows/${own.id}/webhook-key`,
    );
    for (const suffix of ['', '/sync']) {
      const { status } = await ask('POST', `${filled('/webhooks/:id')}${suffix}`, { 'x-api-key': webhook_api_key });
      expect(status).toBe(401);
    }
    for (const credential of [key, mallory.token]) {
      expect((await ask('POST', filled('/run/:id'), { authorization: `Bearer ${credential}` })).status).toBe(401);
    }
  });

  test('the public state of a run shows neither what started it nor what its steps saw', async () => {
    const { status, body } = await ask('GET', filled('/public/executions/:id'));
    expect(status).toBe(200);
    expect(leaksIn(JSON.stringify(body))).toEqual([]);
  });
});

import { randomUUID } from 'node:crypto';
import type { Api } from '../../support/server';
import type { Route } from '../../../services/api-gateway/routes/route';
import { type Estate, MARK, makeEstate } from './support/estate';
import { filled, formOf, guarded, lineOf, picture, table } from './support/walk';
import { openWhole, type Whole } from './support/whole';

/** Parts of the workflows and of what belongs to them, and of nothing else. */
const SECRETS = ['flow of', 'guarded of', 'scored of', 'step of', 'payload of', 'question of', 'report of', 'praise of']
  .map((each) => `${each} ${MARK}`)
  .concat(`version of ${MARK}`, `run key of ${MARK}`, `chat of ${MARK}`, `scores of ${MARK}`, `alert of ${MARK}`);
/** What belongs to a workflow, by the path up to its id. */
const OF_WORKFLOW = ['workflows', 'executions', 'evaluations', 'alerts', 'workspaces/runs'].map(
  (name) => `/api/v1/${name}/:`,
);
/** The pair of ids is the right to decide, for each caller that has it. */
const BY_LINK: ReadonlySet<string> = new Set(['GET /api/v1/executions/:id/approve/:step_id']);

/** Of routes that check their bodies first. */
const BODIES: Readonly<Record<string, object>> = {
  'POST /api/v1/workflows/:/schedule/backfill': { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' },
  'PUT /api/v1/workflows/:/draft': { dsl: { id: 'x' } },
};

let whole: Whole;
let estate: Estate;
let workflowIds: string[];
let before: string;

beforeAll(async () => {
  whole = await openWhole();
  estate = await makeEstate(whole);
  const { owner } = estate;
  const { data } = await owner.call<{ data: { id: string }[] }>('GET', '/api/v1/workflows');
  workflowIds = data.map(({ id }) => id);
  for (const id of workflowIds) await owner.call('PUT', `/api/v1/workflows/${id}`, { folder: 'vault/inner' });
  await owner.call('PUT', '/api/v1/folders/vault/access', { access: 'restricted', grants: [] });
  before = await pictureOfWorkflows();
}, 60_000);
afterAll(() => whole.close());

const isOfWorkflow = (route: Route): boolean =>
  OF_WORKFLOW.some((prefix) => route.path.startsWith(prefix)) && !BY_LINK.has(lineOf(route));
const isStream = ({ kind }: Route): boolean => kind === 'stream' || kind === 'tenant stream';
const isFor = (route: Route): boolean => route.access === 'viewer' || route.access === 'member';
const reads = guarded.filter((route) => isFor(route) && route.method === 'GET' && !isStream(route));
const ofWorkflow = guarded.filter((route) => isFor(route) && isOfWorkflow(route) && !isStream(route));

function send(api: Api, route: Route, path: string) {
  const line = `${route.method} ${route.path.replace(/:\w+\*?/g, ':')}`;
  const body = BODIES[line] ?? { ...estate.bodies.get(line) };
  return api.ask(
    route.method,
    path,
    route.kind === 'upload' ? formOf(body) : route.method === 'GET' ? undefined : body,
  );
}

/** The same path with ids that nothing has. */
function unknown(route: Route): string {
  const none = randomUUID();
  const ids = Object.fromEntries(
    Object.entries(estate.ids).map(([path, id]) => [path, OF_WORKFLOW.includes(path) ? none : id]),
  );
  return filled(route.path, { ids: { ...ids, '/api/v1/executions/:/compare/:': none } });
}

/** What the owner sees of workflows and of what belongs to them. */
async function pictureOfWorkflows(): Promise<string> {
  const seen = JSON.parse(await picture(estate)) as [string, number, unknown][];
  return JSON.stringify(seen.filter(([line]) => OF_WORKFLOW.some((prefix) => line.includes(prefix.slice(0, -1)))));
}

const message = (body: unknown): string => JSON.stringify(body).replace(/[\da-f]{8}-[\da-f-]{27}/g, 'ID');

describe.each(['member', 'viewer'] as const)('a %s without a right on the folder', (role) => {
  test.each(table(reads))('%s shows nothing of its workflows', async (_line, route) => {
    const { status, body } = await send(estate[role], route, filled(route.path, estate));
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    if (/\/audit/.test(route.path)) return;
    for (const secret of SECRETS) expect(text).not.toContain(secret);
    if (status < 300) for (const id of workflowIds) expect(text).not.toContain(id);
  });

  test.each(table(ofWorkflow.filter((route) => role === 'member' || route.access === 'viewer')))(
    '%s answers as for an unknown id',
    async (_line, route) => {
      const refused = await send(estate[role], route, filled(route.path, estate));
      const missing = await send(estate[role], route, unknown(route));
      expect([refused.status, message(refused.body)]).toEqual([missing.status, message(missing.body)]);
      expect(refused.status).toBe(404);
    },
  );

  test('streams nothing of its runs', async () => {
    const run = estate.ids['/api/v1/executions/:'] as string;
    const headers = { authorization: `Bearer ${estate[role].token}` };
    const { status } = await fetch(`${whole.url}/api/v1/executions/${run}/stream`, { headers });
    expect(status).toBe(404);
  });
});

test('a member without a right cannot reach the workflows by the body of a request', async () => {
  const { member, ids } = estate;
  const [workflow, run] = [ids['/api/v1/workflows/:'], ids['/api/v1/executions/:']] as [string, string];
  const dsl = { id: 'mine', trigger: { type: 'http' }, steps: [{ id: 'a', type: 'set', config: { a: 1 } }] };
  const calling = (config: object) => ({ ...dsl, steps: [{ id: 'a', type: 'sub_workflow', config }] });
  const status = async (method: string, path: string, body: object) =>
    (await member.ask(method, `/api/v1${path}`, body as never)).status;
  expect(await status('POST', '/workflows/try', { dsl, workflow_id: workflow })).toBe(404);
  expect(await status('POST', '/workflows/try', { dsl, from_execution: run })).toBe(404);
  expect(await status('POST', '/workflows/steps/test', { dsl, step_id: 'a', workflow_id: workflow })).toBe(404);
  expect(await status('POST', '/workflows/try', { dsl: calling({ workflow }) })).toBe(403);
  expect(await status('POST', '/workflows', { name: 'x', dsl: calling({ workflow }) })).toBe(403);
  expect(await status('POST', '/workflows', { name: 'x', dsl: calling({ workflow: 'nothing has it' }) })).toBe(403);
  expect(await status('POST', '/workflows', { name: 'x', dsl: calling({ workflow: '{{ trigger.body }}' }) })).toBe(403);
  expect(
    await status('POST', '/workflows', { name: 'x', dsl: { ...dsl, trigger: { type: 'error', config: {} } } }),
  ).toBe(403);
  expect(await status('POST', '/workflows', { name: 'x', dsl: calling({ workflow }), publish: false })).toBe(403);
  expect(await status('POST', '/workflows', { name: 'x', dsl, folder: 'vault' })).toBe(403);
  expect(await status('POST', '/workflows/import', { name: 'x', dsl, folder: 'vault/inner' })).toBe(403);
  expect(await status('POST', '/evaluations', { ...estate.bodies.get('POST /api/v1/evaluations') })).toBe(404);
  const bulk = await member.ask('POST', '/api/v1/executions/bulk', { query: `RunId = "${run}"`, action: 'cancel' });
  expect(bulk.body).toMatchObject({ matched: 0 });
  expect(
    await status('POST', '/expressions/evaluate', {
      items: [{ template: '{{ trigger }}' }],
      context: { execution_id: run },
    }),
  ).toBe(404);
  const dataset = ids['/api/v1/datasets/:'] as string;
  expect(await status('DELETE', `/datasets/${dataset}?force=true`, {})).not.toBe(204);
  expect(await status('PUT', '/folders/vault/access', { access: 'open', grants: [] })).toBe(404);
  expect(await status('DELETE', '/folders/vault/access', {})).toBe(404);
});

describe('a member who may only view the folder', () => {
  beforeAll(async () => {
    const { data } = await estate.owner.call<{ data: { id: string; role: string; kind: string }[] }>(
      'GET',
      '/api/v1/team/members',
    );
    const grants = data
      .filter(({ role, kind }) => role === 'member' && kind !== 'service')
      .map(({ id }) => ({ kind: 'member', id, right: 'view' }));
    await estate.owner.call('PUT', '/api/v1/folders/vault/access', { access: 'restricted', grants });
  });

  test('sees the workflow', async () => {
    const route = ofWorkflow.find((each) => lineOf(each) === 'GET /api/v1/workflows/:id') as Route;
    expect((await send(estate.member, route, filled(route.path, estate))).status).toBe(200);
  });

  test.each(table(ofWorkflow.filter(({ method }) => method !== 'GET')))('%s is refused', async (_line, route) => {
    const { status, body } = await send(estate.member, route, filled(route.path, estate));
    expect([status, message(body)]).toEqual([403, expect.stringContaining('on the folder')]);
  });
});

test('nothing has changed by all that', async () => {
  expect(await pictureOfWorkflows()).toBe(before);
});

import type { Json, JsonObject } from '../../../lib/json';
import type { TestApp } from '../../support/app';
import { until } from '../../support/until';
import { type Ask, ended, newTenant, openWhole, run } from '../custom-nodes/house';

const PATH = '/api/v1/variables';

let app: TestApp;
let ann: Ask;
let member: Ask;

beforeAll(async () => {
  app = await openWhole();
});
afterAll(() => app?.close());
beforeEach(async () => {
  ({ owner: ann, member } = await newTenant(app));
});

const put = (name: string, value: Json, ask = ann) => ask('PUT', `${PATH}/${name}`, { value });

async function listed(ask = ann): Promise<JsonObject> {
  const { status, body } = await ask('GET', `${PATH}?limit=200`);
  expect(status).toBe(200);
  return Object.fromEntries((body.data as { name: string; value: Json }[]).map(({ name, value }) => [name, value]));
}

/** Saves a workflow; answers its id, and what it was warned of. */
async function save(dsl: JsonObject, ask = ann): Promise<{ id: string; warnings: Json[] }> {
  const whole = { id: 'flow', trigger: { type: 'manual' }, ...dsl };
  const { status, body } = await ask('POST', '/api/v1/workflows', { name: 'Flow', dsl: whole });
  expect({ status, body }).toMatchObject({ status: 201 });
  return { id: String(body.id), warnings: (body.warnings ?? []) as Json[] };
}

const set = (id: string, config: JsonObject, more: JsonObject = {}): JsonObject => ({
  id,
  type: 'set',
  config,
  ...more,
});
const REGION = { steps: [set('a', { v: '{{ vars.region }}' })] };

test('a variable is new, changed, listed by name and deleted', async () => {
  expect(await listed()).toEqual({});
  expect(await put('region', 'eu')).toMatchObject({ status: 201, body: { name: 'region', value: 'eu' } });
  const changed = await put('region', { name: 'us', zones: [1, null] });
  expect(changed).toEqual({
    status: 200,
    body: { name: 'region', value: { name: 'us', zones: [1, null] }, updated_at: expect.any(String) },
  });
  expect((await put('Limit', null)).status).toBe(201);
  expect(Object.keys(await listed(member))).toEqual(['Limit', 'region']);
  expect((await ann('GET', PATH)).body.data).toContainEqual(changed.body);
  expect((await ann('DELETE', `${PATH}/region`)).status).toBe(204);
  expect(await ann('DELETE', `${PATH}/region`)).toMatchObject({
    status: 404,
    body: { error: 'There is no variable region' },
  });
  expect(await listed()).toEqual({ Limit: null });
});

test('values count in conditions, loops, outputs and concurrency keys, with their types', async () => {
  await put('threshold', 2);
  await put('cities', ['Oslo', 'Rome']);
  await put('sales', { currency: 'NOK' });
  const { id, warnings } = await save({
    concurrency: { key: '{{ vars.sales.currency }}-{{ vars.threshold }}' },
    steps: [
      set('big', { v: 1 }, { if: '{{ trigger.n > vars.threshold }}' }),
      {
        id: 'each',
        type: 'foreach',
        config: { items: '{{ vars.cities }}' },
        steps: [set('line', { v: '{{ loop.item }} in {{ vars.sales.currency }}' })],
      },
    ],
    output: { big: '{{ exists(steps.big) }}', lines: '{{ steps.each.results }}', all: '{{ keys(vars) | sort }}' },
  });
  expect(warnings).toEqual([]);
  const lines = [{ v: 'Oslo in NOK' }, { v: 'Rome in NOK' }];
  const all = ['cities', 'sales', 'threshold'];
  expect(await run(ann, id, { n: 3 })).toMatchObject({ status: 'completed', output: { big: true, lines, all } });
  expect(await run(ann, id, { n: 1 })).toMatchObject({ status: 'completed', output: { big: false, lines, all } });
});

test('a run uses the newest value, and fails by name when the variable is gone', async () => {
  await put('region', 'eu');
  const { id } = await save(REGION);
  expect(await run(ann, id)).toMatchObject({ output: { v: 'eu' } });
  await put('region', 'us');
  expect(await run(ann, id)).toMatchObject({ output: { v: 'us' } });
  await ann('DELETE', `${PATH}/region`);
  expect(await run(ann, id)).toMatchObject({
    status: 'failed',
    error: { step_id: 'a', message: expect.stringContaining('vars.region does not exist') },
  });
});

test('a run that is taken up after a long wait goes on with the newest value', async () => {
  await put('region', 'eu');
  const { id } = await save({
    steps: [...REGION.steps, { id: 'w', type: 'wait_for_signal', config: { signal: 'go' } }],
    output: ['{{ steps.a.v }}', '{{ vars.region }}'],
  });
  const started = await ann('POST', `/api/v1/workflows/${id}/trigger`, {});
  const execution = String(started.body.id);
  const runs = app.app.db.collection<{ _id: string }>('executions');
  await until('the run has left memory', async () => {
    const found = (await runs.findOne({ _id: execution })) as JsonObject | null;
    return found !== null && found.owner === null ? true : null;
  });
  await put('region', 'us');
  await ann('POST', `/api/v1/executions/${execution}/signal`, { signal: 'go' });
  expect(await ended(ann, execution)).toMatchObject({ status: 'completed', output: ['eu', 'us'] });
});

test('a name that is not there yet is a warning when a workflow is saved or checked', async () => {
  await put('region', 'eu');
  const dsl = { steps: [set('a', { v: '{{ vars.regoin }}' })] };
  const warning = {
    path: 'steps[0].config.v',
    message: 'there is no variable regoin yet (character 2 of ` vars.regoin `)',
    hint: 'did you mean "region"?',
  };
  const { id, warnings } = await save(dsl);
  expect(warnings).toEqual([warning]);
  const checked = await ann('POST', '/api/v1/workflows/validate', {
    dsl: { id: 'flow', trigger: { type: 'manual' }, ...dsl },
  });
  expect(checked.body).toMatchObject({ valid: true, warnings: [warning] });
  await put('regoin', 'eu');
  expect((await save(dsl)).warnings).toEqual([]);
  expect(await run(ann, id)).toMatchObject({ output: { v: 'eu' } });
});

test('a step that is tried on its own sees them', async () => {
  await put('region', 'eu');
  const { id } = await save(REGION);
  const { body } = await ann('POST', `/api/v1/workflows/${id}/steps/a/test`, {});
  expect(body).toMatchObject({ status: 'completed', output: { v: 'eu' } });
});

test('members read them and change nothing', async () => {
  await put('region', 'eu');
  expect((await put('region', 'us', member)).status).toBe(403);
  expect((await member('DELETE', `${PATH}/region`)).status).toBe(403);
  expect(await listed(member)).toEqual({ region: 'eu' });
});

test('another tenant sees nothing of them', async () => {
  await put('region', 'eu');
  const { owner: eve } = await newTenant(app);
  expect(await listed(eve)).toEqual({});
  expect((await eve('DELETE', `${PATH}/region`)).status).toBe(404);
  const { id, warnings } = await save({ steps: [set('a', { v: '{{ vars }}' })], output: '{{ vars.region }}' }, eve);
  expect(warnings).toMatchObject([{ message: expect.stringContaining('there is no variable region yet') }]);
  expect(await run(eve, id)).toMatchObject({ status: 'failed' });
  expect((await put('region', 'mars', eve)).status).toBe(201);
  expect(await run(eve, id)).toMatchObject({ status: 'completed', output: 'mars' });
  expect(await listed()).toEqual({ region: 'eu' });
});

test('a name that an object has by birth is one like others', async () => {
  await put('__proto__', { polluted: 1 });
  const { id } = await save({
    steps: [set('a', { own: '{{ vars.__proto__.polluted }}', none: '{{ vars.polluted ?? vars.toString ?? "none" }}' })],
  });
  expect(await run(ann, id)).toMatchObject({ output: { own: 1, none: 'none' } });
});

describe('limits', () => {
  test.each(['1st', 'a-b', 'a.b', 'a b', 'ü', 'a'.repeat(129)])('%s is no name', async (name) => {
    expect(await put(encodeURIComponent(name), 1)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining("The 'name' must be 1 to 128 letters") },
    });
  });

  test('a value is needed, and has at most 64 KiB as JSON', async () => {
    expect((await ann('PUT', `${PATH}/v`, {})).status).toBe(400);
    // With its quotes.
    expect((await put('v', 'x'.repeat(64 * 1024 - 2))).status).toBe(201);
    expect(await put('v', 'x'.repeat(64 * 1024 - 1))).toMatchObject({
      status: 400,
      body: { details: [{ path: 'value', message: 'must be at most 65536 bytes' }] },
    });
    expect((await put('v', 'ä'.repeat(32 * 1024))).status).toBe(400);
  });

  test('there are at most 200, also when they come at the same time', async () => {
    const values = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `v${from + i}`);
    // Nearly all of them at once, where they lie: each by itself would take its time.
    await put('first_of_many', 1);
    const records = app.app.db.collection<{ variables: { name: string }[] }>('variables');
    const [first] = (await records.findOne({ 'variables.name': 'first_of_many' }))?.variables ?? [];
    const variables = values(0, 195).map((name) => ({ ...first, name }));
    await records.updateOne({ 'variables.name': 'first_of_many' }, { $set: { variables } });
    const statuses = (await Promise.all(values(195, 205).map((name) => put(name, 1)))).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([...Array<number>(5).fill(201), ...Array<number>(5).fill(409)]);
    expect(Object.keys(await listed())).toHaveLength(200);
    // Those that are there can be changed all the same.
    expect((await put('v0', 2)).status).toBe(200);
  });

  test('all of them together have at most 1 MiB, and a run can use the whole of it', async () => {
    const large = 'x'.repeat(64 * 1024 - 10);
    for (let n = 0; n < 16; n++) expect((await put(`v${n}`, large)).status).toBe(201);
    expect(await put('one_more', large)).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('All variables together may have 1048576 bytes') },
    });
    const { id } = await save({ steps: [set('a', { n: '{{ length(vars.v0) + length(vars.v15) }}' })] });
    expect(await run(ann, id)).toMatchObject({ output: { n: 2 * large.length } });
  });
});

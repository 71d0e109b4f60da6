import type { JsonObject } from '../../../lib/json';
import type { TestApp } from '../../support/app';
import { until } from '../../support/until';
import { startServer, type TestServer } from '../nodes/server';
import { type Ask, ended, newTenant, openWhole, run, workflowOf } from './house';

const SECRET = 'sk-4f2c9b7d1e';
const NODES = '/api/v1/custom-nodes';

let app: TestApp;
let server: TestServer;
let ann: Ask;
let member: Ask;
let bob: Ask;

beforeAll(async () => {
  app = await openWhole();
  server = await startServer((request, response) => {
    const url = new URL(request.url, 'http://x');
    response.statusCode = Number(url.searchParams.get('status') ?? 200);
    response.setHeader('content-type', 'application/json');
    // As careless servers do: what was sent comes back.
    response.end(JSON.stringify({ city: url.searchParams.get('q'), temp: 21.5, key: request.headers.authorization }));
  });
  ({ owner: ann, member } = await newTenant(app));
  ({ owner: bob } = await newTenant(app));
  await ann('POST', '/api/v1/secrets', { name: 'WEATHER_KEY', value: SECRET });
});
afterAll(async () => {
  await app.close();
  await server.close();
});

let count = 0;
const weather = (change: JsonObject = {}): JsonObject => ({
  name: `weather-${++count}`,
  label: 'Weather',
  description: 'What the weather is',
  icon: 'cloud',
  color: '#3366ff',
  kind: 'tool',
  config_fields: [
    { name: 'city', label: 'City', type: 'string', required: true },
    { name: 'units', label: 'Units', type: 'select', options: ['metric', 'imperial'], default: 'metric' },
  ],
  outputs: [
    { name: 'temperature', path: 'body.temp' },
    { name: 'wind', path: 'body.wind.speed' },
  ],
  request: {
    url: `${server.url}/weather`,
    query: { q: '{{ config.city }}', units: '{{ config.units }}' },
    headers: { authorization: 'Bearer {{ secret.WEATHER_KEY }}' },
  },
  ...change,
});

async function made(change: JsonObject = {}): Promise<string> {
  const { status, body } = await ann('POST', NODES, weather(change));
  expect({ status, body }).toMatchObject({ status: 201 });
  return String(body.type);
}

describe('the life of a definition', () => {
  test('it is made, read, listed, changed and deleted', async () => {
    const definition = weather();
    const type = `custom-${String(definition.name)}`;
    const created = await ann('POST', NODES, definition);
    expect(created).toMatchObject({
      status: 201,
      body: { ...definition, config_fields: [{ name: 'city' }, {}], type, version: 1 },
    });
    expect(await member('GET', `${NODES}/${type}`)).toEqual({ status: 200, body: created.body });
    expect(await member('GET', `${NODES}/${String(created.body.id)}`)).toEqual({ status: 200, body: created.body });
    const { body: list } = await member('GET', `${NODES}?limit=200`);
    expect(list.data).toContainEqual(created.body);
    const changed = await ann('PUT', `${NODES}/${type}`, { label: 'Forecast', icon: null });
    expect(changed).toMatchObject({
      status: 200,
      body: { label: 'Forecast', icon: null, version: 2, request: definition.request },
    });
    expect(await ann('DELETE', `${NODES}/${type}`)).toEqual({ status: 204, body: {} });
    expect(await ann('GET', `${NODES}/${type}`)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await ann('DELETE', `${NODES}/${type}`)).toMatchObject({ status: 404 });
  });

  test('all faults of it are reported at once, each with its place', async () => {
    const { status, body } = await ann(
      'POST',
      NODES,
      weather({
        config_fields: [{ name: 'city' }, { name: 'city', type: 'select' }],
        outputs: [{ name: 'a', path: '..' }],
        request: { url: '{{ config.town }}', heders: {} },
      }),
    );
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_request' });
    expect((body.details as JsonObject[]).map(({ path }) => path)).toEqual([
      'config_fields[1].name',
      'config_fields[1].options',
      'outputs[0].path',
      'request.url',
      'request.heders',
    ]);
  });

  test('a type is there once, and stays what it is', async () => {
    const type = await made();
    const name = type.slice('custom-'.length);
    expect(await ann('POST', NODES, weather({ name }))).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await ann('PUT', `${NODES}/${type}`, { name: 'other' })).toMatchObject({ status: 400 });
    expect(await ann('PUT', `${NODES}/${type}`, { request: { url: 3 } })).toMatchObject({ status: 400 });
    expect((await ann('GET', `${NODES}/${type}`)).body.version).toBe(1);
  });

  test('members may read, admins may change', async () => {
    const type = await made();
    expect((await member('POST', NODES, weather())).status).toBe(403);
    expect((await member('PUT', `${NODES}/${type}`, { label: 'x' })).status).toBe(403);
    expect((await member('DELETE', `${NODES}/${type}`)).status).toBe(403);
  });

  test('changes at the same time all count', async () => {
    const type = await made();
    await Promise.all(['a', 'b', 'c', 'd'].map((label) => ann('PUT', `${NODES}/${type}`, { label })));
    expect((await ann('GET', `${NODES}/${type}`)).body.version).toBe(5);
  });
});

describe('another tenant', () => {
  test('sees nothing of it, and may have the same name for another thing', async () => {
    const type = await made();
    const name = type.slice('custom-'.length);
    for (const [method, body] of [['GET'], ['PUT', { label: 'x' }], ['DELETE']] as const)
      expect((await bob(method, `${NODES}/${type}`, body)).status).toBe(404);
    expect((await bob('POST', `${NODES}/${type}/test`, {})).status).toBe(404);
    expect((await bob('GET', NODES)).body.data).toEqual([]);
    const types = (await bob('GET', '/api/v1/node-types')).body.data as JsonObject[];
    expect(types.filter((row) => row.custom === true)).toEqual([]);
    const dsl = { id: 'd', trigger: { type: 'manual' }, steps: [{ id: 'a', type, config: { city: 'x' } }] };
    const saved = await bob('POST', '/api/v1/workflows', { name: 'Theirs', dsl });
    expect(saved).toMatchObject({
      status: 201,
      body: { warnings: [{ message: expect.stringContaining('no custom node') }] },
    });
    expect(await run(bob, String(saved.body.id))).toMatchObject({ status: 'failed', error: { code: 'unknown_type' } });
    expect((await bob('POST', NODES, { name, request: { url: `${server.url}/bob` } })).status).toBe(201);
    const mine = await run(bob, await workflowOf(bob, [{ id: 'a', type, config: {} }]));
    expect(mine).toMatchObject({ status: 'completed', output: { status: 200 } });
    expect(await run(ann, await workflowOf(ann, [{ id: 'a', type, config: { city: 'Oslo' } }]))).toMatchObject({
      output: { temperature: 21.5, wind: null },
    });
  });
});

describe('in a workflow', () => {
  test('a step sends its request, and its secrets are shown nowhere', async () => {
    const type = await made({
      outputs: [
        { name: 'temperature', path: 'body.temp' },
        { name: 'echo', path: 'body.key' },
      ],
    });
    const workflow = await workflowOf(ann, [
      { id: 'ask', type, config: { city: '{{ trigger.city }}' } },
      {
        id: 'tell',
        type: 'http_request',
        config: { method: 'POST', url: `${server.url}/tell`, json: '{{ steps.ask.echo }}' },
      },
    ]);
    server.seen.length = 0;
    const execution = await run(ann, workflow, { city: 'São Paulo' });
    expect(execution.status).toBe('completed');
    expect(server.seen[0]).toMatchObject({ method: 'GET', url: '/weather?q=S%C3%A3o+Paulo&units=metric' });
    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${SECRET}`);
    // What goes on to other systems is the value, what is shown is not.
    expect(server.seen[1]?.body).toBe(JSON.stringify(`Bearer ${SECRET}`));
    const detail = await ann('GET', `/api/v1/executions/${String(execution.id)}/detail?include=attempts`);
    expect(JSON.stringify(detail)).not.toContain(SECRET);
    expect((detail.body.steps as JsonObject[])[0]).toMatchObject({
      type,
      status: 'completed',
      input: { city: 'São Paulo' },
      output: { temperature: 21.5, echo: 'Bearer ***' },
    });
  });

  test('a run is refused whose custom nodes use a secret that is not there', async () => {
    const type = await made({ request: { url: server.url, headers: { a: '{{ secret.NOT_THERE }}' } } });
    const workflow = await workflowOf(ann, [{ id: 'a', type, config: { city: 'x' } }]);
    const refused = await ann('POST', `/api/v1/workflows/${workflow}/trigger`, {});
    expect(refused).toMatchObject({
      status: 400,
      body: { code: 'unknown_secret', details: [{ path: 'secret.NOT_THERE' }] },
    });
  });

  test.each<[string, JsonObject, string]>([
    ['a field that is missing', {}, 'steps[0].config.city'],
    ['a field that is misspelt', { city: 'x', unit: 'metric' }, 'steps[0].config.unit'],
    ['a value that is no option', { city: 'x', units: 'kelvin' }, 'steps[0].config.units'],
  ])('%s is found when the workflow is saved', async (_, config, path) => {
    const dsl = { id: 'd', trigger: { type: 'manual' }, steps: [{ id: 'a', type: await made(), config }] };
    const { body } = await ann('POST', '/api/v1/workflows/validate', { dsl });
    expect((body.errors as JsonObject[]).map((error) => error.path)).toEqual([path]);
  });

  test('a value of a secret field that is written in clear is found, too', async () => {
    const type = await made({ config_fields: [{ name: 'key', type: 'secret' }], request: { url: server.url } });
    const dsl = (key: string) => ({
      id: 'd',
      trigger: { type: 'manual' },
      steps: [{ id: 'a', type, config: { key } }],
    });
    expect((await ann('POST', '/api/v1/workflows/validate', { dsl: dsl('hunter2') })).body.valid).toBe(false);
    expect((await ann('POST', '/api/v1/workflows/validate', { dsl: dsl('{{ secret.WEATHER_KEY }}') })).body.valid).toBe(
      true,
    );
  });

  test('a failing answer fails the step as that of an http_request', async () => {
    const type = await made({ request: { url: `${server.url}/?status=404&q=x` } });
    const execution = await run(ann, await workflowOf(ann, [{ id: 'a', type, config: { city: 'x' } }]));
    expect(execution).toMatchObject({ status: 'failed', error: { code: 'http_status' } });
  });

  test('a run that is on its way takes the newest definition at its next step', async () => {
    const type = await made({ request: { url: `${server.url}/first?q=1` } });
    const config = { city: 'x', units: 'metric' };
    const workflow = await workflowOf(ann, [
      { id: 'before', type, config },
      { id: 'go', type: 'wait_for_signal', config: { signal: 'go' } },
      { id: 'after', type, config },
    ]);
    server.seen.length = 0;
    const { body } = await ann('POST', `/api/v1/workflows/${workflow}/trigger`, {});
    const id = String(body.id);
    await until(
      'the run waits',
      async () => ((await ann('GET', `/api/v1/executions/${id}`)).body.waiting as unknown[]).length,
    );
    // A field of the saved workflow is taken away as well: that is no fault of the run.
    await ann('PUT', `${NODES}/${type}`, {
      config_fields: [{ name: 'city' }],
      request: { url: `${server.url}/second?q=2` },
      outputs: [{ name: 'place', path: 'city' }],
    });
    await ann('POST', `/api/v1/executions/${id}/signal`, { signal: 'go' });
    expect(await ended(ann, id)).toMatchObject({ status: 'completed', output: { place: '2' } });
    expect(server.seen.map(({ url }) => url)).toEqual(['/first?q=1', '/second?q=2']);
  });
});

describe('deleting a custom node', () => {
  test('is refused with the names of the workflows that use it, wherever in them it stands', async () => {
    const type = await made();
    const step = { id: 'a', type, config: { city: 'x' } };
    const flat = await workflowOf(ann, [step], 'Flat');
    const deep = await workflowOf(
      ann,
      [{ id: 'each', type: 'foreach', config: { items: [1] }, steps: [step] }],
      'Deep',
    );
    const refused = await ann('DELETE', `${NODES}/${type}`);
    expect(refused).toMatchObject({
      status: 409,
      body: {
        code: 'conflict',
        workflows: [
          { id: deep, name: 'Deep' },
          { id: flat, name: 'Flat' },
        ],
      },
    });
    expect(refused.body.error).toContain('Deep, Flat');
    await ann('DELETE', `/api/v1/workflows/${deep}`);
    const dsl = { id: 'flow', trigger: { type: 'manual' }, steps: [{ id: 'a', type: 'set', config: { v: 1 } }] };
    await ann('PUT', `/api/v1/workflows/${flat}`, { dsl });
    expect((await ann('DELETE', `${NODES}/${type}`)).status).toBe(204);
  });

  test('happens all the same when it is forced, and then its steps fail', async () => {
    const type = await made();
    const workflow = await workflowOf(ann, [{ id: 'a', type, config: { city: 'x' } }]);
    expect((await ann('DELETE', `${NODES}/${type}?force=true`)).status).toBe(204);
    expect(await run(ann, workflow)).toMatchObject({ status: 'failed', error: { code: 'unknown_type' } });
  });
});

describe('trying a custom node', () => {
  test('sends its request with the given config, steps and trigger, and tells what became of it', async () => {
    const type = await made({
      request: {
        url: `${server.url}/try?q={{ config.city }}-{{ steps.before.n }}-{{ trigger.id }}`,
        headers: { authorization: '{{ secret.WEATHER_KEY }}' },
      },
      outputs: [{ name: 'city' }, { name: 'key' }],
    });
    const { status, body } = await member('POST', `${NODES}/${type}/test`, {
      config: { city: 'Rome' },
      steps: { before: { n: 3 } },
      trigger: { id: 7 },
    });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { status: 'completed', input: { city: 'Rome' }, output: { city: 'Rome-3-7', key: '***' }, error: null },
    });
  });

  test('takes null for nothing given', async () => {
    const type = await made({ config_fields: [], request: { url: `${server.url}/try` } });
    const body = { config: null, steps: null, trigger: null };
    expect(await member('POST', `${NODES}/${type}/test`, body)).toMatchObject({ status: 200, body: { input: {} } });
  });

  test('tells a wrong config by its place, and an expression without a value as the step’s failure', async () => {
    const type = await made({ request: { url: `${server.url}/{{ steps.before.n }}` } });
    expect(await member('POST', `${NODES}/${type}/test`, { config: {} })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', details: [{ path: 'config.city', message: 'is required' }] },
    });
    expect(await member('POST', `${NODES}/${type}/test`, { config: { city: 'x' } })).toMatchObject({
      status: 200,
      body: { status: 'failed', error: { code: 'expression' } },
    });
  });
});

describe('node types', () => {
  const rows = async (ask: Ask, query = ''): Promise<JsonObject[]> =>
    (await ask('GET', `/api/v1/node-types${query}`)).body.data as JsonObject[];

  test('has those that hold steps, those that do something, and the tenant’s own', async () => {
    const type = await made();
    const all = await rows(member);
    expect(all.find((row) => row.type === 'foreach')).toMatchObject({
      kind: 'control',
      custom: false,
      step: { required: ['steps'] },
    });
    expect(all.find((row) => row.type === 'http_request')).toMatchObject({
      title: 'HTTP request',
      kind: 'work',
      category: 'HTTP',
      effect: 'write',
      aliases: ['http'],
      custom: false,
      tool: { name: 'http_request' },
    });
    expect(all.find((row) => row.type === type)).toMatchObject({
      title: 'Weather',
      description: 'What the weather is',
      kind: 'tool',
      category: 'Custom',
      effect: 'read',
      custom: true,
      icon: 'cloud',
      color: '#3366ff',
      input: { required: ['city'], properties: { city: { title: 'City' } } },
      tool: { name: type, parameters: { required: ['city'] } },
    });
  });

  test('are picked by category and kind', async () => {
    const type = await made({ kind: 'trigger' });
    expect((await rows(ann, '?kind=control')).map((row) => row.type)).toEqual([
      'branch',
      'parallel',
      'foreach',
      'while',
      'try',
    ]);
    expect((await rows(ann, '?kind=trigger')).map((row) => row.type)).toEqual([type]);
    const custom = await rows(ann, '?category=Custom');
    expect(custom.length).toBeGreaterThan(1);
    expect(custom.every((row) => row.custom === true)).toBe(true);
  });
});

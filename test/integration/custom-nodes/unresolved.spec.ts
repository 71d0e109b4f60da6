import { openSite, type Site, type User } from '../executor/site';

let site: Site;
let ann: User;

beforeAll(async () => {
  site = await openSite();
  ann = await site.user();
});
afterAll(() => site?.close());

const dsl = (type: string) => ({
  id: 'flow',
  trigger: { type: 'http' },
  steps: [{ id: 'later', type, config: { n: 1 } }],
});
const warned = (type: string) => ({
  status: 201,
  body: { warnings: [{ path: 'steps[0].config', message: expect.stringContaining(`no custom node "${type}" yet`) }] },
});

test('a step of a custom type that does not exist yet is saved and imported with a warning, and fails by name when it runs', async () => {
  const type = 'custom-not-there-yet';
  const saved = await ann.request('POST', '/api/v1/workflows', { name: 'Later', dsl: dsl(type) });
  expect(saved).toMatchObject(warned(type));
  expect(await ann.request('POST', '/api/v1/workflows/import', { name: 'Later', dsl: dsl(type) })).toMatchObject(
    warned(type),
  );
  const run = await ann.run(String(saved.body.id));
  expect(run).toMatchObject({
    status: 'failed',
    error: { step_id: 'later', message: expect.stringContaining(type) },
  });
});

test('a type that begins otherwise, or is no name of a custom node, is refused as before', async () => {
  for (const type of ['customised-thing', 'custom-', 'custom-Upper', 'not_there'])
    expect((await ann.request('POST', '/api/v1/workflows', { name: 'x', dsl: dsl(type) })).status).toBe(400);
});

test('the step runs once the custom node is there', async () => {
  const saved = await ann.request('POST', '/api/v1/workflows', { name: 'Later', dsl: dsl('custom-arrives') });
  const definition = {
    name: 'arrives',
    label: 'Arrives',
    config_fields: [{ name: 'n', label: 'N', type: 'number', required: true }],
    outputs: [],
    request: { method: 'GET', url: 'http://127.0.0.1:9/{{ config.n }}' },
  };
  expect((await ann.request('POST', '/api/v1/custom-nodes', definition)).status).toBe(201);
  const run = await ann.run(String(saved.body.id));
  // The request is refused by the rules for private addresses, so the definition was found and carried out.
  expect(run).toMatchObject({ status: 'failed', error: { message: expect.stringContaining('127.0.0.1') } });
});

import type { ErrorDetail } from '../../../lib/errors';
import type { Json } from '../../../lib/json';
import { allServices } from '../../support/services';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ask, type HttpAnswer } from '../../support/http';

let app: TestApp;
let token: string;
beforeAll(async () => {
  app = await startApp({ services: [allServices] });
});
beforeEach(async () => {
  token = (await registerTenant(app)).token;
});
afterAll(() => app.close());

const send = (line: `${string} /${string}`, body?: unknown): Promise<HttpAnswer> =>
  ask(app, line, { token, ...(body === undefined ? {} : { body }) });

async function make(path: `/${string}`, body: object): Promise<string> {
  const answer = await send(`POST ${path}`, body);
  expect(answer.status).toBe(201);
  return answer.body.id as string;
}

const dslOf = (step: Record<string, Json>, trigger: Json = { type: 'manual' }) => ({
  id: 'd',
  trigger,
  steps: [{ id: 'each', type: 'foreach', config: { items: [1] }, steps: [{ id: 'a', ...step }] }],
});

/** What a document may name: how it is made, the step that names it, and where it is deleted. */
interface Named {
  readonly make: () => Promise<{ id: string; ref: string }>;
  readonly step: (ref: string) => Record<string, Json>;
  readonly path: string;
  readonly member: string;
  readonly word: string;
}

const NAMED: Readonly<Record<string, Named>> = {
  'a connection': {
    make: async () => ({
      id: await make('/api/v1/connections', {
        connector: 'http',
        name: 'Shop',
        credentials: { base_url: 'http://127.0.0.1:1/', auth: 'none' },
      }),
      ref: 'Shop',
    }),
    step: (connection) => ({ type: 'http.read', config: { connection, url: '/' } }),
    path: '/api/v1/oauth/connections',
    member: 'connection',
    word: 'connection',
  },
  'a knowledge base': {
    make: async () => ({ id: await make('/api/v1/knowledge-bases', { name: 'Law' }), ref: 'Law' }),
    step: (base) => ({ type: 'kb_query', config: { knowledge_base: base, query: 'x' } }),
    path: '/api/v1/knowledge-bases',
    member: 'knowledge_base',
    word: 'knowledge base',
  },
  'another workflow': {
    make: async () => {
      const id = await make('/api/v1/workflows', { name: 'Child', dsl: dslOf({ type: 'set', config: { a: 1 } }) });
      return { id, ref: id };
    },
    step: (workflow) => ({ type: 'sub_workflow', config: { workflow } }),
    path: '/api/v1/workflows',
    member: 'workflow',
    word: 'workflow',
  },
  'a skill': {
    make: async () => ({ id: await make('/api/v1/skills', { name: 'check', description: 'Checks.' }), ref: 'check' }),
    step: (skill) => ({ type: 'skill', config: { skill } }),
    path: '/api/v1/skills',
    member: 'skill',
    word: 'skill',
  },
};

describe.each(Object.entries(NAMED))('%s', (_what, { make: create, step, path, member, word }) => {
  test('that there is not is a warning of create, update, import and validate', async () => {
    const dsl = dslOf(step('Nowhere'));
    const made = await send('POST /api/v1/workflows', { name: 'Uses', dsl });
    const warning = { path: `steps[0].steps[0].config.${member}`, message: `there is no ${word} Nowhere` };
    const expected = expect.arrayContaining([expect.objectContaining(warning)]);
    expect([made.status, made.body.warnings]).toEqual([201, expected]);
    expect((await send(`PUT /api/v1/workflows/${made.body.id as string}`, { dsl })).body.warnings).toEqual(expected);
    expect((await send('POST /api/v1/workflows/import', { name: 'Again', dsl })).body.warnings).toEqual(expected);
    expect((await send('POST /api/v1/workflows/validate', { dsl })).body).toMatchObject({
      valid: true,
      warnings: expected,
    });
  });

  test('that a workflow uses is deleted only with force, and one that none uses as ever', async () => {
    const { id, ref } = await create();
    const user = await send('POST /api/v1/workflows', { name: 'Uses', dsl: dslOf(step(ref)) });
    const about = (user.body.warnings ?? []) as ErrorDetail[];
    expect(about.filter(({ message }) => message.startsWith('there is no'))).toEqual([]);
    const refused = await send(`DELETE ${path as '/'}/${id}`);
    expect(refused).toMatchObject({
      status: 409,
      body: {
        code: 'conflict',
        error: expect.stringMatching(/is used by a workflow: Uses; force=true/),
        workflows: [{ id: user.body.id, name: 'Uses' }],
      },
    });
    // What another tenant has of the same name is no user.
    const mine = token;
    token = (await registerTenant(app)).token;
    await send('POST /api/v1/workflows', { name: 'Stays', dsl: dslOf(step(ref)) });
    token = mine;
    const other = await create().catch(() => null);
    expect((await send(`DELETE /api/v1/workflows/${user.body.id as string}`)).status).toBe(204);
    expect((await send(`DELETE ${path as '/'}/${id}`)).status).toBe(204);
    if (other !== null) expect((await send(`DELETE ${path as '/'}/${other.id}`)).status).toBe(204);
  });

  test('that a workflow uses is deleted with force', async () => {
    const { id, ref } = await create();
    await send('POST /api/v1/workflows', { name: 'Uses', dsl: dslOf(step(ref)) });
    expect((await send(`DELETE ${path as '/'}/${id}?force=true`)).status).toBe(204);
  });

  test('is found in records that are older than the list of what they name', async () => {
    const { id, ref } = await create();
    const user = await send('POST /api/v1/workflows', { name: 'Old', dsl: dslOf(step(ref)) });
    await app.app.db
      .collection<{ _id: string }>('workflows')
      .updateOne({ _id: user.body.id as string }, { $unset: { refs: '' } });
    expect((await send(`DELETE ${path as '/'}/${id}`)).status).toBe(409);
  });
});

test('a secret that a workflow uses is deleted only with force', async () => {
  await send('POST /api/v1/secrets', { name: 'KEY', value: 'a value' });
  await send('POST /api/v1/workflows', {
    name: 'Uses',
    dsl: dslOf({ type: 'set', config: { a: '{{ secret.KEY }}' } }),
  });
  expect(await send('DELETE /api/v1/secrets/KEY')).toMatchObject({
    status: 409,
    body: { workflows: [{ name: 'Uses' }] },
  });
  expect((await send('DELETE /api/v1/secrets/KEY?force=true')).status).toBe(204);
});

describe('what uses something', () => {
  const placesAt = async (path: `/${string}`): Promise<Json> => {
    const { status, body } = await send(`GET ${path}`);
    expect(status).toBe(200);
    return (body.data as { workflow_name: string; places: Json }[]).map(({ workflow_name: name, places }) => [
      name,
      places,
    ]) as Json;
  };
  const PLACE = { path: 'steps[0].steps[0].config', step_id: 'a' };

  test.each(Object.entries(NAMED).filter(([what]) => what === 'a connection' || what === 'another workflow'))(
    '%s is listed with its places',
    async (_what, { make: create, step, path, member }) => {
      const { id, ref } = await create();
      const at = path.replace('/oauth', '') as '/';
      expect(await placesAt(`${at}/${id}/used-by`)).toEqual([]);
      await send('POST /api/v1/workflows', { name: 'Uses', dsl: dslOf(step(ref)) });
      expect(await placesAt(`${at}/${id}/used-by`)).toEqual([
        ['Uses', [{ ...PLACE, path: `${PLACE.path}.${member}` }]],
      ]);
      token = (await registerTenant(app)).token;
      expect((await send(`GET ${at}/${id}/used-by`)).status).toBe(404);
    },
  );

  test('a secret and a variable are listed with the texts that have them in an expression', async () => {
    await send('POST /api/v1/secrets', { name: 'KEY', value: 'a value' });
    await send('PUT /api/v1/variables/region', { value: 'eu' });
    await send('PUT /api/v1/variables/other', { value: 'x' });
    const config = { a: 'Bearer {{ secret.KEY }}', b: ['{{ upper(vars.region) }}'], c: 'vars.other, secret.KEY' };
    await send('POST /api/v1/workflows', { name: 'Uses', dsl: dslOf({ type: 'set', config }) });
    await send('POST /api/v1/workflows', { name: 'Not', dsl: dslOf({ type: 'set', config: { a: 'vars' } }) });
    const at = (path: string) => [['Uses', [{ ...PLACE, path: `${PLACE.path}.${path}` }]]];
    expect(await placesAt('/api/v1/secrets/KEY/used-by')).toEqual(at('a'));
    expect(await placesAt('/api/v1/variables/region/used-by')).toEqual(at('b[0]'));
    expect(await placesAt('/api/v1/variables/other/used-by')).toEqual([]);
    expect((await send('GET /api/v1/secrets/NONE/used-by')).status).toBe(404);
    expect((await send('GET /api/v1/variables/none/used-by')).status).toBe(404);
  });
});

test('folders and tags are counted', async () => {
  const dsl = dslOf({ type: 'set', config: {} });
  await send('POST /api/v1/workflows', { name: 'A', dsl, folder: 'Sales/Orders', tags: ['eu', 'new'] });
  await send('POST /api/v1/workflows', { name: 'B', dsl, folder: 'Sales/Orders', tags: ['eu'] });
  await send('POST /api/v1/workflows', { name: 'C', dsl });
  expect((await send('GET /api/v1/workflows/folders')).body).toEqual({
    folders: [
      { folder: '', workflows: 1 },
      { folder: 'Sales/Orders', workflows: 2 },
    ],
    tags: [
      { tag: 'eu', workflows: 2 },
      { tag: 'new', workflows: 1 },
    ],
  });
});

import type { Json, JsonObject } from '../../../lib/json';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ask, type HttpAnswer } from '../../support/http';
import { allServices } from '../../support/services';
import { join } from '../../support/team';

let app: TestApp;
let token: string;
let id: string;
let live: string;

beforeAll(async () => {
  app = await startApp({ services: [allServices] });
});
afterAll(() => app.close());

const documentOf = (value: Json): JsonObject => ({
  id: 'd',
  trigger: { type: 'manual' },
  steps: [{ id: 'a', type: 'set', config: { value } }],
});

interface Given {
  readonly body?: unknown;
  readonly match?: string;
  readonly none?: string;
  readonly as?: string;
}

const send = (line: `${string} /${string}`, { body, match, none, as = token }: Given = {}): Promise<HttpAnswer> => {
  const [method, path] = line.split(' ') as [string, string];
  return ask(app, `${method} /api/v1/workflows/${id}${path === '/' ? '' : path}`, {
    token: as,
    ...(body === undefined ? {} : { body }),
    headers: {
      ...(match === undefined ? {} : { 'if-match': match }),
      ...(none === undefined ? {} : { 'if-none-match': none }),
    },
  });
};

beforeEach(async () => {
  token = (await registerTenant(app)).token;
  const body = { name: 'Sample', dsl: documentOf(1) };
  const made = await ask(app, 'POST /api/v1/workflows', { token, body });
  [id, live] = [made.body.id as string, made.body.dsl_hash as string];
});

const putDraft = async (dsl: JsonObject, given: Omit<Given, 'body'> & { readonly base?: string } = {}) =>
  send('PUT /draft', { ...given, body: { dsl, ...(given.base === undefined ? {} : { base_hash: given.base }) } });
const liveNow = async () => (await send('GET /')).body;
const versions = async () => (await send('GET /versions')).body.data as JsonObject[];

describe('If-Match of a workflow', () => {
  test('a change with the hash that was read is made, and answers with the new one', async () => {
    const read = await send('GET /');
    expect(read.headers.get('etag')).toBe(`"${live}"`);
    const changed = await send('PUT /', { body: { dsl: documentOf(2) }, match: `"${live}"` });
    expect(changed).toMatchObject({ status: 200, body: { dsl: documentOf(2) } });
    expect(changed.headers.get('etag')).toBe(`"${changed.body.dsl_hash as string}"`);
  });

  test('a change of another document than the present one is refused with both hashes', async () => {
    const other = await send('PUT /', { body: { dsl: documentOf(2) } });
    const refused = await send('PUT /', { body: { dsl: documentOf(3) }, match: `"${live}"` });
    expect(refused).toMatchObject({
      status: 412,
      body: {
        code: 'precondition_failed',
        expected_hash: live,
        current_hash: other.body.dsl_hash,
        details: [
          { path: 'expected_hash', message: live },
          { path: 'current_hash', message: other.body.dsl_hash },
        ],
      },
    });
    expect(await liveNow()).toMatchObject({ dsl: documentOf(2) });
  });

  test('of two changes of one document at the same time, one is made', async () => {
    const both = [2, 3].map((value) => send('PUT /', { body: { dsl: documentOf(value) }, match: `"${live}"` }));
    const statuses = (await Promise.all(both)).map(({ status }) => status);
    expect(statuses.sort((a, b) => a - b)).toEqual([200, 412]);
  });

  test('a list of hashes and * match; a weak hash does not, and a text without quotes is refused', async () => {
    const status = async (match: string) => (await send('PUT /', { body: { description: 'x' }, match })).status;
    expect(await status(`"other", "${live}"`)).toBe(200);
    expect(await status('*')).toBe(200);
    expect(await status(`W/"${live}"`)).toBe(412);
    expect(await status(live)).toBe(400);
  });
});

describe('the draft', () => {
  test('holds a document that is not valid, and leaves the live one as it is', async () => {
    expect(await send('GET /draft')).toMatchObject({ status: 200, body: null });
    const dsl = { id: 'd', steps: [{ id: 'a', type: 'no_such_type' }], notes: 'unfinished' };
    const stored = await putDraft(dsl);
    expect(stored).toMatchObject({ status: 200, body: { workflow_id: id, dsl, base_hash: live, live_hash: live } });
    expect(stored.headers.get('etag')).toBe(`"${stored.body.dsl_hash as string}"`);
    expect((await send('GET /draft')).body).toEqual(stored.body);
    expect(await liveNow()).toMatchObject({ dsl: documentOf(1), version: 1 });
  });

  test('keeps the live document that it began from, until it is given another', async () => {
    await putDraft(documentOf(2));
    const { dsl_hash } = (await send('PUT /', { body: { dsl: documentOf(5) } })).body;
    expect((await putDraft(documentOf(3))).body).toMatchObject({ base_hash: live, live_hash: dsl_hash });
    expect((await putDraft(documentOf(3), { base: dsl_hash as string })).body).toMatchObject({ base_hash: dsl_hash });
  });

  test('two tabs do not overwrite each other: the second one gets the current hash', async () => {
    const first = await putDraft(documentOf(2), { none: '*' });
    expect(first.status).toBe(200);
    expect(await putDraft(documentOf(3), { none: '*' })).toMatchObject({
      status: 412,
      body: { current_hash: first.body.dsl_hash },
    });
    const tag = `"${first.body.dsl_hash as string}"`;
    expect((await putDraft(documentOf(4), { match: tag })).status).toBe(200);
    expect((await putDraft(documentOf(5), { match: tag })).status).toBe(412);
    expect((await send('GET /draft')).body).toMatchObject({ dsl: documentOf(4) });
  });

  test('of many who store over one draft at the same time, one does', async () => {
    const tag = `"${(await putDraft(documentOf(2))).body.dsl_hash as string}"`;
    const all = Array.from({ length: 8 }, (_, n) => putDraft(documentOf(100 + n), { match: tag }));
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 412)).toHaveLength(7);
  });

  test('is discarded, unless it has changed', async () => {
    const { dsl_hash } = (await putDraft(documentOf(2))).body;
    expect((await send('DELETE /draft', { match: '"other"' })).status).toBe(412);
    expect((await send('DELETE /draft', { match: `"${dsl_hash as string}"` })).status).toBe(204);
    expect((await send('DELETE /draft')).status).toBe(404);
    expect((await send('GET /draft')).body).toBeNull();
  });

  test('goes with its workflow, and belongs to its tenant', async () => {
    await putDraft(documentOf(2));
    const otherTenant = (await registerTenant(app)).token;
    expect((await send('GET /draft', { as: otherTenant })).status).toBe(404);
    expect((await send('PUT /draft', { as: otherTenant, body: { dsl: documentOf(3) } })).status).toBe(404);
    expect((await send('DELETE /')).status).toBe(204);
    expect((await send('GET /draft')).status).toBe(404);
    expect(await app.app.db.collection('workflow_drafts').countDocuments({ _id: id as never })).toBe(0);
  });

  test('is bounded in size and depth', async () => {
    const values = Array.from({ length: 100_001 }, () => 0);
    expect(await putDraft({ values })).toMatchObject({ status: 400, body: { details: [{ path: 'dsl' }] } });
    let deep: JsonObject = {};
    for (let n = 0; n < 80; n += 1) deep = { deep };
    expect((await putDraft(deep)).status).toBe(400);
  });

  test('is compared with the live document, also while it is not valid', async () => {
    await putDraft({ ...documentOf(2), notes: 'n', steps: [...(documentOf(2).steps as Json[]), { type: 'log' }, 7] });
    const diff = await send('GET /draft/diff');
    expect(diff).toMatchObject({
      status: 200,
      body: {
        same: false,
        base_hash: live,
        live_hash: live,
        steps: { changed: [{ id: 'a', changes: [{ path: 'config.value', before: 1, after: 2 }] }] },
        document: [{ path: 'notes', after: 'n' }],
      },
    });
  });
});

describe('publishing', () => {
  test('makes the draft live and a version, and removes the draft', async () => {
    await putDraft(documentOf(2));
    const published = await send('POST /publish', { body: { message: 'second' } });
    expect(published).toMatchObject({
      status: 200,
      body: { workflow: { dsl: documentOf(2), version: 2 }, version: { version: 1, message: 'second' } },
    });
    expect(await liveNow()).toMatchObject({ dsl: documentOf(2) });
    expect(await versions()).toEqual([expect.objectContaining({ version: 1, message: 'second' })]);
    expect((await send('GET /draft')).body).toBeNull();
    expect((await send('POST /publish', { body: {} })).status).toBe(404);
  });

  test('a draft that is not valid is refused with its faults, and stays', async () => {
    await putDraft({ ...documentOf(2), steps: [] });
    expect(await send('POST /publish', { body: {} })).toMatchObject({
      status: 400,
      body: { code: 'invalid_dsl', details: [{ path: 'steps' }] },
    });
    expect((await send('GET /draft')).status).toBe(200);
    expect(await versions()).toEqual([]);
  });

  test('is refused when the live document is another one than the draft was made from', async () => {
    await putDraft(documentOf(2));
    const other = await send('PUT /', { body: { dsl: documentOf(3) } });
    const refused = await send('POST /publish', { body: {} });
    expect(refused).toMatchObject({
      status: 412,
      body: { code: 'precondition_failed', expected_hash: live, current_hash: other.body.dsl_hash },
    });
    expect(await liveNow()).toMatchObject({ dsl: documentOf(3) });
    const seen = await send('POST /publish', { body: {}, match: `"${other.body.dsl_hash as string}"` });
    expect(seen).toMatchObject({ status: 200, body: { workflow: { dsl: documentOf(2) } } });
  });

  test('is refused when the draft is another one than the caller has seen', async () => {
    const { dsl_hash } = (await putDraft(documentOf(2))).body;
    await putDraft(documentOf(3));
    expect((await send('POST /publish', { body: { draft_hash: dsl_hash } })).status).toBe(412);
    expect(await liveNow()).toMatchObject({ dsl: documentOf(1) });
  });

  test('takes a given document in place of the draft', async () => {
    const given = await send('POST /publish', { body: { dsl: documentOf(7) }, match: `"${live}"` });
    expect(given).toMatchObject({ status: 200, body: { workflow: { dsl: documentOf(7) } } });
    expect((await send('POST /publish', { body: { dsl: documentOf(8) }, match: `"${live}"` })).status).toBe(412);
  });

  test('after a crash between the change and the removal of the draft, publishing again finishes it', async () => {
    await putDraft(documentOf(2));
    const left = await app.app.db.collection('workflow_drafts').findOne({ _id: id as never });
    const first = await send('POST /publish', { body: { message: 'm' } });
    // What a process that died after the change has left: the draft as it was.
    await app.app.db.collection('workflow_drafts').insertOne(left as never);
    const again = await send('POST /publish', { body: { message: 'm' } });
    expect(again).toMatchObject({ status: 200, body: { version: first.body.version as JsonObject } });
    expect(await versions()).toHaveLength(1);
    expect((await send('GET /draft')).body).toBeNull();
  });

  test('what a member publishes waits for approval where the tenant requires it', async () => {
    await ask(app, 'PUT /api/v1/tenant/settings', { token, body: { require_approval: true } });
    const member = await join(app, token, 'member@example.com');
    await putDraft(documentOf(2), { as: member.token });
    const published = await send('POST /publish', { body: {}, as: member.token });
    expect(published).toMatchObject({ status: 200, body: { workflow: { status: 'pending_approval' } } });
  });
});

import type { CaseAnswer } from '../../nodes/connectors/connector-case';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { auditService } from '../../../services/audit/audit.service';
import { authService } from '../../../services/auth/auth.service';
import { connectionsService } from '../../../services/connections/connections.service';
import type { ConnectionView } from '../../../contracts/connections';
import { connectorsService } from '../../../services/connectors/connectors.service';
import { startApp, type TestApp } from '../../support/app';
import { eventsOf, listed, newOwner, type Owner } from '../../support/connections/house';
import { askedOn, tokenIn } from '../../support/connections/nodes';
import { type Provider, startProvider } from '../../support/connectors/provider';
import { freePort } from '../../support/server';

const TOKEN = 'ghp_finch-in-the-vault';

let answer: () => CaseAnswer;
let provider: Provider;
let t: TestApp;
let owner: Owner;
const log: string[] = [];

beforeAll(async () => {
  provider = await startProvider(() => answer());
  t = await startApp({
    services: [apiGatewayService, authService, auditService, connectionsService, connectorsService],
    env: {
      EGRESS_ALLOW: '127.0.0.1',
      CONNECTOR_GITHUB_URL: provider.url,
      CONNECTOR_GITLAB_URL: `http://127.0.0.1:${await freePort()}`,
    },
    log: (line) => log.push(line),
  });
  owner = await newOwner(t);
});
afterAll(async () => {
  await t.close();
  await provider.close();
});

const create = (body: object, who = owner) =>
  who.api.ask<ConnectionView & { code: string; error: string }>('POST', '/api/v1/connections', body);

describe('a manual connection', () => {
  it('is tried by a live call, kept without being shown, and given to steps', async () => {
    answer = () => ({ json: { login: 'ann', id: 1 } });
    const { status, body } = await create({ connector: 'github', name: 'releases', credentials: { token: TOKEN } });
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({
        kind: 'manual',
        connector: 'github',
        name: 'releases',
        status: 'active',
        last_error: null,
      }),
    ]);
    expect(provider.seen.at(-1)).toMatchObject({ url: '/user', headers: { authorization: `Bearer ${TOKEN}` } });
    expect(await askedOn(t, owner.tenant.id, 'releases', { connectors: ['github'] })).toEqual({
      kind: 'ready',
      connection: { id: body.id, connector: 'github', credentials: { token: TOKEN } },
    });
    const shown = JSON.stringify([body, await listed(owner), await eventsOf(owner), log]);
    expect(shown).not.toContain(TOKEN);
    expect((await eventsOf(owner))[0]).toMatchObject({
      action: 'connection.create',
      after: { kind: 'manual', fields: ['token'] },
    });
  });

  it('is not made of credentials that the provider refuses, whose message is shown without them', async () => {
    const before = (await listed(owner)).length;
    answer = () => ({ status: 401, json: { message: `Bad credentials: ${TOKEN}` } });
    const { status, body } = await create({ connector: 'github', credentials: { token: TOKEN } });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.error).toContain('Bad credentials: ***');
    expect(await listed(owner)).toHaveLength(before);
    expect(log.join()).not.toContain(TOKEN);
  });

  it('is made when the provider fails or cannot be reached, and says so', async () => {
    answer = () => ({ status: 503, text: '' });
    const failing = await create({ connector: 'github', name: 'later', credentials: { token: TOKEN } });
    expect([failing.status, failing.body.last_error]).toEqual([201, expect.stringContaining('503')]);
    const away = await create({ connector: 'gitlab', name: 'away', credentials: { token: TOKEN } });
    expect([away.status, away.body.status, away.body.last_error]).toEqual([
      201,
      'active',
      expect.stringContaining('Not tested'),
    ]);
  });

  it.each<[string, object, string]>([
    ['without a required field', { token: '' }, 'credentials.token is required'],
    ['with an unknown field', { token: 'x', user: 'ann' }, 'credentials.user is not a field'],
    ['with a field from the prototype', JSON.parse('{"token":"x","__proto__":{"a":1}}') as object, 'is not a field'],
    ['with an object for a text', { token: { a: 1 } }, 'credentials.token must be a text'],
    ['with a text that is far too long', { token: 'x'.repeat(20_000) }, 'at most'],
  ])('%s is refused before the provider is called', async (_what, credentials, words) => {
    const asked = provider.seen.length;
    const { status, body } = await create({ connector: 'github', credentials });
    expect([status, body.error]).toEqual([400, expect.stringContaining(words)]);
    expect(provider.seen).toHaveLength(asked);
  });

  it('is for a connector that there is and that takes credentials', async () => {
    for (const [connector, words] of [
      ['unknown', 'Unknown connector'],
      ['__proto__', 'Unknown connector'],
      ['custom-unknown', 'Unknown connector'],
      ['rss', 'takes no credentials'],
    ]) {
      const { status, body } = await create({ connector, credentials: {} });
      expect([connector, status, body.error]).toEqual([connector, 400, expect.stringContaining(words as string)]);
    }
  });

  it('has a name that no other one of the tenant has; without one it is called after the connector, with a number', async () => {
    answer = () => ({ json: { login: 'ann', id: 1 } });
    const other = await newOwner(t);
    const named = { connector: 'github', name: 'one', credentials: { token: TOKEN } };
    expect((await create(named, other)).status).toBe(201);
    const again = await create(named, other);
    expect([again.status, again.body.code]).toEqual([409, 'conflict']);
    expect((await create(named)).status).toBe(201);
    const { name: _name, ...nameless } = named;
    const made = await Promise.all([1, 2, 3].map(() => create(nameless, other)));
    expect(made.map(({ body }) => body.name).sort()).toEqual(['github', 'github 2', 'github 3']);
  });

  it('has no access token, and is removed without a word to anybody', async () => {
    answer = () => ({ json: { login: 'ann', id: 1 } });
    const { body } = await create({ connector: 'github', name: 'short', credentials: { token: TOKEN } });
    const path = `/api/v1/oauth/connections/${body.id}`;
    expect((await owner.api.ask('GET', `${path}/token`)).status).toBe(409);
    expect((await owner.api.ask('POST', `${path}/refresh`)).status).toBe(409);
    const asked = provider.seen.length;
    expect((await owner.api.ask('DELETE', path)).status).toBe(204);
    expect(provider.seen).toHaveLength(asked);
    expect(tokenIn(await askedOn(t, owner.tenant.id, 'short', { connectors: ['github'] }))).toBe('unknown_connection');
  });

  it('is one of at most a thousand', async () => {
    const full = await newOwner(t);
    const records = t.app.db.collection<{ _id: string }>('connections');
    const one = await records.findOne({ name: 'releases' });
    await records.insertMany(
      Array.from({ length: 1_000 }, (_, n) => ({
        ...one,
        _id: `c-${n}`,
        name: `c-${n}`,
        tenant_id: full.tenant.id,
      })) as never,
    );
    const { status, body } = await create({ connector: 'github', credentials: { token: TOKEN } }, full);
    expect([status, body.error]).toEqual([409, expect.stringContaining('1000')]);
  });
});

it('a connector that the tenant has imported takes the fields of its description, and no other tenant sees it', async () => {
  const document = {
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    servers: [{ url: provider.url }],
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Shop-Key' } } },
    security: [{ key: [] }],
    paths: { '/orders': { get: { operationId: 'listOrders', responses: { 200: { description: 'ok' } } } } },
  };
  const made = await owner.api.call<{ name: string; auth: { fields: { name: string }[] } }>(
    'POST',
    '/api/v1/connectors/import',
    { name: 'shop', document },
  );
  const [field] = made.auth.fields;
  const body = { connector: made.name, credentials: { [field?.name ?? '']: TOKEN } };
  expect((await create(body)).status).toBe(201);
  expect((await create(body, await newOwner(t))).status).toBe(400);
});

import { connectionModels } from '../../../services/connections/models';
import { Vault } from '../../../services/connections/vault';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { auditService } from '../../../services/audit/audit.service';
import { authService } from '../../../services/auth/auth.service';
import { connectionsService } from '../../../services/connections/connections.service';
import { openTestDatabase, startApp, type TestApp, type TestDatabase } from '../../support/app';
import {
  connect,
  eventsOf,
  listed,
  type ConnectionHouse,
  newOwner,
  type Owner,
  startConnectionHouse,
  suiteEnv,
} from '../../support/connections/house';
import { askedOn, tokenIn } from '../../support/connections/nodes';
import { LeapingClock } from '../../support/leaping-clock';

const HOUR = 3_600_000;
const CALLERS = 50;

let database: TestDatabase;
let house: ConnectionHouse;
let nodes: TestApp[];
let owner: Owner;
const clock = new LeapingClock();

beforeAll(async () => {
  database = await openTestDatabase();
  const shared = { database, clock, transporter: 'Fake', namespace: database.name };
  house = await startConnectionHouse({
    services: [apiGatewayService, authService, auditService, connectionsService],
    ...shared,
  });
  const another = () => startApp({ services: [connectionsService], ...shared, env: suiteEnv(house.provider) });
  nodes = [house.t, await another(), await another()];
}, 60_000);
beforeEach(async () => {
  // Sessions end too, when hours pass.
  owner = await newOwner(house.t);
});
afterAll(async () => {
  for (const node of nodes.slice(1)) await node.close();
  await house.close();
  await database.close();
});

/** Tokens that many callers are given at once, over three nodes. */
const storm = (id: string): Promise<string[]> =>
  Promise.all(
    Array.from({ length: CALLERS }, async (_, n) =>
      tokenIn(await askedOn(nodes[n % 3] as TestApp, owner.tenant.id, id)),
    ),
  );

const distinct = (tokens: readonly string[]): number => new Set(tokens).size;

test('fifty callers on three nodes with a token that has ended renew it once, and all get the new one', async () => {
  const { id } = await connect(house, owner);
  const [before] = await storm(id);
  clock.leap(HOUR + 1_000);
  const asked = await house.provider.refreshes();
  const tokens = await storm(id);
  expect(distinct(tokens)).toBe(1);
  expect(tokens[0]).not.toBe(before);
  expect(await house.provider.refreshes()).toEqual({ taken: asked.taken + 1, refused: asked.refused });
});

test('fifty callers with a token that is about to end renew it once, and none of them gets one that has ended', async () => {
  const { id } = await connect(house, owner);
  const [before] = await storm(id);
  clock.leap(HOUR - 60_000);
  const asked = await house.provider.refreshes();
  const tokens = await storm(id);
  expect(distinct(tokens)).toBeLessThanOrEqual(2);
  expect(await house.provider.refreshes()).toEqual({ taken: asked.taken + 1, refused: asked.refused });
  const [after] = await storm(id);
  expect(after).not.toBe(before);
  expect(tokens.every((token) => token === before || token === after)).toBe(true);
});

test('fifty callers whose token was refused renew it once', async () => {
  const { id } = await connect(house, owner);
  const [refused] = await storm(id);
  const asked = await house.provider.refreshes();
  const found = await Promise.all(
    Array.from({ length: CALLERS }, async (_, n) =>
      tokenIn(await askedOn(nodes[n % 3] as TestApp, owner.tenant.id, id, { refused })),
    ),
  );
  expect(distinct(found)).toBe(1);
  expect(found[0]).not.toBe(refused);
  expect((await house.provider.refreshes()).taken).toBe(asked.taken + 1);
});

test('ten storms one after the other end with a connection that counts: each refresh token was used once', async () => {
  const { id } = await connect(house, owner);
  const asked = await house.provider.refreshes();
  const seen = new Set<string>();
  for (let turn = 0; turn < 10; turn += 1) {
    clock.leap(HOUR + 1_000);
    const tokens = await storm(id);
    expect(distinct(tokens)).toBe(1);
    seen.add(tokens[0] as string);
  }
  expect(seen.size).toBe(10);
  expect(await house.provider.refreshes()).toEqual({ taken: asked.taken + 10, refused: asked.refused });
});

test('a refresh token that a dead process has used already ends the grant at a strict provider, and every caller sees it', async () => {
  const { id } = await connect(house, owner, { name: 'lost' });
  const [before] = await storm(id);
  const { app } = house.t;
  const record = await connectionModels(app.db).connections.findById(id).lean();
  if (record === null) throw new Error('There is no record');
  const { refresh_token } = new Vault(app.keyring).open(record);
  const used = await fetch(`${house.provider.issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: refresh_token ?? '',
      client_id: 'suite',
      client_secret: 'a secret',
    }),
  });
  expect(used.status).toBe(200);
  clock.leap(HOUR - 60_000);
  const asked = await house.provider.refreshes();
  // The old token would count for another minute, but what its provider has ended is not handed out.
  expect([before, 'connection_revoked']).toEqual(expect.arrayContaining(await storm(id)));
  expect(new Set(await storm(id))).toEqual(new Set(['connection_revoked']));
  expect(await house.provider.refreshes()).toEqual({ taken: asked.taken, refused: asked.refused + 1 });
  expect((await listed(owner)).find((each) => each.id === id)).toMatchObject({ status: 'revoked', name: 'lost' });
  expect((await eventsOf(owner))[0]).toMatchObject({ action: 'connection.revoked', after: { by: 'provider' } });
  const { access_token } = (await used.json()) as { access_token: string };
  const me = await fetch(`${house.provider.issuer}/me`, { headers: { authorization: `Bearer ${access_token}` } });
  expect(me.status).toBe(401);
});

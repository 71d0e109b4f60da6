import { randomId } from '../../../lib/ids';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { auditService } from '../../../services/audit/audit.service';
import { authService } from '../../../services/auth/auth.service';
import { authModels } from '../../../services/auth/models';
import { registerTenant } from '../../support/accounts';
import { type Actor, startApp, type TestApp } from '../../support/app';
import { ask } from '../../support/http';

/** More than are read, and than are changed, at once. */
const MEMBERS = 900;

let app: TestApp;
let token: string;
let ownerId: string;
let service: Actor;
const ids = Array.from({ length: MEMBERS }, () => randomId());
const emailOf = (n: number): string => `Member${n}@many.test`;

beforeAll(async () => {
  app = await startApp({ services: [apiGatewayService, authService, auditService] });
  const owner = await registerTenant(app, { email: 'owner@many.test' });
  token = owner.token;
  ownerId = owner.user.id;
  service = { tenant_id: owner.tenant.id, role: 'service' };
  const { users, tenants } = authModels(app.app.db);
  await users.insertMany(
    ids.map((_id, n) => ({
      _id,
      tenant_id: owner.tenant.id,
      email: emailOf(n),
      role: n % 2 === 0 ? 'admin' : 'viewer',
      password_hash: null,
      identities: [],
      // One in ten has not confirmed the address.
      email_verified_at: n % 10 === 0 ? null : new Date(),
      created_at: new Date(Date.now() + n),
    })),
  );
  await tenants.updateOne({ _id: owner.tenant.id }, { $addToSet: { owners: ids[MEMBERS - 1], leaving: ids[1] } });
}, 60_000);
afterAll(() => app.close());

test('owners are found among many members', async () => {
  const { data } = await app.call('auth.owners', {}, service);
  expect(data).toEqual([
    { id: ownerId, email: 'owner@many.test' },
    { id: ids[MEMBERS - 1], email: emailOf(MEMBERS - 1) },
  ]);
});

test('mailboxes are those of all admins and of named members, but confirmed ones only', async () => {
  const { data } = await app.call(
    'auth.mailboxes',
    { to: ['admins', 'member3@many.test', 'member1@many.test'] },
    service,
  );
  const admins = ids.map((_, n) => n).filter((n) => n % 2 === 0 && n % 10 !== 0);
  expect(data).toEqual(expect.arrayContaining([...admins, 3, MEMBERS - 1].map(emailOf)));
  expect(data).not.toContain(emailOf(1));
  expect(data).not.toContain(emailOf(0));
});

test('subjects are found by address and id', async () => {
  const refs = ['MEMBER7@many.test', ids[MEMBERS - 2] as string];
  const { members } = await app.call('auth.subjects', { refs }, service);
  expect(members.map(({ id }) => id)).toEqual([ids[7], ids[MEMBERS - 2]]);
});

test('single sign-on that becomes required ends the sessions of all members but the owners', async () => {
  const body = {
    provider: 'oidc',
    enabled: true,
    enforce: true,
    oidc: { issuer: 'https://id.many.test', client_id: 'a', client_secret: 'b' },
  };
  expect((await ask(app, 'PUT /api/v1/sso/config', { token, body })).status).toBe(200);
  const { users } = authModels(app.app.db);
  const signedIn = await users.find({ tenant_id: service.tenant_id, sessions_valid_from: null }, { _id: 1 }).lean();
  expect(new Set(signedIn.map(({ _id }) => _id))).toEqual(new Set([ownerId, ids[1], ids[MEMBERS - 1]]));
});

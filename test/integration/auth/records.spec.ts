import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { auditService } from '../../../services/audit/audit.service';
import { authService } from '../../../services/auth/auth.service';
import type { Session } from '../../../contracts/auth/accounts';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ask } from '../../support/http';
import { type MailServer, startMailServer, tokenIn } from '../../support/mail-server';
import { join, PASSWORD } from '../../support/team';
import { until } from '../../support/until';

let mails: MailServer;
let app: TestApp;
let owner: Session;
/** A key of the owner, which stays valid when the sessions of the owner end. */
let reader: { token: string };
beforeAll(async () => {
  mails = await startMailServer();
  app = await startApp({ services: [apiGatewayService, authService, auditService], env: mails.env });
});
beforeEach(async () => {
  owner = await registerTenant(app);
  const { body } = await ask(app, 'POST /api/v1/api-keys', { token: owner.token, body: { name: 'reader' } });
  reader = { token: body.key as string };
});
afterAll(async () => {
  await app.close();
  await mails.close();
});

interface Recorded {
  action: string;
  actor: { type: string; email: string | null; ip: string | null };
  target: { type: string; id: string; name: string | null };
  before: unknown;
  after: unknown;
  outcome: string | null;
}

/** Oldest first, as an owner reads them, without the creation of the key that reads them. */
const recorded = async () =>
  ((await ask(app, 'GET /api/v1/audit', { token: reader.token })).body.data as Recorded[]).toReversed().slice(1);
const actions = async () => (await recorded()).map(({ action, outcome }) => (outcome === null ? action : `${action}!`));
const login = (password: string) =>
  ask(app, 'POST /api/v1/auth/login', {
    body: { tenant_slug: owner.tenant.slug, email: owner.user.email, password },
  });

describe('what happens to accounts is on record', () => {
  test('logins that succeed and that fail, with the account that was tried and the address', async () => {
    await login(PASSWORD);
    await login('wrong');
    await until('the failure is on record', async () => (await actions()).length === 2);
    const target = { type: 'user', id: owner.user.id, name: owner.user.email };
    expect(await recorded()).toMatchObject([
      { action: 'login.succeed', actor: { type: 'user', email: owner.user.email, ip: '127.0.0.1' }, target },
      { action: 'login.fail', actor: { type: 'anonymous', email: null, ip: '127.0.0.1' }, target },
    ]);
  });

  test('sessions and passwords', async () => {
    const { token } = owner;
    // The reset of an account whose address is not confirmed would end the key of the reader.
    const users = app.app.db.collection<{ _id: string }>('users');
    await users.updateOne({ _id: owner.user.id }, { $set: { email_verified_at: new Date() } });
    const change = { current_password: PASSWORD, new_password: 'a new password' };
    const { body } = await ask(app, 'POST /api/v1/auth/password', { token, body: change });
    await ask(app, 'POST /api/v1/auth/logout', { token: body.token as string });
    const reset = { tenant_slug: owner.tenant.slug, email: owner.user.email };
    await ask(app, 'POST /api/v1/auth/password-reset', { body: reset });
    const link = tokenIn(await mails.next(owner.user.email, 'Set a new password'));
    await ask(app, 'POST /api/v1/auth/password-reset/confirm', { body: { token: link, password: 'yet another' } });
    expect(await actions()).toEqual(['password.change', 'logout', 'password.ask_reset', 'password.reset']);
  });

  test('members, from the invitation to the removal', async () => {
    const bob = await join(app, owner.token, 'bob@example.com');
    const role = { token: owner.token, body: { role: 'admin' } };
    await ask(app, `PUT /api/v1/team/members/${bob.user.id}/role`, role);
    await ask(app, `DELETE /api/v1/team/members/${bob.user.id}`, { token: owner.token });
    const invited = await ask(app, 'POST /api/v1/team/invite', {
      token: owner.token,
      body: { email: 'cat@example.com', role: 'member' },
    });
    await ask(app, `DELETE /api/v1/team/invites/${invited.body.id as string}`, { token: owner.token });
    await ask(app, `DELETE /api/v1/team/members/${owner.user.id}`, { token: owner.token });
    const target = { type: 'user', id: bob.user.id, name: 'bob@example.com' };
    const actor = { email: owner.user.email };
    expect(await recorded()).toMatchObject([
      {
        action: 'member.invite',
        actor,
        target: { type: 'invite', name: 'bob@example.com' },
        after: { role: 'member' },
      },
      { action: 'member.accept', actor: { email: 'bob@example.com' }, target },
      { action: 'member.role', actor, target, before: { role: 'member' }, after: { role: 'admin' } },
      { action: 'member.remove', actor, target, before: { role: 'admin' } },
      { action: 'member.invite', actor },
      { action: 'member.withdraw', actor, target: { type: 'invite', name: 'cat@example.com' } },
      { action: 'member.remove', actor, outcome: null },
      { action: 'member.remove', actor, outcome: 'failed', after: { error: 'conflict' } },
    ]);
  });

  test('API keys and settings', async () => {
    const { token } = owner;
    const { body: key } = await ask(app, 'POST /api/v1/api-keys', { token, body: { name: 'ci' } });
    await ask(app, `DELETE /api/v1/api-keys/${key.id as string}`, { token });
    await ask(app, 'PUT /api/v1/tenant/settings', { token, body: { require_approval: true } });
    const target = { type: 'api_key', id: key.id, name: 'ci' };
    expect(await recorded()).toMatchObject([
      { action: 'api_key.create', target },
      { action: 'api_key.revoke', target },
      { action: 'settings.update', before: { require_approval: false }, after: { require_approval: true } },
    ]);
  });

  test('and neither a password, nor a token, nor a key is in it', async () => {
    const bob = await join(app, owner.token, 'bob@example.com');
    const { body: key } = await ask(app, 'POST /api/v1/api-keys', { token: bob.token, body: { name: 'ci' } });
    await ask(app, 'POST /api/v1/auth/logout', { token: bob.token });
    const text = JSON.stringify(await recorded());
    for (const secret of [PASSWORD, bob.token, key.key as string]) expect(text).not.toContain(secret);
  });
});

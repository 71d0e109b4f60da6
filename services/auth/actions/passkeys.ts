import { auditedBy, auditedIn } from '../../../mixins/audit';
import type { Handlers } from '../../../mixins/service';
import { sliceOf, pageOf } from '../../../lib/page';
import { type AuthDeps, signedIn } from '../deps';
import { hasFactor } from '../factors/models';
import { deviceOf } from '../sessions/device';
import { actingAs, ofUser, sessionOrigin } from '../records';
import { noSuchMember, roleOf } from '../team/membership';
import { passkeyView } from '../views';
import type { SecondFactorRules } from './second-factor';

type Actions = Pick<
  Handlers<'auth'>,
  | 'begin_passkey_sign_in'
  | 'passkey_sign_in'
  | 'begin_passkey_factor'
  | 'begin_passkey_confirmation'
  | 'begin_passkey'
  | 'add_passkey'
  | 'list_passkeys'
  | 'rename_passkey'
  | 'remove_passkey'
>;

/** Passkeys: sign-in with one alone, and the changes of a user's own. */
export const passkeyActions = (deps: AuthDeps, { confirmedUser, tell, mayLack }: SecondFactorRules): Actions => {
  const { passkeys, factors, sessions, app } = deps;

  /** The user of a session. @throws AppError forbidden */
  const callerOf = async (principal: Parameters<typeof signedIn>[0]) => {
    const { tenant_id, user_id } = signedIn(principal);
    const member = await deps.membership.find(tenant_id, user_id);
    if (member === null) throw noSuchMember();
    return member.user;
  };

  return {
    begin_passkey_sign_in: ({ params }) => passkeys.beginSignIn(params),
    async passkey_sign_in(ctx) {
      const { challenge, passkey: credential, address = '', user_agent } = ctx.params;
      const succeeded = await deps.throttle.admit(`passkey\n${credential.id}`, address, app.clock.now());
      const { user, passkey } = await passkeys.signIn(challenge, credential, (refused) =>
        // After the answer, as for a password.
        deps.later('A failed login is not on record', () =>
          app.audit.note(
            auditedIn(refused.tenant_id, ctx),
            ofUser('login.fail', refused, { after: { via: 'passkey' } }),
          ),
        ),
      );
      succeeded();
      const tenant = await deps.tenantOf(user.tenant_id);
      await deps.assertPasswordSuffices(
        tenant,
        { role: roleOf(tenant, user), email: user.email },
        'Sign-in with a passkey',
      );
      const change = ofUser('login.succeed', user, { after: { via: 'passkey', passkey: passkey.name } });
      return app.audit.audited(actingAs(user, ctx), change, () =>
        deps.session(user, sessionOrigin('passkey', ctx, user_agent), 'second factor checked'),
      );
    },
    async begin_passkey_factor({ params }) {
      const { user, expiresAt } = await factors.open(params.challenge);
      return passkeys.request(user, params.challenge, new Date(expiresAt).toISOString(), 'preferred');
    },
    async begin_passkey_confirmation({ principal }) {
      return passkeys.beginConfirmation(await callerOf(principal));
    },
    async begin_passkey({ principal, tenantId }) {
      const user = await confirmedUser(principal);
      return passkeys.beginEnrolment(user, (await deps.tenantOf(tenantId)).slug);
    },
    async add_passkey(ctx) {
      const { enrolment, passkey: credential, user_agent } = ctx.params;
      const { sessionId, ...user } = await confirmedUser(ctx.principal);
      const name = ctx.params.name ?? deviceOf(user_agent) ?? 'Passkey';
      const passkey = await passkeys.confirmed(user, enrolment, credential, name);
      const change = ofUser('second_factor.enrol', user, { after: { method: 'passkey', name } });
      const recovery_codes = await app.audit.audited(auditedBy(ctx), change, async () => {
        const codes = await passkeys.store.add(user, passkey);
        // After the factor is stored: sessions of before, and a sign-in that had not seen it, have shown none.
        if (!hasFactor(user)) await sessions.endAll(user.tenant_id, user._id, app.clock.now(), sessionId);
        return codes;
      });
      await deps.changed(`auth:user:${user._id}`);
      await tell(user, `A passkey was added${hasFactor(user) ? '' : ', and other sessions were ended'}.`);
      return { passkey: passkeyView(passkey), recovery_codes };
    },
    async list_passkeys({ params, principal }) {
      const { passkeys: found = [] } = await callerOf(principal);
      return sliceOf(found.map(passkeyView), pageOf(params));
    },
    async rename_passkey(ctx) {
      const { id, name } = ctx.params;
      const user = await callerOf(ctx.principal);
      const states = { before: { name: passkeys.store.find(user, id).name }, after: { name } };
      const renamed = await app.audit.audited(auditedBy(ctx), ofUser('second_factor.rename', user, states), () =>
        passkeys.store.rename(user, id, name),
      );
      return passkeyView(renamed);
    },
    async remove_passkey(ctx) {
      const { sessionId: _, ...user } = await confirmedUser(ctx.principal);
      const { id, name } = passkeys.store.find(user, ctx.params.id);
      const lackable = await mayLack(user);
      const change = ofUser('second_factor.remove', user, { before: { method: 'passkey', name } });
      await app.audit.audited(auditedBy(ctx), change, () => passkeys.store.remove(user, id, lackable));
      await deps.changed(`auth:user:${user._id}`);
      await tell(user, 'A passkey was removed.');
    },
  };
};

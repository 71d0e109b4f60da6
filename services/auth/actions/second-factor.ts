import { AppError, errorCode } from '../../../lib/errors';
import { ofTenant } from '../../../lib/tenant';
import { auditedBy } from '../../../mixins/audit';
import type { Handlers } from '../../../mixins/service';
import type { Principal } from '../../../lib/principal';
import { hasFactor, hasTotp } from '../factors/models';
import { secondFactorMail } from '../mails';
import type { UserDoc } from '../models';
import { type AuthDeps, signedIn } from '../deps';
import { actingAs, type Caller, ofUser, sessionOrigin } from '../records';
import { noSuchMember, roleOf } from '../team/membership';

type Actions = Pick<
  Handlers<'auth'>,
  | 'complete_sign_in'
  | 'confirm_identity'
  | 'begin_totp'
  | 'confirm_totp'
  | 'remove_totp'
  | 'renew_recovery_codes'
  | 'reset_member_factor'
>;

/** What a wrong proof is refused with. */
const FAILURES: ReadonlySet<string | undefined> = new Set(['invalid_code', 'invalid_passkey']);

/** What changes of all second factors have in common. */
export interface SecondFactorRules {
  /** The user of a session whose identity was confirmed in the last minutes. @throws AppError reauthentication_required */
  confirmedUser(principal: Principal | null): Promise<UserDoc & { readonly sessionId: string }>;
  /** Mails the user what has changed. */
  tell(user: UserDoc, what: string): Promise<void>;
  /** Whether an account may be without a second factor. */
  mayLack(user: UserDoc): Promise<boolean>;
}

export const secondFactorRules = (parts: AuthDeps): SecondFactorRules => ({
  async confirmedUser(principal) {
    const { tenant_id, user_id, session_id } = signedIn(principal);
    const member = await parts.membership.find(tenant_id, user_id);
    if (member === null) throw noSuchMember();
    return { ...member.user, sessionId: await parts.sessions.confirmed(tenant_id, session_id, parts.app.clock.now()) };
  },
  async tell(user, what) {
    parts.mail(secondFactorMail(user.email, await parts.tenantOf(user.tenant_id), what));
  },
  async mayLack({ tenant_id }) {
    return (await parts.tenantOf(tenant_id)).require_second_factor !== true;
  },
});

/** Second factors: sign-in with one, and the changes of a user's own. */
export const secondFactorActions = (parts: AuthDeps, { confirmedUser, tell, mayLack }: SecondFactorRules): Actions => {
  const { factors, sessions, app } = parts;

  /** After the answer: who guesses learns nothing of it. */
  const recordFailure = (user: UserDoc, ctx: Caller): void =>
    parts.later('A failed second factor is not on record', () =>
      app.audit.note(actingAs(user, ctx), ofUser('second_factor.fail', user)),
    );

  return {
    async complete_sign_in(ctx) {
      const { challenge: text, address = '', user_agent, ...proof } = ctx.params;
      const challenge = await factors.open(text);
      const context = { kind: 'sign-in', address, challenge: text } as const;
      const { user, via } = challenge;
      const tenant = await parts.tenantOf(user.tenant_id);
      if (via === 'password')
        await parts.assertPasswordSuffices(tenant, { role: roleOf(tenant, user), email: user.email });
      const method = await factors.check(user, proof, context).catch((error: unknown) => {
        if (FAILURES.has(errorCode(error))) recordFailure(user, ctx);
        throw error;
      });
      await factors.close(challenge);
      if (method === 'recovery_code') await tell(user, 'A recovery code was used to sign in.');
      const change = ofUser('login.succeed', user, { after: { via, second_factor: method } });
      return app.audit.audited(actingAs(user, ctx), change, () =>
        parts.session(user, sessionOrigin(via, ctx, user_agent), 'second factor checked'),
      );
    },
    async confirm_identity(ctx) {
      const { tenantId, params } = ctx;
      const { password, address = '', challenge = '', ...proof } = params;
      const { user_id, session_id = '' } = signedIn(ctx.principal);
      const user = await ofTenant(parts.models.users, tenantId).findOne({ _id: user_id });
      if (user === null) throw noSuchMember();
      if (password === undefined) await factors.check(user, proof, { kind: 'confirmation', address, challenge });
      else await parts.assertPassword(user, password, address);
      await sessions.confirm(tenantId, session_id, app.clock.now());
    },
    async begin_totp({ principal, tenantId }) {
      const user = await confirmedUser(principal);
      return factors.beginTotp(user, (await parts.tenantOf(tenantId)).slug);
    },
    async confirm_totp(ctx) {
      const { enrolment, code, address = '' } = ctx.params;
      const { sessionId, ...user } = await confirmedUser(ctx.principal);
      const confirmed = await factors.confirmed(user, enrolment, code, address);
      const change = ofUser('second_factor.enrol', user, { after: { method: 'totp' } });
      const recovery_codes = await app.audit.audited(auditedBy(ctx), change, async () => {
        const codes = await factors.enrolTotp(user, confirmed);
        // After the factor is stored: a sign-in that had not seen it began before this.
        await sessions.endAll(user.tenant_id, user._id, app.clock.now(), sessionId);
        return codes;
      });
      await parts.changed(`auth:user:${user._id}`);
      await tell(user, 'An authenticator app was added as second factor, and other sessions were ended.');
      return { recovery_codes };
    },
    async remove_totp(ctx) {
      const { sessionId: _, ...user } = await confirmedUser(ctx.principal);
      if (!hasTotp(user)) throw new AppError('not_found', 'This account has no authenticator app');
      const lackable = await mayLack(user);
      const change = ofUser('second_factor.remove', user, { before: { method: 'totp' } });
      await app.audit.audited(auditedBy(ctx), change, () => factors.removeTotp(user, lackable));
      await parts.changed(`auth:user:${user._id}`);
      await tell(user, 'The authenticator app was removed.');
    },
    async renew_recovery_codes(ctx) {
      const { sessionId: _, ...user } = await confirmedUser(ctx.principal);
      if (!hasFactor(user)) throw new AppError('conflict', 'Recovery codes come with a second factor; add one first');
      const recovery_codes = await app.audit.audited(auditedBy(ctx), ofUser('second_factor.renew_codes', user), () =>
        factors.renewRecoveryCodes(user),
      );
      await tell(user, 'The recovery codes were replaced.');
      return { recovery_codes };
    },
    async reset_member_factor(ctx) {
      const { params, tenantId } = ctx;
      const member = await parts.membership.find(tenantId, params.id);
      if (member === null) throw noSuchMember();
      await app.audit.audited(auditedBy(ctx), ofUser('member.reset_second_factor', member.user), async () => {
        await factors.removeAll(tenantId, params.id);
        await sessions.endAll(tenantId, params.id, app.clock.now());
      });
      await parts.changed(`auth:user:${params.id}`);
      await tell(member.user, 'An owner of the team removed your second factor, and your sessions were ended.');
    },
  };
};

import { AppError } from '../../../lib/errors';
import { auditedBy, auditedIn } from '../../../mixins/audit';
import type { Principal } from '../../../mixins/principal';
import type { ServiceDefinition } from '../../../mixins/service';
import { ofTenant } from '../../../mixins/tenant';
import { pageUrl, passwordChangedMail, resetMail } from '../mails';
import type { UserDoc } from '../models';
import { type AuthParts, person } from '../parts';
import { actingAs, ofUser } from '../records';
import { deadToken } from '../sessions/mail-tokens';
import { noSuchMember } from '../team/roster';
import { memberView, tenantView } from '../views';
import { address, loginText, newPassword, secretText } from './fields';

type Menu = Pick<
  ServiceDefinition<'auth'>['actions'],
  | 'me'
  | 'logout'
  | 'change_password'
  | 'request_password_reset'
  | 'confirm_password_reset'
  | 'verify_email'
  | 'resend_verification'
>;

const RESET_ASKED =
  'If this account exists and signs in with a password, a mail with a link is on its way; the link works for an hour.';

/** A person who has signed in himself. @throws AppError forbidden for API keys, which have neither session nor password */
function signedIn(principal: Principal | null): Principal & { readonly user_id: string } {
  const who = person(principal);
  if (who.kind === 'user') return who;
  throw new AppError('forbidden', 'This needs the token of a login; an API key has no session (revoke it instead)');
}

const needsMail = (parts: AuthParts): void => {
  if (parts.app.mailer !== null) return;
  throw new AppError(
    'provider_not_configured',
    'This installation sends no mails (SMTP_URL is not set); ask an owner of your team to invite you anew',
  );
};

/** Sessions end, passwords change, addresses are confirmed. */
export const sessionMenu = (parts: AuthParts): Menu => {
  const now = (): number => parts.app.clock.now();

  /** One conditional write: of two changes of the same password one is refused. Earlier sessions end by it. */
  const setPassword = async (
    user: UserDoc,
    password_hash: string,
    besides: Partial<UserDoc> = {},
  ): Promise<UserDoc> => {
    const changed = await ofTenant(parts.models.users, user.tenant_id).update(
      { _id: user._id, password_hash: user.password_hash },
      { $set: { ...besides, password_hash, sessions_valid_from: new Date(now() + 1) } },
    );
    if (changed === null) throw new AppError('conflict', 'The password was changed by somebody else just now');
    await ofTenant(parts.models.mailTokens, user.tenant_id).remove({ user_id: user._id, purpose: 'password_reset' });
    parts.changed(`auth:user:${user._id}`);
    parts.mail(passwordChangedMail(user.email, await parts.tenantOf(user.tenant_id)));
    return changed;
  };

  return {
    me: {
      access: 'member',
      summary: 'The caller, and his tenant',
      params: {},
      async handle({ principal, tenantId }) {
        const { user_id, kind } = person(principal);
        const [standing, tenant] = await Promise.all([parts.roster.find(tenantId, user_id), parts.tenantOf(tenantId)]);
        if (standing === null) throw noSuchMember();
        const credential = kind === 'api_key' ? kind : 'user';
        return { ...memberView(standing), tenant_id: tenantId, credential, tenant: tenantView(tenant) };
      },
    },
    logout: {
      access: 'member',
      summary: "Ends the token's session; with `everywhere`, all sessions of the user",
      params: { token: { type: 'string', max: 8_192 }, everywhere: { type: 'boolean', optional: true } },
      async handle(ctx) {
        const { params } = ctx;
        const { user_id, tenant_id, email } = signedIn(ctx.principal);
        const content = await parts.tokens.verify(params.token, now());
        if (content === null || content.user_id !== user_id) {
          throw new AppError('invalid_request', 'The token is not one of the caller');
        }
        const everywhere = params.everywhere === true;
        const target = { _id: user_id, email: email ?? '' };
        await parts.app.audit.audited(auditedBy(ctx), ofUser('logout', target, { after: { everywhere } }), async () => {
          if (everywhere) {
            const end = { $set: { sessions_valid_from: new Date(now() + 1) } };
            await ofTenant(parts.models.users, tenant_id).update({ _id: user_id }, end);
          } else {
            const ended = { $set: { expires_at: new Date(content.expiresAt) } };
            await parts.models.endedSessions.updateOne({ _id: content.id }, ended, { upsert: true });
          }
        });
        parts.changed(`auth:user:${user_id}`);
      },
    },
    change_password: {
      access: 'member',
      summary: 'Changes the password; the other sessions end, the answer is the next one',
      params: { current_password: secretText, new_password: newPassword, address },
      async handle(ctx) {
        const { params, tenantId } = ctx;
        const { user_id } = signedIn(ctx.principal);
        const succeeded = parts.throttle.admit(`password\n${user_id}`, params.address ?? '', now());
        const user = await ofTenant(parts.models.users, tenantId).findOne({ _id: user_id });
        if (user === null) throw noSuchMember();
        if (user.password_hash === null) {
          throw new AppError('conflict', 'This account has no password; set one by a password reset');
        }
        if (!(await parts.passwords.verify(params.current_password, user.password_hash))) {
          throw new AppError('forbidden', 'The current password is wrong');
        }
        succeeded();
        const hash = await parts.passwords.hash(params.new_password);
        const changed = await parts.app.audit.audited(auditedBy(ctx), ofUser('password.change', user), () =>
          setPassword(user, hash),
        );
        return parts.session(changed);
      },
    },
    request_password_reset: {
      access: 'internal',
      summary: 'Mails a link to set a new password; the answer never tells whether there is such an account',
      params: { tenant_slug: loginText(200), email: loginText(254), address },
      handle(ctx) {
        const { params } = ctx;
        needsMail(parts);
        parts.mailThrottle.admit(`${params.tenant_slug}\n${params.email}`, params.address ?? '', now());
        // After the answer, so that its time tells nothing either.
        parts.later('A mail to reset a password was not sent', async () => {
          const tenant = await parts.models.tenants.findOne({ slug: params.tenant_slug }).lean();
          if (tenant === null) return;
          const user = await ofTenant(parts.models.users, tenant._id).findOne({ email: params.email });
          if (user === null || tenant.leaving.includes(user._id)) return;
          // Nobody has proved yet who he is, so it is the account that the event is about, not its actor.
          await parts.app.audit.note(auditedIn(tenant._id, ctx), ofUser('password.ask_reset', user));
          const token = await parts.mailTokens.issue(user, 'password_reset', now());
          parts.mail(resetMail(user.email, tenant, pageUrl(parts.app.config, 'reset-password', token)));
        });
        return { message: RESET_ASKED };
      },
    },
    confirm_password_reset: {
      access: 'internal',
      summary: 'Sets a new password by the token of a mail; all sessions end',
      params: { token: secretText, password: newPassword, address },
      async handle(ctx) {
        const { params } = ctx;
        const succeeded = parts.tokenThrottle.admit('reset', params.address ?? '', now());
        const user = await parts.mailTokens.look(params.token, 'password_reset', now());
        if ((await parts.roster.find(user.tenant_id, user._id)) === null) throw deadToken();
        succeeded();
        // Before the token is used up: when too many passwords wait to be hashed, it must work again in a second.
        const hash = await parts.passwords.hash(params.password);
        await parts.app.audit.audited(actingAs(user, ctx), ofUser('password.reset', user), async () => {
          await parts.mailTokens.redeem(params.token, 'password_reset', now());
          // The mail has reached him, so the address is his.
          await setPassword(user, hash, { email_verified_at: user.email_verified_at ?? new Date(now()) });
        });
      },
    },
    verify_email: {
      access: 'internal',
      summary: 'Confirms an e-mail address by the token of a mail',
      params: { token: secretText, address },
      async handle(ctx) {
        const { params } = ctx;
        const succeeded = parts.tokenThrottle.admit('verify', params.address ?? '', now());
        const user = await parts.mailTokens.look(params.token, 'verify_email', now());
        succeeded();
        await parts.app.audit.audited(actingAs(user, ctx), ofUser('email.verify', user), async () => {
          await parts.mailTokens.redeem(params.token, 'verify_email', now());
          const verified = { $set: { email_verified_at: user.email_verified_at ?? new Date(now()) } };
          await ofTenant(parts.models.users, user.tenant_id).update({ _id: user._id }, verified);
        });
        return { email: user.email, email_verified: true };
      },
    },
    resend_verification: {
      access: 'member',
      summary: 'Mails the link that confirms the address anew',
      params: {},
      async handle({ principal, tenantId }) {
        const { user_id } = person(principal);
        needsMail(parts);
        parts.mailThrottle.admit(`verify\n${user_id}`, user_id, now());
        const standing = await parts.roster.find(tenantId, user_id);
        if (standing === null) throw noSuchMember();
        const { user } = standing;
        parts.sendVerification(user, await parts.tenantOf(tenantId));
        return { email: user.email, email_verified: user.email_verified_at !== null };
      },
    },
  };
};

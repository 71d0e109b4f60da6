import { AppError } from '../../../lib/errors';
import { auditedBy, auditedIn } from '../../../mixins/audit';
import type { Handlers } from '../../../mixins/service';
import { ofTenant } from '../../../lib/tenant';
import { isApiKey } from '../api-keys';
import { pageUrl, passwordChangedMail, resetMail } from '../mails';
import type { UserDoc } from '../models';
import { type AuthDeps, person, signedIn } from '../deps';
import { actingAs, ofUser, sessionOrigin } from '../records';
import { sessionsEnded } from '../sessions/sessions';
import { disableUnconfirmedSso, endedAt, removeEnded } from '../sessions/first-confirmation';
import { methodsOf } from '../factors/factors';
import { deadToken } from '../sessions/mail-tokens';
import { type MembershipStatus, noSuchMember } from '../team/membership';
import { memberView, sessionView, tenantView } from '../views';
import { pageOf } from '../../../lib/page';

type Actions = Pick<
  Handlers<'auth'>,
  | 'me'
  | 'account'
  | 'sign_in_methods'
  | 'logout'
  | 'list_sessions'
  | 'end_session'
  | 'end_other_sessions'
  | 'change_password'
  | 'request_password_reset'
  | 'confirm_password_reset'
  | 'verify_email'
  | 'resend_verification'
>;

const RESET_ASKED =
  'If this account exists and signs in with a password, a mail with a link is on its way; the link works for an hour.';

const needsMail = (parts: AuthDeps): void => {
  if (parts.app.mailer !== null) return;
  throw new AppError(
    'provider_not_configured',
    'This installation sends no mails (SMTP_URL is not set); ask an owner of your team to invite you anew',
  );
};

/** Sessions end, passwords change, addresses are confirmed. */
export const sessionActions = (parts: AuthDeps): Actions => {
  const now = (): number => parts.app.clock.now();

  const methods = () => ({
    password: true as const,
    passkey: parts.passkeys.isAvailable,
    password_reset: parts.app.mailer !== null,
    suite: parts.app.config.signIn.suite !== null,
  });

  const memberOf = async (tenantId: string, userId: string): Promise<MembershipStatus> => {
    const member = await parts.membership.find(tenantId, userId);
    if (member === null) throw noSuchMember();
    return member;
  };

  /** One conditional write: of two changes of the same password one is refused. Earlier sessions end by it. */
  const setPassword = async (
    user: UserDoc,
    password_hash: string,
    besides: Partial<UserDoc> = {},
  ): Promise<UserDoc> => {
    const changed = await ofTenant(parts.models.users, user.tenant_id).update(
      { _id: user._id, password_hash: user.password_hash },
      { $set: { ...besides, password_hash, ...sessionsEnded(now()) } },
    );
    if (changed === null) throw new AppError('conflict', 'The password was changed concurrently; sign in again');
    await ofTenant(parts.models.mailTokens, user.tenant_id).remove({ user_id: user._id, purpose: 'password_reset' });
    await parts.changed(`auth:user:${user._id}`);
    parts.mail(passwordChangedMail(user.email, await parts.tenantOf(user.tenant_id)));
    return changed;
  };

  /** Whether a token is a live session of the user. @throws AppError unauthenticated when it is not valid */
  const isSessionOf = async (user: UserDoc, token: string | undefined): Promise<boolean> => {
    if (token === undefined) return false;
    const { user_id } = await parts.credentials.verify(token);
    return user_id === user._id && !isApiKey(token);
  };

  return {
    async me({ principal, tenantId }) {
      const { user_id, kind, scope = 'admin' } = person(principal);
      const [member, tenant] = await Promise.all([parts.membership.find(tenantId, user_id), parts.tenantOf(tenantId)]);
      if (member === null) throw noSuchMember();
      const shown =
        kind === 'api_key' ? ({ credential: kind, scope } as const) : ({ credential: 'user', scope: null } as const);
      const operator = principal?.operator === true;
      return { ...memberView(member), tenant_id: tenantId, ...shown, tenant: tenantView(tenant), operator };
    },
    async account({ principal, tenantId }) {
      const caller = person(principal);
      const [member, tenant] = await Promise.all([memberOf(tenantId, caller.user_id), parts.tenantOf(tenantId)]);
      const { user } = member;
      const { session_id } = caller;
      const session = session_id === undefined ? null : await parts.sessions.find(tenantId, session_id);
      return {
        user: memberView(member),
        tenant: tenantView(tenant),
        credential: caller.kind === 'api_key' ? 'api_key' : 'user',
        session: session === null ? null : sessionView(session, session_id),
        second_factor: {
          required: member.requiresFactor,
          must_enrol: caller.must_enrol === true,
          methods: methodsOf(user),
          passkeys: user.passkeys?.length ?? 0,
          totp_enrolled_at: user.totp?.enrolled_at.toISOString() ?? null,
          recovery_codes_left: user.recovery_codes?.length ?? 0,
        },
        plan: { name: tenant.plan, limits: { ...parts.limitsOf(tenant) } },
        sign_in_methods: methods(),
      };
    },
    sign_in_methods: () => methods(),
    async logout(ctx) {
      const { params } = ctx;
      const { user_id, tenant_id, email } = signedIn(ctx.principal);
      const content = await parts.tokens.verify(params.token, now());
      if (content === null || content.user_id !== user_id) {
        throw new AppError('invalid_request', 'The token is not one of the caller');
      }
      const everywhere = params.everywhere === true;
      const target = { _id: user_id, email: email ?? '' };
      await parts.app.audit.audited(auditedBy(ctx), ofUser('logout', target, { after: { everywhere } }), async () => {
        await (everywhere
          ? parts.sessions.endAll(tenant_id, user_id, now())
          : parts.sessions.end(tenant_id, content.id, new Date(content.expiresAt)));
      });
      await parts.changed(`auth:user:${user_id}`);
    },
    async list_sessions({ params, principal, tenantId }) {
      const caller = signedIn(principal);
      const { user } = await memberOf(tenantId, caller.user_id);
      const page = pageOf(params);
      const found = await parts.sessions.list(user, now(), page);
      return { data: found.map((session) => sessionView(session, caller.session_id)), ...page };
    },
    async end_session(ctx) {
      const { params, tenantId } = ctx;
      const { user_id } = signedIn(ctx.principal);
      const { user } = await memberOf(tenantId, user_id);
      const { _id: id, device, expires_at } = await parts.sessions.get(user, params.id, now());
      const target = { type: 'session', id, ...(device === null ? {} : { name: device }) };
      const change = { action: 'session.end', target };
      await parts.app.audit.audited(auditedBy(ctx), change, () => parts.sessions.end(tenantId, id, expires_at));
      await parts.changed(`auth:user:${user_id}`);
    },
    async end_other_sessions(ctx) {
      const { user_id, tenant_id, email, session_id } = signedIn(ctx.principal);
      const target = { _id: user_id, email: email ?? '' };
      await parts.app.audit.audited(auditedBy(ctx), ofUser('session.end_others', target), () =>
        parts.sessions.endAll(tenant_id, user_id, now(), session_id),
      );
      await parts.changed(`auth:user:${user_id}`);
    },
    async change_password(ctx) {
      const { params, tenantId } = ctx;
      const { user_id } = signedIn(ctx.principal);
      const user = await ofTenant(parts.models.users, tenantId).findOne({ _id: user_id });
      if (user === null) throw noSuchMember();
      await parts.assertPassword(user, params.current_password, params.address ?? '');
      const hash = await parts.passwords.hash(params.new_password);
      const changed = await parts.app.audit.audited(auditedBy(ctx), ofUser('password.change', user), () =>
        setPassword(user, hash),
      );
      return parts.session(changed, sessionOrigin('password', ctx, params.user_agent), 'second factor checked');
    },
    async request_password_reset(ctx) {
      const { params } = ctx;
      needsMail(parts);
      await parts.mailThrottle.admit(`${params.tenant_slug}\n${params.email}`, params.address ?? '', now());
      // After the answer, so that its time tells nothing either.
      parts.later('A mail to reset a password was not sent', async () => {
        const tenant = await parts.models.tenants.findOne({ slug: params.tenant_slug }).lean();
        if (tenant === null) return;
        const user = await ofTenant(parts.models.users, tenant._id).findOne({ email: params.email });
        if (user === null || tenant.leaving.includes(user._id)) return;
        // The caller is not authenticated, so the account is the target of the event, not its actor.
        await parts.app.audit.note(auditedIn(tenant._id, ctx), ofUser('password.ask_reset', user));
        const token = await parts.mailTokens.issue(user, 'password_reset', now());
        parts.mail(resetMail(user.email, tenant, pageUrl(parts.app.config, 'reset-password', token)));
      });
      return { message: RESET_ASKED };
    },
    async confirm_password_reset(ctx) {
      const { params } = ctx;
      const succeeded = await parts.tokenThrottle.admit('reset', params.address ?? '', now());
      const user = await parts.mailTokens.look(params.token, 'password_reset', now());
      if ((await parts.membership.find(user.tenant_id, user._id)) === null) throw deadToken();
      succeeded();
      // Before the token is used up: when too many passwords wait to be hashed, it must work again in a second.
      const hash = await parts.passwords.hash(params.password);
      await parts.app.audit.audited(actingAs(user, ctx), ofUser('password.reset', user), async () => {
        await parts.mailTokens.redeem(params.token, 'password_reset', now());
        // The mail has reached its owner, so the address is confirmed.
        const isFirst = user.email_verified_at === null;
        await setPassword(user, hash, isFirst ? endedAt(now()) : {});
        if (!isFirst) return;
        await removeEnded(parts, user);
        await disableUnconfirmedSso(parts, user);
      });
    },
    async verify_email(ctx) {
      const { params } = ctx;
      const succeeded = await parts.tokenThrottle.admit('verify', params.address ?? '', now());
      const user = await parts.mailTokens.look(params.token, 'verify_email', now());
      succeeded();
      if (user.email_verified_at === null && !(await isSessionOf(user, params.session))) throw needsSession();
      await parts.app.audit.audited(actingAs(user, ctx), ofUser('email.verify', user), async () => {
        await parts.mailTokens.redeem(params.token, 'verify_email', now());
        // Who has both the session and the mail has made all that the account has.
        const confirmed = { email_verified_at: new Date(now()), credentials_valid_from: user.created_at };
        await ofTenant(parts.models.users, user.tenant_id).update(
          { _id: user._id, email_verified_at: null },
          { $set: confirmed },
        );
        await parts.changed(`auth:user:${user._id}`);
      });
      return { email: user.email, email_verified: true };
    },
    async resend_verification({ principal, tenantId }) {
      const { user_id } = person(principal);
      needsMail(parts);
      await parts.mailThrottle.admit(`verify\n${user_id}`, user_id, now());
      const member = await parts.membership.find(tenantId, user_id);
      if (member === null) throw noSuchMember();
      const { user } = member;
      parts.sendVerification(user, await parts.tenantOf(tenantId));
      return { email: user.email, email_verified: user.email_verified_at !== null };
    },
  };
};

/** The mail proves who owns the address, not who made the account: that needs the account's own session. */
const needsSession = (): AppError =>
  new AppError(
    'unauthenticated',
    'Sign in to the account, and send the token of the login with this one. Without the password, ask for a new one: that confirms the address as well',
  );

import { batchesOf } from '../../../lib/batches';
import { isDuplicateKey } from '../../../lib/duplicate-key';
import { AppError } from '../../../lib/errors';
import { auditedBy } from '../../../mixins/audit';
import type { Handlers } from '../../../mixins/service';
import { ofTenant } from '../../../lib/tenant';
import { type AuthDeps, person } from '../deps';
import { sealClientSecret } from '../sso/client-secret';
import { findSsoConfig } from '../sso/find-config';
import type { SsoConfigDoc } from '../sso/models';
import { coversAddress, requiresSso } from '../sso/requirement';
import { metadataXml } from '../sso/saml/messages';
import { parseSettings } from '../sso/settings';
import type { SignOn } from '../sso/sign-on';
import type { SignInTester } from '../sso/tester';
import { configView, auditOf } from '../sso/views';

type Actions = Pick<
  Handlers<'auth'>,
  'sso_config' | 'update_sso' | 'remove_sso' | 'start_sso_test' | 'sso_test' | 'sso_check' | 'sso_metadata'
>;

const MAX_MAPPINGS = 200;
/** The built-in store looks up at most 400 keys by index. */
const UPDATED_AT_ONCE = 400;

/** Actions for the single sign-on settings of a tenant, and their public part. */
export const ssoActions = (parts: AuthDeps, signOn: SignOn, tester: SignInTester): Actions => {
  const baseOf = (config: SsoConfigDoc): string => parts.app.config.baseUrl ?? config.base_url;

  async function store(config: SsoConfigDoc): Promise<void> {
    const { _id, tenant_id } = config;
    const replace = () => parts.models.ssoConfigs.replaceOne({ _id, tenant_id }, config, { upsert: true }).exec();
    await replace().catch((fault: unknown) => {
      // A concurrent call has created the document; replace it.
      if (!isDuplicateKey(fault)) throw fault;
      return replace();
    });
  }

  /** Ends the sessions of members who from now on must sign in with the provider, and did not have to before. */
  async function endPasswordSessions(tenantId: string, known: SsoConfigDoc | null, next: SsoConfigDoc): Promise<void> {
    if (!next.enforce && next.enforce_domains?.length === 0) return;
    const bound: string[] = [];
    for await (const { user, role } of parts.membership.each(tenantId)) {
      const member = { role, email: user.email };
      if (requiresSso(next, member) && !requiresSso(known, member)) bound.push(user._id);
    }
    if (bound.length === 0) return;
    const end = { $set: { sessions_valid_from: new Date(parts.app.clock.now() + 1) } };
    for (const ids of batchesOf(bound, UPDATED_AT_ONCE))
      await parts.models.users.updateMany({ tenant_id: tenantId, _id: { $in: ids } }, end).exec();
    await parts.changed(`auth:tenant:${tenantId}`);
  }

  /** An unconfirmed address may belong to another person. Without a mail server no address can be confirmed. */
  async function assertConfirmed(tenantId: string, userId: string | null): Promise<void> {
    if (parts.app.mailer === null || userId === null) return;
    const member = await parts.membership.find(tenantId, userId);
    if (member === null || member.user.email_verified_at !== null) return;
    throw new AppError(
      'forbidden',
      'Confirm your e-mail address first: POST /api/v1/auth/verify-email/resend mails a link. Single sign-on is enabled by owners with a confirmed address',
    );
  }

  return {
    async sso_config({ tenantId }) {
      const config = await findSsoConfig(parts.models, tenantId);
      if (config === null) throw notSet();
      return configView(config, (await parts.tenantOf(tenantId)).slug, baseOf(config));
    },
    async update_sso(ctx) {
      const { params, tenantId } = ctx;
      assertBounded(params.role_mapping);
      const { app, models } = parts;
      const known = await findSsoConfig(models, tenantId);
      const settings = parseSettings(params, {
        known,
        allow: signOn.allow,
        now: app.clock.now(),
        seal: (secret) => sealClientSecret(app.keyring, tenantId, secret),
      });
      if (settings.enabled) await assertConfirmed(tenantId, ctx.principal?.user_id ?? null);
      const base_url = signOn.baseOf(params.origin);
      const now = new Date(app.clock.now());
      const { slug } = await parts.tenantOf(tenantId);
      const next: SsoConfigDoc = {
        _id: tenantId,
        tenant_id: tenantId,
        ...settings,
        base_url,
        created_at: known?.created_at ?? now,
        updated_at: now,
      };
      const change = {
        action: 'sso.update',
        target: { type: 'sso', id: tenantId, name: slug },
        before: auditOf(known),
        after: { ...auditOf(next), client_secret_changed: params.oidc?.client_secret !== undefined },
      };
      await app.audit.audited(auditedBy(ctx), change, () => store(next));
      await endPasswordSessions(tenantId, known, next);
      return { ...configView(next, slug, baseOf(next)), warnings: await signOn.warningsOf(next) };
    },
    async remove_sso(ctx) {
      const { tenantId } = ctx;
      const { app, models } = parts;
      const known = await findSsoConfig(models, tenantId);
      if (known === null) throw notSet();
      const { slug } = await parts.tenantOf(tenantId);
      const target = { type: 'sso', id: tenantId, name: slug };
      const change = { action: 'sso.remove', target, before: auditOf(known), after: null };
      await app.audit.audited(auditedBy(ctx), change, async () => {
        await ofTenant(models.ssoConfigs, tenantId).remove({ _id: tenantId });
      });
    },
    async start_sso_test(ctx) {
      const { tenantId } = ctx;
      const { user_id } = person(ctx.principal);
      const { slug } = await parts.tenantOf(tenantId);
      const change = { action: 'sso.test', target: { type: 'sso', id: tenantId, name: slug } };
      return parts.app.audit.audited(auditedBy(ctx), change, () => tester.start(tenantId, user_id));
    },
    async sso_test({ params, tenantId, principal }) {
      return tester.view(tenantId, person(principal).user_id, params.id);
    },
    async sso_check({ params }) {
      const tenant = await parts.models.tenants.findOne({ slug: params.tenant_slug }).lean();
      const config = tenant === null ? null : await findSsoConfig(parts.models, tenant._id);
      if (config === null || !config.enabled) return { enabled: false, provider: null, enforce: false };
      const enforce = params.email === undefined ? config.enforce : coversAddress(config, params.email);
      return { enabled: true, provider: config.provider, enforce };
    },
    // Providers need the metadata before SSO is set up. The answer is the same for unknown tenants, so it does not disclose them.
    async sso_metadata({ params }) {
      const slug = params.tenant_slug;
      const tenant = await parts.models.tenants.findOne({ slug }).lean();
      const config = tenant === null ? null : await findSsoConfig(parts.models, tenant._id);
      return { xml: metadataXml(config === null ? signOn.baseOf(params.origin) : baseOf(config), slug) };
    },
  };
};

/** The validator has no limit for the entries of a record. */
function assertBounded(given: { values: object } | null | undefined): void {
  if (Object.keys(given?.values ?? {}).length <= MAX_MAPPINGS) return;
  throw new AppError('invalid_request', `'role_mapping.values' has more than ${MAX_MAPPINGS} entries`);
}

const notSet = (): AppError =>
  new AppError('not_found', 'Single sign-on is not set up; set it up with PUT /api/v1/sso/config');

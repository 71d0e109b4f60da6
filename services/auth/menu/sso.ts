import { isDuplicateKey } from '../../../lib/duplicate-key';
import { AppError } from '../../../lib/errors';
import { auditedBy } from '../../../mixins/audit';
import type { ServiceDefinition } from '../../../mixins/service';
import { ofTenant } from '../../../mixins/tenant';
import type { AuthParts } from '../parts';
import { sealClientSecret } from '../sso/client-secret';
import { ssoOf } from '../sso/config-of';
import { SSO_PROVIDERS } from '../sso/contract';
import type { SsoConfigDoc } from '../sso/models';
import { metadataXml } from '../sso/saml/messages';
import { readSettings } from '../sso/settings';
import type { SignOn } from '../sso/sign-on';
import { configView, recordOf } from '../sso/views';

type Menu = Pick<
  ServiceDefinition<'auth'>['actions'],
  'sso_config' | 'update_sso' | 'remove_sso' | 'sso_check' | 'sso_metadata'
>;

const text = (max: number) => ({ type: 'string', min: 1, max, trim: true }) as const;
const maybe = { optional: true, nullable: true } as const;
const flag = { type: 'boolean', optional: true } as const;
/** Owners are made by owners, never by a provider. */
const role = { type: 'enum', values: ['member', 'admin'] } as const;
export const slugParam = { type: 'string', trim: true, lowercase: true, min: 1, max: 200 } as const;
export const originParam = { type: 'string', max: 300, ...maybe } as const;
const MOST_MAPPINGS = 200;

const mapping = {
  type: 'object',
  ...maybe,
  props: {
    claim: text(300),
    values: { type: 'record', key: { type: 'string', min: 1, max: 500 }, value: role },
  },
} as const;

/** How a tenant's people sign in: its owners' settings, and what everybody may know of them. */
export const ssoMenu = (parts: AuthParts, signOn: SignOn): Menu => {
  const baseOf = (config: SsoConfigDoc): string => parts.app.config.baseUrl ?? config.base_url;

  async function store(config: SsoConfigDoc): Promise<void> {
    const { _id, tenant_id } = config;
    const replace = () => parts.models.ssoConfigs.replaceOne({ _id, tenant_id }, config, { upsert: true }).exec();
    await replace().catch((fault: unknown) => {
      // Another first one has come in between; now there is something to replace.
      if (!isDuplicateKey(fault)) throw fault;
      return replace();
    });
  }

  /** A password opened them, which suffices for owners alone from now on; the others come in again by the provider. */
  async function endPasswordSessions(tenantId: string): Promise<void> {
    const { owners } = await parts.tenantOf(tenantId);
    const end = { $set: { sessions_valid_from: new Date(parts.app.clock.now() + 1) } };
    await parts.models.users.updateMany({ tenant_id: tenantId, _id: { $nin: owners } }, end).exec();
    parts.changed(`auth:tenant:${tenantId}`);
  }

  return {
    sso_config: {
      access: 'owner',
      summary: 'Single sign-on of the tenant, without secrets',
      params: {},
      async handle({ tenantId }) {
        const config = await ssoOf(parts.models, tenantId);
        if (config === null) throw notSet();
        return configView(config, (await parts.tenantOf(tenantId)).slug, baseOf(config));
      },
    },
    update_sso: {
      access: 'owner',
      summary: 'Sets up single sign-on, or replaces what was set up',
      params: {
        provider: { type: 'enum', values: [...SSO_PROVIDERS] },
        enabled: flag,
        enforce: flag,
        oidc: {
          type: 'object',
          ...maybe,
          props: {
            issuer: text(2_048),
            client_id: text(500),
            client_secret: { type: 'string', min: 1, max: 2_000, ...maybe },
            scopes: [
              { type: 'string', max: 2_000, optional: true },
              { type: 'array', items: 'string', max: 50, optional: true },
            ],
          },
        },
        saml: {
          type: 'object',
          ...maybe,
          props: { entry_point: text(2_048), issuer: text(1_024), certificate: text(65_536) },
        },
        default_role: { ...role, ...maybe },
        role_mapping: mapping,
        origin: originParam,
      },
      async handle(ctx) {
        const { params, tenantId } = ctx;
        assertBounded(params.role_mapping);
        const { app, models } = parts;
        const known = await ssoOf(models, tenantId);
        const settings = readSettings(params, {
          known,
          allow: signOn.allow,
          now: app.clock.now(),
          seal: (secret) => sealClientSecret(app.keyring, tenantId, secret),
        });
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
          before: recordOf(known),
          after: { ...recordOf(next), client_secret_changed: params.oidc?.client_secret !== undefined },
        };
        await app.audit.audited(auditedBy(ctx), change, () => store(next));
        if (next.enforce && known?.enforce !== true) await endPasswordSessions(tenantId);
        return configView(next, slug, baseOf(next));
      },
    },
    remove_sso: {
      access: 'owner',
      summary: 'Ends single sign-on; passwords count again',
      params: {},
      async handle(ctx) {
        const { tenantId } = ctx;
        const { app, models } = parts;
        const known = await ssoOf(models, tenantId);
        if (known === null) throw notSet();
        const { slug } = await parts.tenantOf(tenantId);
        const target = { type: 'sso', id: tenantId, name: slug };
        const change = { action: 'sso.remove', target, before: recordOf(known), after: null };
        await app.audit.audited(auditedBy(ctx), change, async () => {
          await ofTenant(models.ssoConfigs, tenantId).remove({ _id: tenantId });
        });
      },
    },
    sso_check: {
      access: 'internal',
      summary: 'Whether a tenant has single sign-on; the same for a tenant that does not exist',
      params: { tenant_slug: slugParam },
      async handle({ params }) {
        const tenant = await parts.models.tenants.findOne({ slug: params.tenant_slug }).lean();
        const config = tenant === null ? null : await ssoOf(parts.models, tenant._id);
        if (config === null || !config.enabled) return { enabled: false, provider: null, enforce: false };
        return { enabled: true, provider: config.provider, enforce: config.enforce };
      },
    },
    sso_metadata: {
      access: 'internal',
      // A provider wants it before there is anything to set up here, so it says nothing of whether the tenant exists.
      summary: 'Our SAML metadata for a tenant',
      params: { tenant_slug: slugParam, origin: originParam },
      async handle({ params }) {
        const slug = params.tenant_slug;
        const tenant = await parts.models.tenants.findOne({ slug }).lean();
        const config = tenant === null ? null : await ssoOf(parts.models, tenant._id);
        return { xml: metadataXml(config === null ? signOn.baseOf(params.origin) : baseOf(config), slug) };
      },
    },
  };
};

/** The validator counts no entries of a record. */
function assertBounded(given: { values: object } | null | undefined): void {
  if (Object.keys(given?.values ?? {}).length <= MOST_MAPPINGS) return;
  throw new AppError('invalid_request', `'role_mapping.values' has more than ${MOST_MAPPINGS} entries`);
}

const notSet = (): AppError =>
  new AppError('not_found', 'Single sign-on is not set up; set it up with PUT /api/v1/sso/config');

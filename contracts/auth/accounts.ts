import { KEY_SCOPES } from '../../lib/key-scopes';
import type { LimitName, Limits } from '../../lib/plans';
import { SLUG, address, flag, maybe, userAgent, email, loginText, newPassword, secretText } from './params';
import { actions } from '../contract';
import { pageParams } from '../../lib/page';
import { ROLES } from '../../lib/roles';
import * as s from '../../lib/schema';

const PublicJwk = s.named(
  'PublicJwk',
  s.object({
    kty: s.text,
    crv: s.text,
    x: s.text,
    kid: s.text,
    alg: s.text,
    use: s.text,
  }),
  'The public half of a signing key, as a JSON Web Key (RFC 7517, RFC 8037).',
);

export const UserView = s.named(
  'UserView',
  s.object({
    id: s.text,
    email: s.text,
    role: s.words(...ROLES),
    tenant_id: s.text,
  }),
  'A user, as every answer shows it.',
);
export type UserView = s.Infer<typeof UserView>;

export const TenantView = s.named(
  'TenantView',
  s.object({
    id: s.text,
    slug: s.text,
    name: s.text,
    plan: s.text,
    organization_id: s.text.nullable(),
    settings: s.object({
      require_approval: s.boolean,
      require_second_factor: s.boolean,
    }),
    suspended: s
      .object({ since: s.text, reason: s.text })
      .nullable()
      .about('An operator of the installation has suspended it: it is only read, and no run starts. Null otherwise.'),
    created_at: s.text,
  }),
  'A tenant, as its members see it.',
);
export type TenantView = s.Infer<typeof TenantView>;

export const Session = s.named(
  'Session',
  s.object({
    token: s.text,
    user: UserView,
    tenant: TenantView,
  }),
  'The answer of register and login.',
);
export type Session = s.Infer<typeof Session>;

export const ApiKeyView = s.named(
  'ApiKeyView',
  s.object({
    id: s.text,
    name: s.text,
    prefix: s.text,
    scope: s.words(...KEY_SCOPES).about('What it may do of what its user may.'),
    user_id: s.text.about('Whose rights it has: a member or a service account.'),
    user: s.text.about('The e-mail address of the member, or `service:` and the name of the service account.'),
    service_account: s.boolean,
    created_by: s.text.about('The id of the member who made it.'),
    created_at: s.text,
    expires_at: s.text.nullable(),
    rotated_at: s.text.nullable(),
    previous_valid_until: s.text
      .nullable()
      .about('Until then, the value from before the last rotation is accepted, too.'),
    last_used_at: s.text.nullable(),
  }),
  'A platform API key without its value.',
);
export type ApiKeyView = s.Infer<typeof ApiKeyView>;

const NewApiKey = s.named(
  'NewApiKey',
  ApiKeyView.extend({
    key: s.text,
    note: s.text,
  }),
  'A platform API key with its value.',
);

const scope = { type: 'enum', values: [...KEY_SCOPES], optional: true } as const;
const expiresAt = { type: 'string', min: 1, max: 40, ...maybe } as const;

export const accountsActions = actions({
  jwks: {
    rest: 'GET /.well-known/jwks.json',
    access: 'gateway',
    repeatable: true,
    summary: 'Public keys of access tokens; none where secrets sign',
    description: 'Keys by which others can check our access tokens (RFC 7517); none where secrets sign.',
    params: {},
    result: s.object({
      keys: s.array(PublicJwk),
    }),
  },
  register: {
    rest: 'POST /api/v1/auth/register',
    status: 201,
    access: 'gateway',
    idempotency: 'replay',
    given: ['address', 'user_agent'],
    summary: 'Creates a tenant and its owner',
    description: '20 attempts from an IPv4 address or an IPv6 /64 are admitted in 15 minutes.',
    params: {
      tenant_slug: {
        type: 'string',
        pattern: SLUG,
        messages: {
          stringPattern:
            "The 'tenant_slug' must be 3 to 63 lower-case letters, digits and hyphens, and neither begin nor end with a hyphen.",
        },
      },
      tenant_name: { type: 'string', trim: true, min: 1, max: 200 },
      email,
      password: newPassword,
      address,
      user_agent: userAgent,
    },
    result: Session,
    errors: ['slug_taken'],
  },
  login: {
    rest: 'POST /api/v1/auth/login',
    access: 'gateway',
    given: ['address', 'user_agent'],
    summary: 'Signs in with a password; returns an access token',
    params: {
      tenant_slug: loginText(200),
      email: loginText(254),
      password: secretText,
      address,
      user_agent: userAgent,
    },
    result: Session,
    errors: ['invalid_login', 'sso_required', 'second_factor_challenge'],
  },
  verify: {
    // What it answers passes for a call of a service, so integrators must not have it.
    access: 'gateway',
    repeatable: true,
    summary: 'Turns a bearer credential into a signed principal',
    description: 'Turns a bearer credential (access token or platform API key) into a signed principal.',
    params: { token: { type: 'string', min: 1, max: 8_192 } },
    result: s.object({
      principal: s.text,
      user_id: s.text,
      tenant_id: s.text,
      role: s.words(...ROLES),
    }),
  },
  tenant: {
    rest: 'GET /api/v1/tenant',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: "The caller's tenant",
    params: {},
    result: TenantView,
  },
  update_settings: {
    rest: 'PUT /api/v1/tenant/settings',
    access: 'owner',
    repeatable: true,
    integrators: true,
    summary: 'Changes settings',
    description:
      '`require_second_factor`: members without one may only set one up; an owner who switches it on has one. API keys and sign-in by the identity provider of the tenant are not concerned.',
    params: { require_approval: flag, require_second_factor: flag },
    result: TenantView,
    errors: ['conflict'],
  },
  create_api_key: {
    rest: 'POST /api/v1/api-keys',
    status: 201,
    access: 'member',
    idempotency: 'replay',
    integrators: true,
    summary: 'Creates an API key; its value is shown once',
    description:
      '`scope`: `read` reads; `run` also starts and steers runs; `edit` also does what members may; `admin`, the default, all that the role of its user allows. `expires_at`: a time; without it the key does not expire. `service_account_id`: by an admin, a key of that service account.',
    params: {
      name: { type: 'string', trim: true, min: 1, max: 200 },
      scope,
      expires_at: expiresAt,
      service_account_id: { type: 'string', ...maybe, max: 100 },
    },
    result: NewApiKey,
    errors: ['conflict', 'forbidden', 'not_found'],
  },
  rotate_api_key: {
    rest: 'POST /api/v1/api-keys/:id/rotate',
    access: 'member',
    idempotency: 'replay',
    integrators: true,
    summary: 'Gives an API key another value, which is shown once',
    description:
      'The value of before is accepted for `overlap_seconds` more: a day, unless they say otherwise, and at most thirty days. Without `expires_at`, a key that expires gets the same time to live again.',
    params: {
      id: 'string',
      overlap_seconds: { type: 'number', integer: true, min: 0, max: 2_592_000, optional: true },
      expires_at: expiresAt,
    },
    result: NewApiKey,
    errors: ['conflict', 'forbidden', 'not_found'],
  },
  list_api_keys: {
    rest: 'GET /api/v1/api-keys',
    access: 'viewer',
    paged: true,
    repeatable: true,
    integrators: true,
    summary: 'Lists API keys',
    params: pageParams,
    result: s.listed(ApiKeyView),
  },
  revoke_api_key: {
    rest: 'DELETE /api/v1/api-keys/:id',
    status: 204,
    access: 'viewer',
    integrators: true,
    summary: 'Revokes an API key',
    params: { id: 'string' },
    result: s.nothing,
    errors: ['not_found', 'forbidden'],
  },
  /** Plan, limits and settings of the caller's tenant. */
  entitlements: {
    access: 'internal',
    repeatable: true,
    summary: 'Plan, limits and settings of the tenant',
    params: {},
    result: s.typed<{
      plan: string;
      limits: Limits;
      /** The limits of the tenant that replace those of its plan. */
      overrides: { limit: LimitName; plan_value: number | null; expires_at: string | null }[];
      require_approval: boolean;
      suspended: boolean;
    }>(),
  },
});

import { id, typed } from '../rules';
import { email, flag, mapping, maybe, originParam, role, slugParam, text, visit } from './params';
import { actions } from '../contract';
import { ErrorDetail } from '../shared';
import * as s from '../../lib/schema';

const SSO_PROVIDERS = ['oidc', 'saml'] as const;

export type SsoProvider = (typeof SSO_PROVIDERS)[number];

/** What an owner sends; what is left out has its default, and a client secret that is left out stays. */
export interface SsoConfigInput {
  provider: SsoProvider;
  enabled?: boolean;
  enforce?: boolean;
  enforce_domains?: string[];
  oidc?: { issuer: string; client_id: string; client_secret?: string | null; scopes?: string[] | string } | null;
  saml?: { entry_point: string; issuer: string; certificate: string } | null;
  default_role?: MappableRole | null;
  role_mapping?: RoleMapping | null;
}

/** What a browser has brought. */
export interface BrowserVisit {
  /** Fields of the query, or of the form. */
  fields: Record<string, string>;
  /** Those of the service. */
  cookies: Record<string, string>;
  /** Its `User-Agent`. */
  user_agent?: string;
  /** Where the browser has reached the API; absent when its request does not tell. */
  origin?: string;
}

export const MappableRole = s.named(
  'MappableRole',
  s.words('admin', 'member', 'viewer'),
  'A role that a mapping can assign; only owners can make owners.',
);
export type MappableRole = s.Infer<typeof MappableRole>;

export const RoleMapping = s.named(
  'RoleMapping',
  s.object({
    claim: s.text,
    values: s.record(MappableRole),
  }),
  'Values of a claim or attribute, and the role that each brings; the highest one counts.',
);
export type RoleMapping = s.Infer<typeof RoleMapping>;

export const SsoConfigView = s.named(
  'SsoConfigView',
  s.object({
    provider: s.words(...SSO_PROVIDERS),
    enabled: s.boolean,
    enforce: s.boolean,
    enforce_domains: s
      .array(s.text)
      .about('Domains of e-mail addresses whose members must sign in with the provider, also without `enforce`.'),
    oidc: s
      .object({
        issuer: s.text,
        client_id: s.text,
        client_secret_set: s.boolean,
        scopes: s.array(s.text),
      })
      .nullable(),
    saml: s
      .object({
        entry_point: s.text,
        issuer: s.text,
        certificate: s.text,
        certificates: s.array(
          s.object({
            subject: s.text,
            fingerprint_sha256: s.text,
            not_before: s.text,
            not_after: s.text,
          }),
        ),
      })
      .nullable(),
    default_role: s.words('admin', 'member', 'viewer').nullable(),
    role_mapping: RoleMapping.nullable(),
    callback_url: s.text.about('Redirect URI of OpenID Connect, and assertion consumer service of SAML.'),
    metadata_url: s.text.about('Our entity id in SAML, and where the metadata is.'),
    created_at: s.text,
    updated_at: s.text,
  }),
  "A tenant's single sign-on, as its owners see it: without secrets, with the addresses to enter at the provider.",
);
export type SsoConfigView = s.Infer<typeof SsoConfigView>;

const SsoTestReport = s.object({
  claims: s
    .array(s.object({ name: s.text, value: s.text }))
    .about('What the provider has sent of the user: claims, or the NameID and attributes; values are shortened.'),
  user: s
    .object({
      email: s.text,
      account: s.words('existing', 'new', 'deactivated').about('Whether the address has an account here.'),
      role: s.words('viewer', 'member', 'admin', 'owner').nullable().about('Null: the user may not sign in.'),
      decided_by: s
        .words('claim', 'scim', 'default', 'account')
        .about('What gives the role: groups of the claim or of SCIM, the default role, or the account as it is.'),
    })
    .nullable()
    .about('Null: the provider has sent no user that can be found here.'),
  groups: s.array(s.text).about('Values that the role mapping compares; at most 100.'),
  problems: s
    .array(
      s.object({
        severity: s.words('error', 'warning'),
        where: s.text.about('The setting or the part of the answer.'),
        message: s.text,
        action: s.text.about('What to do.'),
      }),
    )
    .about('An error keeps the user from signing in.'),
});
export type SsoTestReport = s.Infer<typeof SsoTestReport>;

export const SsoTestView = s.named(
  'SsoTestView',
  s.object({
    id: s.text,
    state: s.words('waiting', 'begun', 'finished', 'expired'),
    started_at: s.text,
    expires_at: s.text,
    finished_at: s.text.nullable(),
    report: SsoTestReport.nullable(),
  }),
  'A test of single sign-on, which signs no user in and creates no user.',
);
export type SsoTestView = s.Infer<typeof SsoTestView>;

export const BrowserCookie = s.named(
  'BrowserCookie',
  s.object({
    name: s.text,
    value: s.text,
    path: s.text,
    max_age: s.number,
    secure: s.boolean,
  }),
  'A cookie for the browser; `max_age` in seconds, 0 deletes it.',
);
export type BrowserCookie = s.Infer<typeof BrowserCookie>;

export const BrowserStep = s.named(
  'BrowserStep',
  s.object({
    location: s.text,
    cookies: s.array(BrowserCookie),
  }),
  'The redirect and the cookies for a browser.',
);
export type BrowserStep = s.Infer<typeof BrowserStep>;

export const ssoActions = actions({
  sso_config: {
    rest: 'GET /api/v1/sso/config',
    access: 'owner',
    repeatable: true,
    integrators: true,
    summary: 'Single sign-on, without secrets',
    params: {},
    result: SsoConfigView,
    errors: ['not_found'],
  },
  update_sso: {
    rest: 'PUT /api/v1/sso/config',
    access: 'owner',
    given: ['origin'],
    integrators: true,
    summary: 'Sets up single sign-on by OpenID Connect or SAML',
    params: typed<SsoConfigInput & { origin?: string }>()({
      provider: { type: 'enum', values: [...SSO_PROVIDERS] },
      enabled: flag,
      enforce: flag,
      enforce_domains: { type: 'array', items: text(253), max: 50, optional: true },
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
    }),
    result: SsoConfigView.extend({
      warnings: s
        .array(ErrorDetail)
        .about(
          'What would keep people from signing in now: a provider that was not reached, certificates that expire.',
        ),
    }),
    errors: ['forbidden'],
  },
  remove_sso: {
    rest: 'DELETE /api/v1/sso/config',
    status: 204,
    access: 'owner',
    integrators: true,
    summary: 'Ends single sign-on',
    params: {},
    result: s.nothing,
    errors: ['not_found'],
  },
  start_sso_test: {
    rest: 'POST /api/v1/sso/tests',
    status: 201,
    access: 'owner',
    integrators: true,
    summary: 'Starts a test of single sign-on, also while it is not enabled',
    description:
      'Open `url` in a browser and sign in at the provider. It works once, within ten minutes, signs no user in and creates no user; only the owner who has started the test sees what it has brought.',
    params: {},
    result: SsoTestView.extend({ url: s.text.about('Shown only in this answer.') }),
    errors: ['not_found', 'conflict', 'forbidden'],
  },
  sso_test: {
    rest: 'GET /api/v1/sso/tests/:id',
    access: 'owner',
    repeatable: true,
    integrators: true,
    summary: 'What a test of single sign-on has brought',
    params: { id },
    result: SsoTestView,
    errors: ['not_found'],
  },
  sso_check: {
    rest: 'GET /api/v1/auth/sso/check',
    access: 'gateway',
    repeatable: true,
    summary: 'Whether a tenant has single sign-on, and by which kind of provider',
    description:
      'The gateway counts who asks. `enforce` tells whether the tenant requires it of all members; with `email`, whether it requires it of addresses in that domain, whether or not there is such an account.',
    params: { tenant_slug: slugParam, email: { ...email, optional: true } },
    result: s.object({
      enabled: s.boolean,
      provider: s.words(...SSO_PROVIDERS).nullable(),
      enforce: s.boolean,
    }),
  },
  sso_metadata: {
    access: 'gateway',
    repeatable: true,
    summary: 'Our SAML metadata for a tenant',
    params: typed<{ tenant_slug: string; origin?: string }>()({ tenant_slug: slugParam, origin: originParam }),
    result: s.object({
      xml: s.text,
    }),
    errors: ['not_found'],
  },
  sso_authorize: {
    access: 'gateway',
    repeatable: true,
    summary: "Sends a browser to the tenant's identity provider",
    params: typed<BrowserVisit>()({
      ...visit,
      fields: {
        type: 'object',
        props: { tenant_slug: slugParam, test: { type: 'string', max: 200, optional: true } },
      },
    }),
    result: BrowserStep,
    errors: ['not_found', 'provider_failed', 'sign_in_failed'],
  },
  sso_callback: {
    access: 'gateway',
    summary: 'Finishes a sign-in that the identity provider has answered',
    params: typed<BrowserVisit>()(visit),
    result: BrowserStep,
    errors: ['sign_in_failed', 'sign_in_refused', 'provider_failed'],
  },
  sso_posted: {
    access: 'gateway',
    repeatable: true,
    summary: 'Checks the assertion that a SAML identity provider has had the browser post',
    description: 'What a SAML identity provider has the browser post.',
    params: typed<BrowserVisit>()(visit),
    result: BrowserStep,
    errors: ['sign_in_failed', 'sign_in_refused', 'provider_failed'],
  },
  suite_authorize: {
    access: 'gateway',
    repeatable: true,
    summary: "Sends a browser to the installation's provider",
    params: typed<BrowserVisit>()({
      ...visit,
      fields: { type: 'object', props: { tenant_slug: { ...slugParam, optional: true } } },
    }),
    result: BrowserStep,
    errors: ['not_found', 'provider_not_configured', 'provider_failed', 'sso_required'],
  },
  suite_callback: {
    access: 'gateway',
    summary: 'Finishes a sign-in by the suite: into a tenant of the person, or into a new one',
    params: typed<BrowserVisit>()(visit),
    result: BrowserStep,
    errors: [
      'sign_in_failed',
      'sign_in_refused',
      'sso_required',
      'forbidden',
      'provider_not_configured',
      'provider_failed',
    ],
  },
});

import type { EgressRule } from '../../../lib/egress';
import { AppError, type ErrorDetail } from '../../../lib/errors';
import type { Sealed } from '../../../lib/keyring';
import { addressProblem } from './addresses';
import { type Certificate, parseCertificates } from './certificate';
import type { SsoConfigInput } from '../../../contracts/auth/sso';
import type { OidcSettings, SamlSettings, SsoConfigDoc } from './models';
import { mailDomain } from './requirement';

/** Settings that an owner can change. */
type SsoSettings = Pick<
  SsoConfigDoc,
  | 'provider'
  | 'enabled'
  | 'enforce'
  | 'enforce_domains'
  | 'oidc'
  | 'client_secret'
  | 'saml'
  | 'default_role'
  | 'role_mapping'
>;

interface SettingsContext {
  /** The current configuration. */
  readonly known: SsoConfigDoc | null;
  readonly allow: readonly EgressRule[];
  readonly now: number;
  readonly seal: (secret: string) => Sealed;
}

const DEFAULT_SCOPES = 'openid email profile';
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;
/** Entity ids are URIs of at most 1,024 characters (SAML core 8.3.6). */
const ENTITY_ID = /^[\x21-\x7e]{1,1024}$/;

/** Validates the input of an owner. Pure except for `seal`. @throws AppError invalid_request with every error */
export function parseSettings(input: SsoConfigInput, context: SettingsContext): SsoSettings {
  const errors: ErrorDetail[] = [];
  const oidc = input.provider === 'oidc' ? parseOidc(input.oidc ?? null, context, errors) : null;
  const client_secret = oidc === null ? null : parseSecret(input.oidc?.client_secret, oidc, context, errors);
  const saml = input.provider === 'saml' ? parseSaml(input.saml ?? null, context, errors) : null;
  const enabled = input.enabled ?? true;
  const enforce = input.enforce ?? false;
  if (enforce && !enabled) errors.push({ path: 'enforce', message: "'enforce' requires 'enabled'" });
  const enforce_domains = parseDomains(input.enforce_domains ?? [], errors);
  if (enforce_domains.length > 0 && !enabled)
    errors.push({ path: 'enforce_domains', message: "'enforce_domains' requires 'enabled'" });
  if (errors.length > 0) {
    throw new AppError('invalid_request', errors.map(({ message }) => message).join('; '), { details: errors });
  }
  const mapping = input.role_mapping ?? null;
  return {
    provider: input.provider,
    enabled,
    enforce,
    enforce_domains,
    oidc,
    client_secret,
    saml,
    default_role: input.default_role === undefined ? 'member' : input.default_role,
    role_mapping:
      mapping === null
        ? null
        : { claim: mapping.claim, values: Object.entries(mapping.values).map(([value, role]) => ({ value, role })) },
  };
}

function parseDomains(given: readonly string[], errors: ErrorDetail[]): string[] {
  const domains = given.map((text, index) => {
    const domain = mailDomain(text);
    if (domain === null) {
      const path = `enforce_domains[${index}]`;
      errors.push({ path, message: `'${path}' must be a domain such as example.com` });
    }
    return domain;
  });
  return [...new Set(domains.filter((domain) => domain !== null))];
}

function parseOidc(
  given: SsoConfigInput['oidc'] | null,
  { allow }: SettingsContext,
  errors: ErrorDetail[],
): OidcSettings | null {
  const addError = (path: string, message: string): void =>
    void errors.push({ path: `oidc.${path}`, message: `'oidc.${path}' ${message}` });
  if (given === null || given === undefined) {
    errors.push({ path: 'oidc', message: "'oidc' is required: {issuer, client_id, client_secret}" });
    return null;
  }
  const problem = addressProblem(given.issuer, allow);
  if (problem !== null) addError('issuer', problem);
  else if (given.issuer.includes('/.well-known/')) addError('issuer', 'must be the part before /.well-known/');
  else if (given.issuer.includes('?')) addError('issuer', 'must have no query');
  const scopes = parseScopes(given.scopes ?? DEFAULT_SCOPES);
  if (!scopes.every((scope) => SCOPE.test(scope)) || scopes.length > 50)
    addError('scopes', 'must be at most 50 words without spaces');
  return { issuer: given.issuer, client_id: given.client_id, scopes };
}

/** Keeps the stored secret only for the same issuer and client, so that it is never sent to another provider. */
function parseSecret(
  given: string | null | undefined,
  { issuer, client_id }: OidcSettings,
  { known, seal }: SettingsContext,
  errors: ErrorDetail[],
): Sealed | null {
  if (given !== undefined) return given === null ? null : seal(given);
  if (known?.oidc?.issuer === issuer && known.oidc.client_id === client_id) return known.client_secret;
  errors.push({
    path: 'oidc.client_secret',
    message: "'oidc.client_secret' is required for a new issuer or client; use null for a public client",
  });
  return null;
}

const parseScopes = (given: string | readonly string[]): string[] => {
  const listed = typeof given === 'string' ? given.split(/\s+/) : given;
  // Without `openid` there is no ID token (OpenID Connect Core 3.1.2.1).
  return [...new Set(['openid', ...listed.filter((scope) => scope !== '')])];
};

function parseSaml(
  given: SsoConfigInput['saml'] | null,
  { allow, now }: SettingsContext,
  errors: ErrorDetail[],
): SamlSettings | null {
  const addError = (path: string, message: string): void =>
    void errors.push({ path: `saml.${path}`, message: `'saml.${path}' ${message}` });
  if (given === null || given === undefined) {
    errors.push({ path: 'saml', message: "'saml' is required: {entry_point, issuer, certificate}" });
    return null;
  }
  const problem = addressProblem(given.entry_point, allow);
  if (problem !== null) addError('entry_point', problem);
  if (!ENTITY_ID.test(given.issuer))
    addError('issuer', "must be the identity provider's entity id: 1 to 1024 characters");
  const certificates = parseCertificates(given.certificate);
  if ('problem' in certificates) {
    addError('certificate', certificates.problem);
    return null;
  }
  if (certificates.every(({ notAfter }) => notAfter <= now)) {
    addError('certificate', `has expired: it was valid until ${latestExpiry(certificates)}`);
  }
  return {
    entry_point: given.entry_point,
    issuer: given.issuer,
    certificate: certificates.map(({ pem }) => pem).join(''),
  };
}

const latestExpiry = (certificates: readonly Certificate[]): string =>
  new Date(Math.max(...certificates.map(({ notAfter }) => notAfter))).toISOString();

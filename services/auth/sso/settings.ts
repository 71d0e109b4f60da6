import type { EgressRule } from '../../../lib/egress';
import { AppError, type ErrorDetail } from '../../../lib/errors';
import type { Sealed } from '../../../lib/keyring';
import { addressFault } from './addresses';
import { type Certificate, readCertificates } from './certificate';
import type { SsoConfigInput } from '../../../contracts/auth/sso';
import type { OidcSettings, SamlSettings, SsoConfigDoc } from './models';

/** What an owner can set. */
type SsoSettings = Pick<
  SsoConfigDoc,
  'provider' | 'enabled' | 'enforce' | 'oidc' | 'client_secret' | 'saml' | 'default_role' | 'role_mapping'
>;

interface Surroundings {
  /** What is stored now. */
  readonly known: SsoConfigDoc | null;
  readonly allow: readonly EgressRule[];
  readonly now: number;
  readonly seal: (secret: string) => Sealed;
}

const DEFAULT_SCOPES = 'openid email profile';
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;
/** Entity ids are URIs of at most 1,024 characters (SAML core 8.3.6). */
const ENTITY_ID = /^[\x21-\x7e]{1,1024}$/;

/** The settings that an owner's input stands for. Pure but for the seal. @throws AppError invalid_request with every fault */
export function readSettings(input: SsoConfigInput, around: Surroundings): SsoSettings {
  const faults: ErrorDetail[] = [];
  const oidc = input.provider === 'oidc' ? readOidc(input.oidc ?? null, around, faults) : null;
  const client_secret = oidc === null ? null : readSecret(input.oidc?.client_secret, oidc, around, faults);
  const saml = input.provider === 'saml' ? readSaml(input.saml ?? null, around, faults) : null;
  const enabled = input.enabled ?? true;
  const enforce = input.enforce ?? false;
  if (enforce && !enabled) faults.push({ path: 'enforce', message: "'enforce' needs 'enabled'" });
  if (faults.length > 0) {
    throw new AppError('invalid_request', faults.map(({ message }) => message).join('; '), { details: faults });
  }
  const mapping = input.role_mapping ?? null;
  return {
    provider: input.provider,
    enabled,
    enforce,
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

function readOidc(
  given: SsoConfigInput['oidc'] | null,
  { allow }: Surroundings,
  faults: ErrorDetail[],
): OidcSettings | null {
  const fault = (path: string, message: string): void =>
    void faults.push({ path: `oidc.${path}`, message: `'oidc.${path}' ${message}` });
  if (given === null || given === undefined) {
    faults.push({ path: 'oidc', message: "'oidc' is needed: {issuer, client_id, client_secret}" });
    return null;
  }
  const problem = addressFault(given.issuer, allow);
  if (problem !== null) fault('issuer', problem);
  else if (given.issuer.includes('/.well-known/')) fault('issuer', 'is the part before /.well-known/');
  else if (given.issuer.includes('?')) fault('issuer', 'has no query');
  const scopes = readScopes(given.scopes ?? DEFAULT_SCOPES);
  if (!scopes.every((scope) => SCOPE.test(scope)) || scopes.length > 50) fault('scopes', 'are words without blanks');
  return { issuer: given.issuer, client_id: given.client_id, scopes };
}

/** A client secret is sent only to the issuer that it was set for, never to a later one. */
function readSecret(
  given: string | null | undefined,
  { issuer, client_id }: OidcSettings,
  { known, seal }: Surroundings,
  faults: ErrorDetail[],
): Sealed | null {
  if (given !== undefined) return given === null ? null : seal(given);
  if (known?.oidc?.issuer === issuer && known.oidc.client_id === client_id) return known.client_secret;
  faults.push({
    path: 'oidc.client_secret',
    message: "'oidc.client_secret' is needed for a new issuer or client; null for a client that has none",
  });
  return null;
}

const readScopes = (given: string | readonly string[]): string[] => {
  const listed = typeof given === 'string' ? given.split(/\s+/) : given;
  // Without `openid` there is no ID token (OpenID Connect Core 3.1.2.1).
  return [...new Set(['openid', ...listed.filter((scope) => scope !== '')])];
};

function readSaml(
  given: SsoConfigInput['saml'] | null,
  { allow, now }: Surroundings,
  faults: ErrorDetail[],
): SamlSettings | null {
  const fault = (path: string, message: string): void =>
    void faults.push({ path: `saml.${path}`, message: `'saml.${path}' ${message}` });
  if (given === null || given === undefined) {
    faults.push({ path: 'saml', message: "'saml' is needed: {entry_point, issuer, certificate}" });
    return null;
  }
  const problem = addressFault(given.entry_point, allow);
  if (problem !== null) fault('entry_point', problem);
  if (!ENTITY_ID.test(given.issuer)) fault('issuer', "is the identity provider's entity id: 1 to 1024 characters");
  const certificates = readCertificates(given.certificate);
  if ('problem' in certificates) {
    fault('certificate', certificates.problem);
    return null;
  }
  if (certificates.every(({ notAfter }) => notAfter <= now)) {
    fault('certificate', `has expired: it was good until ${latest(certificates)}`);
  }
  return {
    entry_point: given.entry_point,
    issuer: given.issuer,
    certificate: certificates.map(({ pem }) => pem).join(''),
  };
}

const latest = (certificates: readonly Certificate[]): string =>
  new Date(Math.max(...certificates.map(({ notAfter }) => notAfter))).toISOString();

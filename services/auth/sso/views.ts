import type { JsonObject } from '../../../lib/json';
import { parseCertificates } from './certificate';
import type { RoleMapping, SsoConfigView } from '../../../contracts/auth/sso';
import type { SsoConfigDoc } from './models';
import { callbackUrl, metadataUrl } from './urls';

/** The configuration without its secret, with the addresses to enter at the provider. */
export function configView(config: SsoConfigDoc, slug: string, base: string): SsoConfigView {
  const { oidc, saml } = config;
  return {
    provider: config.provider,
    enabled: config.enabled,
    enforce: config.enforce,
    enforce_domains: [...(config.enforce_domains ?? [])],
    oidc:
      oidc === null
        ? null
        : {
            issuer: oidc.issuer,
            client_id: oidc.client_id,
            client_secret_set: config.client_secret !== null,
            scopes: [...oidc.scopes],
          },
    saml: saml === null ? null : { ...saml, certificates: certificatesOf(saml.certificate) },
    default_role: config.default_role,
    role_mapping: mappingOf(config),
    callback_url: callbackUrl(base),
    metadata_url: metadataUrl(base, slug),
    created_at: config.created_at.toISOString(),
    updated_at: config.updated_at.toISOString(),
  };
}

/** A configuration as recorded in the audit log. */
export function auditOf(config: SsoConfigDoc | null): JsonObject | null {
  if (config === null) return null;
  const { oidc, saml, provider, enabled, enforce, default_role } = config;
  return {
    provider,
    enabled,
    enforce,
    enforce_domains: [...(config.enforce_domains ?? [])],
    oidc: oidc === null ? null : { issuer: oidc.issuer, client_id: oidc.client_id, scopes: [...oidc.scopes] },
    saml:
      saml === null
        ? null
        : {
            entry_point: saml.entry_point,
            issuer: saml.issuer,
            certificates: certificatesOf(saml.certificate).map(({ fingerprint_sha256 }) => fingerprint_sha256),
          },
    default_role,
    role_mapping: mappingOf(config) as JsonObject | null,
  };
}

const mappingOf = ({ role_mapping }: SsoConfigDoc): RoleMapping | null =>
  role_mapping === null
    ? null
    : {
        claim: role_mapping.claim,
        values: Object.fromEntries(role_mapping.values.map(({ value, role }) => [value, role])),
      };

function certificatesOf(pem: string): NonNullable<SsoConfigView['saml']>['certificates'] {
  const certificates = parseCertificates(pem);
  if ('problem' in certificates) return [];
  return certificates.map(({ subject, fingerprint, notBefore, notAfter }) => ({
    subject,
    fingerprint_sha256: fingerprint,
    not_before: new Date(notBefore).toISOString(),
    not_after: new Date(notAfter).toISOString(),
  }));
}

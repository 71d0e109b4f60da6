import { type ErrorDetail, errorCode, errorMessage } from '../../../lib/errors';
import { readCertificates } from './certificate';
import type { SamlSettings } from './models';

/** Time in which a new certificate can be had. */
const EXPIRY_NOTICE_MS = 30 * 86_400_000;

/** What keeps an OpenID provider from being used now; `probe` throws `provider_failed` for it. */
export async function oidcWarnings(probe: () => Promise<void>): Promise<ErrorDetail[]> {
  try {
    await probe();
    return [];
  } catch (fault) {
    if (errorCode(fault) !== 'provider_failed') throw fault;
    return [{ path: 'oidc.issuer', message: errorMessage(fault) }];
  }
}

/** Certificates that have expired, or do so soon. Only browsers ask the provider itself. */
export function samlWarnings({ certificate }: SamlSettings, now: number): ErrorDetail[] {
  const certificates = readCertificates(certificate);
  if ('problem' in certificates) return [{ path: 'saml.certificate', message: certificates.problem }];
  return certificates
    .filter(({ notAfter }) => notAfter - now < EXPIRY_NOTICE_MS)
    .map(({ subject, notAfter }) => ({
      path: 'saml.certificate',
      message: `The certificate of ${subject} is valid until ${new Date(notAfter).toISOString()}; store its successor beside it`,
    }));
}

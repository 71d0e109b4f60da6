import { type ErrorDetail, errorCode, errorMessage } from '../../../lib/errors';
import { parseCertificates } from './certificate';
import type { SamlSettings } from './models';

/** Certificates are reported this long before they expire. */
const EXPIRY_NOTICE_MS = 30 * 86_400_000;

/** Reports why an OpenID provider cannot be used now. `probe` throws `provider_failed` then. */
export async function oidcWarnings(probe: () => Promise<void>): Promise<ErrorDetail[]> {
  try {
    await probe();
    return [];
  } catch (fault) {
    if (errorCode(fault) !== 'provider_failed') throw fault;
    return [{ path: 'oidc.issuer', message: errorMessage(fault) }];
  }
}

/** Reports certificates that have expired or expire soon. The provider itself is not contacted. */
export function samlWarnings({ certificate }: SamlSettings, now: number): ErrorDetail[] {
  const certificates = parseCertificates(certificate);
  if ('problem' in certificates) return [{ path: 'saml.certificate', message: certificates.problem }];
  return certificates
    .filter(({ notAfter }) => notAfter - now < EXPIRY_NOTICE_MS)
    .map(({ subject, notAfter }) => ({
      path: 'saml.certificate',
      message: `The certificate of ${subject} is valid until ${new Date(notAfter).toISOString()}; add its successor`,
    }));
}

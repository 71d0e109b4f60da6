import { X509Certificate } from 'node:crypto';

/** A parsed certificate. Times in epoch milliseconds. */
export interface Certificate {
  readonly pem: string;
  readonly subject: string;
  /** Lower-case hex. */
  readonly fingerprint: string;
  readonly notBefore: number;
  readonly notAfter: number;
}

const MAX_CERTIFICATES = 5;
const MAX_TEXT_CHARS = 64 * 1024;
/** Allowed clock skew of the issuer. */
const SKEW_MS = 60_000;
const MIN_RSA_BITS = 2_048;
const BEGIN = '-----BEGIN CERTIFICATE-----';
const BLOCK = /-----BEGIN CERTIFICATE-----([\s\S]*?)-----END CERTIFICATE-----/g;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Parses certificates: PEM blocks, or the plain base64 of metadata. The certificates are pinned, so no authority needs to
 * have issued them. Each must have an RSA key of at least 2,048 bits, the only kind that signature checks support.
 */
export function parseCertificates(text: string): readonly Certificate[] | { readonly problem: string } {
  if (text.length > MAX_TEXT_CHARS) return { problem: `must be at most ${MAX_TEXT_CHARS} characters` };
  // Checked before the pattern runs, which scans the text once per block.
  if (text.split(BEGIN).length - 1 > MAX_CERTIFICATES)
    return { problem: `has more than ${MAX_CERTIFICATES} certificates` };
  const blocks = [...text.matchAll(BLOCK)].map(([, body = '']) => body);
  const bodies = (blocks.length > 0 ? blocks : [text]).map((body) => body.replace(/\s+/g, ''));
  if (!bodies.every((body) => BASE64.test(body))) return { problem: 'is not a certificate in PEM or base64' };
  const certificates: Certificate[] = [];
  for (const body of bodies) {
    const parsed = parse(body);
    if (parsed === null) return { problem: 'is not a certificate in PEM or base64' };
    const { asymmetricKeyType, asymmetricKeyDetails } = parsed.publicKey;
    if (asymmetricKeyType !== 'rsa' || (asymmetricKeyDetails?.modulusLength ?? 0) < MIN_RSA_BITS) {
      return { problem: `must have an RSA key of at least ${MIN_RSA_BITS} bits` };
    }
    certificates.push({
      pem: parsed.toString(),
      subject: parsed.subject.replaceAll('\n', ', '),
      fingerprint: parsed.fingerprint256.replaceAll(':', '').toLowerCase(),
      notBefore: Date.parse(parsed.validFrom),
      notAfter: Date.parse(parsed.validTo),
    });
  }
  return certificates;
}

/** The stored certificates that are valid now. */
export const validCertificates = (pem: string, now: number): readonly Certificate[] => {
  const read = parseCertificates(pem);
  if ('problem' in read) return [];
  return read.filter(({ notBefore, notAfter }) => notBefore <= now + SKEW_MS && now < notAfter + SKEW_MS);
};

function parse(body: string): X509Certificate | null {
  try {
    return new X509Certificate(Buffer.from(body, 'base64'));
  } catch {
    // The OpenSSL error message does not help the user.
    return null;
  }
}

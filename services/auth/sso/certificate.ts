import { X509Certificate } from 'node:crypto';

/** What counts of a certificate. Times in epoch milliseconds. */
export interface Certificate {
  readonly pem: string;
  readonly subject: string;
  /** Lower-case hex. */
  readonly fingerprint: string;
  readonly notBefore: number;
  readonly notAfter: number;
}

const MOST = 5;
const LONGEST = 64 * 1024;
/** How far the clock of who made it may be apart. */
const SKEW_MS = 60_000;
const LEAST_RSA_BITS = 2_048;
const BLOCK = /-----BEGIN CERTIFICATE-----([\s\S]*?)-----END CERTIFICATE-----/g;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * The certificates of a text: PEM blocks, or the bare base64 that metadata has. They are pins: nobody has to have
 * issued them, but each must hold an RSA key of 2,048 bits or more, the only kind that signatures are checked with.
 */
export function readCertificates(text: string): readonly Certificate[] | { readonly problem: string } {
  if (text.length > LONGEST) return { problem: `must be at most ${LONGEST} characters` };
  const blocks = [...text.matchAll(BLOCK)].map(([, body = '']) => body);
  const bodies = (blocks.length > 0 ? blocks : [text]).map((body) => body.replace(/\s+/g, ''));
  if (bodies.length > MOST) return { problem: `holds more than ${MOST} certificates` };
  if (!bodies.every((body) => BASE64.test(body))) return { problem: 'is no certificate in PEM or base64' };
  const certificates: Certificate[] = [];
  for (const body of bodies) {
    const parsed = parse(body);
    if (parsed === null) return { problem: 'is no certificate in PEM or base64' };
    const { asymmetricKeyType, asymmetricKeyDetails } = parsed.publicKey;
    if (asymmetricKeyType !== 'rsa' || (asymmetricKeyDetails?.modulusLength ?? 0) < LEAST_RSA_BITS) {
      return { problem: `must hold an RSA key of ${LEAST_RSA_BITS} bits or more` };
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

/** Those of the stored text that are good now. */
export const validCertificates = (pem: string, now: number): readonly Certificate[] => {
  const read = readCertificates(pem);
  if ('problem' in read) return [];
  return read.filter(({ notBefore, notAfter }) => notBefore <= now + SKEW_MS && now < notAfter + SKEW_MS);
};

function parse(body: string): X509Certificate | null {
  try {
    return new X509Certificate(Buffer.from(body, 'base64'));
  } catch {
    // The parser's own words are OpenSSL's, and help nobody.
    return null;
  }
}

import { createHash } from 'node:crypto';
import { errors, jwtVerify } from 'jose';
import { sameText } from '../../lib/crypto';
import type { VoiceConfig } from '../../lib/voice-config';

const CLOCK_TOLERANCE_SECONDS = 60;

/**
 * Whether an `Authorization` header is the provider's signature of a body: a JWT (HS256) under the API secret, issued by
 * the API key, whose claim `sha256` is the digest of these very bytes in base64.
 */
export async function isVoiceSignature(
  header: string | undefined,
  raw: Buffer,
  { apiKey, apiSecret }: VoiceConfig,
  nowMs: number,
): Promise<boolean> {
  if (header === undefined) return false;
  try {
    const { payload } = await jwtVerify(header.replace(/^bearer +/i, ''), Buffer.from(apiSecret), {
      algorithms: ['HS256'],
      issuer: apiKey,
      requiredClaims: ['exp', 'sha256'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(nowMs),
    });
    const digest = createHash('sha256').update(raw).digest('base64');
    return typeof payload.sha256 === 'string' && sameText(payload.sha256, digest);
  } catch (error) {
    if (error instanceof errors.JOSEError) return false;
    throw error;
  }
}

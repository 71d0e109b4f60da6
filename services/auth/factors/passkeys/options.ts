import { createHash } from 'node:crypto';
import type { PasskeyCreation, PasskeyRequest } from '../../../../contracts/auth/passkeys';
import type { UserDoc } from '../../models';
import type { PasskeyFactor } from '../models';
import type { RelyingParty } from './relying-party';

/** COSE algorithms (RFC 9053): ES256, EdDSA, RS256. */
export const ALGORITHMS = [-7, -8, -257];
/** How long a browser waits for its user. */
const TIMEOUT_MS = 5 * 60_000;

/**
 * The challenge that an authenticator signs, from a sealed text that its client returns: no other caller can make the text,
 * every one is new, and it is accepted once. So nothing is stored for those who only ask.
 */
export const challengeIn = (sealed: string): string => createHash('sha256').update(sealed).digest('base64url');

/** What authenticators know a user by: no name, and unique in the installation (WebAuthn Level 3, section 14.6.1). */
export const handleOf = ({ _id }: Pick<UserDoc, '_id'>): string => Buffer.from(_id).toString('base64url');

/** Options of `navigator.credentials.create`: a passkey that browsers find by themselves, and that verifies its user. */
export function creationOptions(
  party: RelyingParty,
  sealed: string,
  { user, tenantSlug }: { readonly user: UserDoc; readonly tenantSlug: string },
): PasskeyCreation['options'] {
  // What people choose by in the dialog of their browser: the same address may have accounts in several workspaces.
  const name = `${user.email} (${tenantSlug})`;
  return {
    challenge: challengeIn(sealed),
    rp: { id: party.id, name: 'Everstep' },
    user: { id: handleOf(user), name, displayName: name },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: TIMEOUT_MS,
    excludeCredentials: (user.passkeys ?? []).map(descriptorOf),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    attestation: 'none',
  };
}

/** Options of `navigator.credentials.get`. Without passkeys, the browser offers all that it has for us. */
export const requestOptions = (
  party: RelyingParty,
  sealed: string,
  passkeys: readonly PasskeyFactor[],
  userVerification: PasskeyRequest['options']['userVerification'],
): PasskeyRequest['options'] => ({
  challenge: challengeIn(sealed),
  rpId: party.id,
  timeout: TIMEOUT_MS,
  userVerification,
  allowCredentials: passkeys.map(descriptorOf),
});

const descriptorOf = ({ credential_id: id, transports }: PasskeyFactor) => ({
  id,
  type: 'public-key' as const,
  transports,
});

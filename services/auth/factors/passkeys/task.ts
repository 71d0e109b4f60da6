import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import { decodeAttestationObject, isoBase64URL } from '@simplewebauthn/server/helpers';
import type { PasskeyAssertion, PasskeyAttestation } from '../../../../contracts/auth/passkey-credential';
import { defineTask } from '../../../../lib/compute';
import { errorMessage } from '../../../../lib/errors';
import type { StoredCredential } from '../models';
import { ALGORITHMS } from './options';
import { acceptsOrigin, type RelyingParty } from './relying-party';

/** An RSA key of 4,096 bits takes half of it. */
const MAX_PUBLIC_KEY_BYTES = 1_024;

/** What an answer of an authenticator must fit. */
interface Expected {
  readonly party: RelyingParty;
  /** In base64url. */
  readonly challenge: string;
}

interface Refused {
  readonly kind: 'refused';
  readonly reason: string;
}

export type RegistrationResult = { readonly kind: 'registered'; readonly stored: StoredCredential } | Refused;

/** What changes in a stored credential by its use. */
export type CredentialUse = Pick<StoredCredential, 'counter' | 'backed_up'>;

export type AssertionResult = { readonly kind: 'asserted'; readonly use: CredentialUse } | Refused;

const MODULE = 'services/auth/factors/passkeys/task';

/** Checks the answer to `navigator.credentials.create` (WebAuthn Level 3, section 7.1). */
export const registrationTask = defineTask(
  MODULE,
  'registrationTask',
  (input: Expected & { readonly credential: PasskeyAttestation }): Promise<RegistrationResult> =>
    refusing(async () => {
      const { credential, challenge, party } = input;
      assertAttestation(credential.response.attestationObject);
      const { verified, registrationInfo } = await verifyRegistrationResponse({
        response: { ...credential, clientExtensionResults: {} },
        expectedChallenge: challenge,
        expectedOrigin: originOf(credential.response.clientDataJSON, party),
        expectedRPID: party.id,
        requireUserVerification: true,
        supportedAlgorithmIDs: ALGORITHMS,
      });
      if (!verified) throw new Error('The signature of the attestation is wrong');
      const { credential: made, credentialDeviceType, credentialBackedUp } = registrationInfo;
      if (made.id !== credential.id) throw new Error('The credential has another id than its answer');
      if (made.publicKey.length > MAX_PUBLIC_KEY_BYTES) throw new Error('The public key is too long');
      const stored = {
        credential_id: made.id,
        public_key: isoBase64URL.fromBuffer(made.publicKey),
        counter: made.counter,
        backup_eligible: credentialDeviceType === 'multiDevice',
        backed_up: credentialBackedUp,
        transports: credential.response.transports ?? [],
      };
      return { kind: 'registered', stored };
    }),
);

interface AssertionCheck extends Expected {
  readonly credential: PasskeyAssertion;
  readonly stored: StoredCredential;
  /** Whether the authenticator must have verified its user, by a PIN or biometrics. */
  readonly verifiesUser: boolean;
}

/** Checks the answer to `navigator.credentials.get` (WebAuthn Level 3, section 7.2). */
export const assertionTask = defineTask(
  MODULE,
  'assertionTask',
  (input: AssertionCheck): Promise<AssertionResult> =>
    refusing(async () => {
      const { credential, challenge, party, stored, verifiesUser } = input;
      // A counter that does not rise is refused: the key may have been copied.
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: { ...credential, clientExtensionResults: {} } as Authentication,
        expectedChallenge: challenge,
        expectedOrigin: originOf(credential.response.clientDataJSON, party),
        expectedRPID: party.id,
        requireUserVerification: verifiesUser,
        credential: {
          id: stored.credential_id,
          publicKey: isoBase64URL.toBuffer(stored.public_key),
          counter: stored.counter,
        },
      });
      if (!verified) throw new Error('The signature is wrong');
      const { credentialDeviceType, credentialBackedUp, newCounter } = authenticationInfo;
      if ((credentialDeviceType === 'multiDevice') !== stored.backup_eligible)
        throw new Error('The passkey tells another kind of backup than at its registration');
      return { kind: 'asserted', use: { counter: newCounter, backed_up: credentialBackedUp } };
    }),
);

type Authentication = Parameters<typeof verifyAuthenticationResponse>[0]['response'];

/** What the package throws is its refusal of an answer, whose content comes from a client. */
async function refusing<R extends { readonly kind: string }>(check: () => Promise<R>): Promise<R | Refused> {
  try {
    return await check();
  } catch (error) {
    return { kind: 'refused', reason: errorMessage(error) };
  }
}

/** The origin of an answer, when it is one of the party's. @throws Error */
function originOf(clientDataJSON: string, party: RelyingParty): string {
  const { origin, crossOrigin } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as {
    origin?: unknown;
    crossOrigin?: unknown;
  };
  if (crossOrigin === true) throw new Error('The page was embedded in another one');
  if (typeof origin === 'string' && acceptsOrigin(party, origin)) return origin;
  const accepted = party.kind === 'local' ? 'http://localhost' : party.origins.join(', ');
  throw new Error(`The passkey was used at ${String(origin)}, and is accepted at ${accepted}`);
}

/**
 * None is asked for, so browsers send none, or a signature by the new key itself. Others have certificates, whose check
 * can ask servers for lists of revoked ones. @throws Error
 */
function assertAttestation(attestationObject: string): void {
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject));
  const format = attestation.get('fmt');
  if (format === 'none') return;
  if (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined) return;
  throw new Error('The passkey has an attestation with certificates, and none was asked for');
}

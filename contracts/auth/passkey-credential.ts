/** Bytes in base64url. Authenticators choose the id of a credential: at most 1,023 bytes (WebAuthn Level 3, section 5.1). */
const bytes = (max: number) => ({ type: 'string', min: 1, max, pattern: /^[A-Za-z0-9_-]+={0,2}$/ }) as const;
const credentialId = bytes(1_364);
const credentialType = { type: 'enum', values: ['public-key'] } as const;
const clientDataJSON = bytes(4_096);

/** The answer of an authenticator that has made a passkey: `PublicKeyCredential.toJSON()`. */
export const attestation = {
  type: 'object',
  props: {
    id: credentialId,
    rawId: credentialId,
    type: credentialType,
    response: {
      type: 'object',
      props: {
        clientDataJSON,
        attestationObject: bytes(8_192),
        transports: {
          type: 'array',
          optional: true,
          max: 10,
          items: { type: 'string', min: 1, max: 30 },
        },
      },
    },
  },
} as const;

/** The same of one that was used. */
export const assertion = {
  type: 'object',
  props: {
    id: credentialId,
    rawId: credentialId,
    type: credentialType,
    response: {
      type: 'object',
      props: {
        clientDataJSON,
        authenticatorData: bytes(4_096),
        signature: bytes(2_048),
        // At most 64 bytes; null where the authenticator returns none.
        userHandle: { type: 'string', max: 88, optional: true, nullable: true },
      },
    },
  },
} as const;

interface Credential {
  id: string;
  rawId: string;
  type: 'public-key';
}

export interface PasskeyAttestation extends Credential {
  response: { clientDataJSON: string; attestationObject: string; transports?: string[] };
}

export interface PasskeyAssertion extends Credential {
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string | null };
}

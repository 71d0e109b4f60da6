import type { PasskeyCreation, PasskeyRequest } from '../../../clients/typescript/src/api.ts';

/** Bytes of a text in base64url (RFC 4648 section 5). */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}

/** The text of bytes in base64url. */
export function textOf(bytes: ArrayBuffer): string {
  const binary = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

type Descriptor = PasskeyRequest['options']['allowCredentials'][number];

const descriptorOf = ({ id, transports }: Descriptor): PublicKeyCredentialDescriptor => ({
  id: bytesOf(id),
  type: 'public-key',
  transports: transports as AuthenticatorTransport[],
});

/** What `navigator.credentials.create` takes, which has bytes where JSON has texts. */
export const creationOf = (options: PasskeyCreation['options']): PublicKeyCredentialCreationOptions => ({
  ...options,
  challenge: bytesOf(options.challenge),
  user: { ...options.user, id: bytesOf(options.user.id) },
  excludeCredentials: options.excludeCredentials.map(descriptorOf),
});

/** The same for `navigator.credentials.get`. */
export const requestOf = (options: PasskeyRequest['options']): PublicKeyCredentialRequestOptions => ({
  ...options,
  challenge: bytesOf(options.challenge),
  allowCredentials: options.allowCredentials.map(descriptorOf),
});

/** A new passkey as the API takes it. */
export function attestationOf({ rawId, response }: PublicKeyCredential) {
  const { clientDataJSON, attestationObject, getTransports } = response as AuthenticatorAttestationResponse;
  const transports = getTransports === undefined ? [] : getTransports.call(response);
  return {
    ...credentialOf(rawId),
    response: {
      clientDataJSON: textOf(clientDataJSON),
      attestationObject: textOf(attestationObject),
      transports: transports.slice(0, MAX_TRANSPORTS),
    },
  };
}
const MAX_TRANSPORTS = 10;

/** The answer of a passkey as the API takes it. */
export function assertionOf({ rawId, response }: PublicKeyCredential) {
  const { clientDataJSON, authenticatorData, signature, userHandle } = response as AuthenticatorAssertionResponse;
  return {
    ...credentialOf(rawId),
    response: {
      clientDataJSON: textOf(clientDataJSON),
      authenticatorData: textOf(authenticatorData),
      signature: textOf(signature),
      userHandle: userHandle === null ? null : textOf(userHandle),
    },
  };
}

const credentialOf = (rawId: ArrayBuffer) => {
  const id = textOf(rawId);
  return { id, rawId: id, type: 'public-key' as const };
};

/** What browsers call their refusals (WebAuthn Level 3, sections 5.1.3 and 5.1.4), and what a person can do. */
const SENTENCES: Readonly<Record<string, string>> = {
  NotAllowedError: 'The passkey was not used: the request was cancelled, or took too long. Try again.',
  InvalidStateError: 'This device has a passkey of your account already.',
  SecurityError:
    'Passkeys do not work at this address. Open the console at the address of your installation, by its name and over HTTPS.',
  NotSupportedError:
    'This device has no passkeys of a kind that can be used here. Use another device or a security key.',
  ConstraintError: 'This device cannot verify you. Set up a screen lock or a PIN, then try again.',
};

/** The sentence for a refusal of the browser; other errors say themselves what is wrong. */
export function passkeyFault(error: unknown): Error {
  if (error instanceof DOMException) {
    const sentence = SENTENCES[error.name];
    return sentence === undefined ? error : new Error(sentence, { cause: error });
  }
  return error instanceof Error ? error : new Error(String(error));
}

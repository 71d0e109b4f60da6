import type { PasskeyCreation, PasskeyRequest } from '../api/client';
import { assertionOf, attestationOf, creationOf, passkeyFault, requestOf } from '../model/passkeys';

/** An IP address is no relying party (WebAuthn Level 3, section 4: the RP ID is a domain). */
const IP_ADDRESS = /^(?:[\d.]+|\[.*\])$/;

/** False where the browser has no passkeys, the page has not come over HTTPS, or its address has no name. */
export const hasPasskeys = (): boolean => 'PublicKeyCredential' in globalThis && !IP_ADDRESS.test(location.hostname);

/** A request of this page that waits, if any: the browser takes one at a time. */
let waiting: AbortController | null = null;

function onlyOne(): AbortSignal {
  waiting?.abort();
  waiting = new AbortController();
  return waiting.signal;
}

/** Ends a request that waits for a passkey in a field. */
export const stopPasskey = (): void => {
  waiting?.abort();
  waiting = null;
};

/** Makes a passkey on this device. @throws Error with a sentence for people */
export async function createPasskey({ options }: Pick<PasskeyCreation, 'options'>) {
  try {
    const made = await navigator.credentials.create({ publicKey: creationOf(options), signal: onlyOne() });
    return attestationOf(made as PublicKeyCredential);
  } catch (error) {
    throw passkeyFault(error);
  }
}

/**
 * Asks for a passkey; `conditional`: among the suggestions of the field with `webauthn`, without a dialog.
 * @throws Error with a sentence for people
 */
export async function askPasskey({ options }: Pick<PasskeyRequest, 'options'>, mediation?: 'conditional') {
  try {
    const found = await navigator.credentials.get({
      publicKey: requestOf(options),
      signal: onlyOne(),
      ...(mediation && { mediation }),
    });
    return assertionOf(found as PublicKeyCredential);
  } catch (error) {
    throw passkeyFault(error);
  }
}

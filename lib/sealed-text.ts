import type { Json } from './json';
import type { Keyring } from './keyring';

const MAX_CHARACTERS = 8_192;
const TEXT = /^([0-9a-f]{16})\.([A-Za-z0-9_-]+)$/;

/** Encrypts values for clients to hold and return: they cannot be read or forged, and they expire. */
export class SealedTexts {
  constructor(private readonly keyring: Keyring) {}

  /** `keyId.bytes`, the latter in base64url: fit for cookies and URLs. A value of one `kind` is rejected as another. */
  seal(kind: string, value: Json, expiresAt: number): string {
    const { sealed, key_id } = this.keyring.seal(purpose(kind), JSON.stringify({ value, expires_at: expiresAt }));
    return `${key_id}.${sealed.toString('base64url')}`;
  }

  /** The decrypted value; null when the text is forged, of another kind, expired or malformed. */
  open(kind: string, text: string, now: number): Json | null {
    const [, key_id, body] = text.length > MAX_CHARACTERS ? [] : (TEXT.exec(text) ?? []);
    if (key_id === undefined || body === undefined) return null;
    const plain = this.#opened(kind, key_id, Buffer.from(body, 'base64url'));
    if (plain === null) return null;
    const { value, expires_at } = JSON.parse(plain) as { value: Json; expires_at: number };
    return expires_at > now ? value : null;
  }

  #opened(kind: string, key_id: string, sealed: Buffer): string | null {
    try {
      return this.keyring.open(purpose(kind), { sealed, key_id }).toString();
    } catch {
      // A client's text: the fault's message is meant for stored values.
      return null;
    }
  }
}

const purpose = (kind: string) => ({ purpose: `everstep ${kind}`, context: [kind], what: kind });

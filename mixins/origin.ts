import { timingSafeEqual } from 'node:crypto';
import { hmac } from '../lib/crypto';

/** Where a request came from. */
export interface Origin {
  /** The caller's address as the gateway saw it; null when nobody vouches for one. */
  readonly address: string | null;
}

/**
 * The word of the gateway, under the key that all services share, that a request came from an address. It is bound to
 * the request's id. What is signed begins with a word and a colon, which the text of a principal never has, so neither
 * can be taken for the other.
 */
export class Origins {
  /** Signs under the first key; what was signed under one of the others is taken as well. */
  constructor(
    private readonly key: Buffer,
    private readonly others: readonly Buffer[] = [],
  ) {}

  /** `mac.address`, the former in base64url. */
  sign(address: string, requestId: string): string {
    return `${macOf(this.key, address, requestId).toString('base64url')}.${address}`;
  }

  /** The address that a text vouches for; null when it is forged, of another request, or no such text at all. */
  verify(text: unknown, requestId: string): string | null {
    if (typeof text !== 'string') return null;
    const dot = text.indexOf('.');
    const address = text.slice(dot + 1);
    const given = Buffer.from(text.slice(0, Math.max(dot, 0)), 'base64url');
    const genuine = [this.key, ...this.others].some((key) => {
      const wanted = macOf(key, address, requestId);
      return given.length === wanted.length && timingSafeEqual(given, wanted);
    });
    return genuine ? address : null;
  }
}

const macOf = (key: Buffer, address: string, requestId: string): Buffer =>
  hmac(key, `origin:${JSON.stringify([requestId, address])}`);

import { randomBytes } from 'node:crypto';
import { sha256 } from '../lib/crypto';
import type { SealedTexts } from '../lib/sealed-text';
import type { BrowserCookie, BrowserVisit } from '../services/auth/contract';

/** For so long somebody may be busy at his provider. */
export const REQUEST_LIFETIME_MS = 10 * 60_000;

/** 256 random bits: ids of requests, of which a browser proves by its cookie that it made them. */
export const newRequestId = (): string => randomBytes(32).toString('base64url');

/** Where a request's cookie counts. */
export interface CookiePlace {
  /** Our own address. */
  readonly base: string;
  readonly path: string;
}

/**
 * Requests to providers live in a cookie of the browser that makes them, sealed: whoever was lured into finishing
 * somebody else's has no cookie for it, and asking costs the service no memory.
 */
export class BrowserRequests<R extends { id: string }> {
  /** `kind` says what is sealed; `cookie` is what the names of the cookies begin with. */
  constructor(
    private readonly sealed: SealedTexts,
    private readonly names: { readonly kind: string; readonly cookie: string },
  ) {}

  /** The cookie that keeps the request. */
  keep(request: R, { base, path, now }: CookiePlace & { readonly now: number }): BrowserCookie {
    const value = this.sealed.seal(this.names.kind, request, now + REQUEST_LIFETIME_MS);
    return this.#cookie(request.id, { base, path }, value, REQUEST_LIFETIME_MS / 1_000);
  }

  /** The request of that id which this browser has made; null when it has made none, or long ago. */
  find(id: string, { cookies }: BrowserVisit, now: number): R | null {
    const text = cookies[this.#nameOf(id)];
    // Sealed by us alone, so it is what `keep` was given.
    const found = (text === undefined ? null : this.sealed.open(this.names.kind, text, now)) as unknown as R | null;
    return found?.id === id ? found : null;
  }

  /** Takes the request's cookie away. */
  forgetting(id: string, place: CookiePlace): BrowserCookie {
    return this.#cookie(id, place, '', 0);
  }

  #nameOf(id: string): string {
    return `${this.names.cookie}${sha256(id).slice(0, 16)}`;
  }

  #cookie(id: string, { base, path }: CookiePlace, value: string, maxAge: number): BrowserCookie {
    return { name: this.#nameOf(id), value, path, max_age: maxAge, secure: base.startsWith('https:') };
  }
}

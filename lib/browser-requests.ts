import { randomBytes } from 'node:crypto';
import { sha256 } from './crypto';
import type { SealedTexts } from './sealed-text';

/** How long a user may take at the identity provider. */
export const REQUEST_LIFETIME_MS = 10 * 60_000;

/** A random request id (256 bits). The browser's cookie proves that it made the request. */
export const newRequestId = (): string => randomBytes(32).toString('base64url');

/** A cookie to set. */
interface BrowserCookie {
  name: string;
  value: string;
  path: string;
  /** Seconds. */
  max_age: number;
  secure: boolean;
}

/** A browser's request. */
interface BrowserVisit {
  readonly cookies: Readonly<Record<string, string>>;
}

/** Scope of the request's cookie. */
export interface CookieScope {
  /** The service's own address. */
  readonly base: string;
  readonly path: string;
}

/**
 * Stores a browser's request to a provider in an encrypted cookie of that browser. A victim tricked into finishing
 * another user's request has no cookie for it, and pending requests need no memory.
 */
export class BrowserRequests<R extends { id: string }> {
  /** `kind` binds the encryption to a purpose; `cookie` is the prefix of the cookie names. */
  constructor(
    private readonly sealed: SealedTexts,
    private readonly names: { readonly kind: string; readonly cookie: string },
  ) {}

  /** The cookie that stores the request. */
  keep(request: R, { base, path, now }: CookieScope & { readonly now: number }): BrowserCookie {
    const value = this.sealed.seal(this.names.kind, request, now + REQUEST_LIFETIME_MS);
    return this.#cookie(request.id, { base, path }, value, REQUEST_LIFETIME_MS / 1_000);
  }

  /** The request with that id; null when this browser did not make it, or it has expired. */
  find(id: string, { cookies }: BrowserVisit, now: number): R | null {
    const text = cookies[this.#nameOf(id)];
    // Encrypted by this service, so it is what `keep` stored.
    const found = (text === undefined ? null : this.sealed.open(this.names.kind, text, now)) as unknown as R | null;
    return found?.id === id ? found : null;
  }

  /** Removes the request's cookie. */
  forgetting(id: string, place: CookieScope): BrowserCookie {
    return this.#cookie(id, place, '', 0);
  }

  #nameOf(id: string): string {
    return `${this.names.cookie}${sha256(id).slice(0, 16)}`;
  }

  #cookie(id: string, { base, path }: CookieScope, value: string, maxAge: number): BrowserCookie {
    return { name: this.#nameOf(id), value, path, max_age: maxAge, secure: base.startsWith('https:') };
  }
}

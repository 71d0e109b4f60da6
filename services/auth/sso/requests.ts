import { randomBytes } from 'node:crypto';
import { sha256 } from '../../../lib/crypto';
import { isDuplicateKey } from '../../../lib/duplicate-key';
import { AppError } from '../../../lib/errors';
import type { BrowserCookie, BrowserVisit } from './contract';
import type { SsoModels } from './models';
import type { SealedTexts } from './sealed-text';

/** For so long somebody may be busy at his provider. */
export const REQUEST_LIFETIME_MS = 10 * 60_000;
const COOKIE_PREFIX = 'everstep_sign_in_';

/** A request to an OpenID provider. */
interface OidcPart {
  /** The `state`. */
  id: string;
  nonce: string;
  code_verifier: string;
  issuer: string;
  client_id: string;
  redirect_uri: string;
}

/** A sign-in under way, as the browser that began it keeps it. */
export type SignInRequest =
  | (OidcPart & { kind: 'oidc'; tenant_id: string })
  | (OidcPart & { kind: 'suite'; tenant_slug: string | null })
  | { kind: 'saml'; tenant_id: string; id: string };

type OfKind<K extends SignInRequest['kind']> = Extract<SignInRequest, { kind: K }>;

/** 256 random bits: ids of requests, of which a browser proves by its cookie that it made them. */
export const newRequestId = (): string => randomBytes(32).toString('base64url');

/**
 * Requests live in a cookie of the browser that makes them, sealed: whoever was lured into finishing somebody else's
 * has no cookie for it, and asking costs the service no memory. Each can be finished once, on whatever node.
 */
export class SignInRequests {
  constructor(
    private readonly models: Pick<SsoModels, 'signInUses'>,
    private readonly sealed: SealedTexts,
  ) {}

  /** The cookie that keeps the request. */
  keep(request: SignInRequest, at: { base: string; path: string; now: number }): BrowserCookie {
    const value = this.sealed.seal('sign-in request', { ...request }, at.now + REQUEST_LIFETIME_MS);
    return cookie(request.id, { base: at.base, path: at.path, value, maxAge: REQUEST_LIFETIME_MS / 1_000 });
  }

  /** The request of that id which this browser has made. @throws AppError sign_in_failed */
  find<K extends SignInRequest['kind']>(kind: K, id: string, { cookies }: BrowserVisit, now: number): OfKind<K> {
    const text = cookies[cookieName(id)];
    const request = text === undefined ? null : this.sealed.open('sign-in request', text, now);
    // Sealed by us alone, so it is what `keep` was given.
    const found = request as unknown as SignInRequest | null;
    if (found === null || found.kind !== kind || found.id !== id) {
      throw new AppError(
        'sign_in_failed',
        'This browser has not begun this sign-in, or took more than 10 minutes; begin again',
      );
    }
    return found as OfKind<K>;
  }

  /**
   * Takes what may be brought once. Kept for as long as it could be good, so that a second try finds it.
   * @throws AppError sign_in_failed when somebody has brought it before
   */
  async use(what: string, until: number): Promise<void> {
    try {
      await this.models.signInUses.create({ _id: sha256(what), expires_at: new Date(until) });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      throw new AppError('sign_in_failed', 'This sign-in was finished before; begin again');
    }
  }
}

/** Takes the request's cookie away. */
export const forgetting = (id: string, at: { base: string; path: string }): BrowserCookie =>
  cookie(id, { ...at, value: '', maxAge: 0 });

const cookieName = (id: string): string => `${COOKIE_PREFIX}${sha256(id).slice(0, 16)}`;

const cookie = (id: string, given: { base: string; path: string; value: string; maxAge: number }): BrowserCookie => ({
  name: cookieName(id),
  value: given.value,
  path: given.path,
  max_age: given.maxAge,
  secure: given.base.startsWith('https:'),
});

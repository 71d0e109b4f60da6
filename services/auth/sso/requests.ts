import { AppError } from '../../../lib/errors';
import type { SealedTexts } from '../../../lib/sealed-text';
import { BrowserRequests, type CookieScope } from '../../../lib/browser-requests';
import { consumeOnce } from '../../../lib/nonce-store';
import type { BrowserCookie, BrowserVisit } from '../../../contracts/auth/sso';
import type { SsoModels } from './models';

/** A request to an OpenID provider. */
interface OidcRequestState {
  /** The `state`. */
  id: string;
  nonce: string;
  code_verifier: string;
  issuer: string;
  client_id: string;
  redirect_uri: string;
}

/** Of a test of the settings, which signs no user in. */
interface OfTest {
  test_id?: string;
}

/** A pending sign-in, stored in a cookie of its browser. */
type SignInRequest =
  | (OidcRequestState & OfTest & { kind: 'oidc'; tenant_id: string })
  | (OidcRequestState & { kind: 'suite'; tenant_slug: string | null })
  | (OfTest & { kind: 'saml'; tenant_id: string; id: string });

type OfKind<K extends SignInRequest['kind']> = Extract<SignInRequest, { kind: K }>;

/** Pending sign-ins. Each can be finished once, on any node. */
export class SignInRequests {
  readonly #requests: BrowserRequests<SignInRequest>;

  constructor(
    private readonly models: Pick<SsoModels, 'signInUses'>,
    sealed: SealedTexts,
  ) {
    this.#requests = new BrowserRequests(sealed, { kind: 'sign-in request', cookie: 'everstep_sign_in_' });
  }

  cookieFor(request: SignInRequest, at: CookieScope & { now: number }): BrowserCookie {
    return this.#requests.keep(request, at);
  }

  clearCookie(id: string, at: CookieScope): BrowserCookie {
    return this.#requests.forgetting(id, at);
  }

  /** The test to which a request of this browser belongs; null for a sign-in, and without such a request. */
  testOf(id: string, visit: BrowserVisit, now: number): string | null {
    const found = this.#requests.find(id, visit, now);
    return found !== null && found.kind !== 'suite' ? (found.test_id ?? null) : null;
  }

  /** Returns the pending request of this browser. @throws AppError sign_in_failed */
  find<K extends SignInRequest['kind']>(kind: K, id: string, visit: BrowserVisit, now: number): OfKind<K> {
    const found = this.#requests.find(id, visit, now);
    if (found?.kind !== kind) {
      throw new AppError(
        'sign_in_failed',
        'This browser has not started this sign-in, or it took more than 10 minutes; start again',
      );
    }
    return found as OfKind<K>;
  }

  /**
   * Consumes a one-time id. It is stored until `until` (epoch milliseconds), when the id is invalid anyway.
   * @throws AppError sign_in_failed if it was consumed before
   */
  async consume(what: string, until: number): Promise<void> {
    if (await consumeOnce(this.models.signInUses, what, until)) return;
    throw new AppError('sign_in_failed', 'This sign-in was finished before; start again');
  }
}

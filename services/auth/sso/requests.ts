import { AppError } from '../../../lib/errors';
import type { SealedTexts } from '../../../lib/sealed-text';
import { BrowserRequests, type CookiePlace } from '../../../lib/browser-requests';
import { consumeOnce } from '../../../lib/nonce-store';
import type { BrowserCookie, BrowserVisit } from '../../../contracts/auth/sso';
import type { SsoModels } from './models';

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
type SignInRequest =
  | (OidcPart & { kind: 'oidc'; tenant_id: string })
  | (OidcPart & { kind: 'suite'; tenant_slug: string | null })
  | { kind: 'saml'; tenant_id: string; id: string };

type OfKind<K extends SignInRequest['kind']> = Extract<SignInRequest, { kind: K }>;

/** Sign-ins under way. Each can be finished once, on whatever node. */
export class SignInRequests {
  readonly #kept: BrowserRequests<SignInRequest>;

  constructor(
    private readonly models: Pick<SsoModels, 'signInUses'>,
    sealed: SealedTexts,
  ) {
    this.#kept = new BrowserRequests(sealed, { kind: 'sign-in request', cookie: 'everstep_sign_in_' });
  }

  /** The cookie that keeps the request. */
  keep(request: SignInRequest, at: CookiePlace & { now: number }): BrowserCookie {
    return this.#kept.keep(request, at);
  }

  /** Takes the request's cookie away. */
  forgetting(id: string, at: CookiePlace): BrowserCookie {
    return this.#kept.forgetting(id, at);
  }

  /** The request of that id which this browser has made. @throws AppError sign_in_failed */
  find<K extends SignInRequest['kind']>(kind: K, id: string, visit: BrowserVisit, now: number): OfKind<K> {
    const found = this.#kept.find(id, visit, now);
    if (found?.kind !== kind) {
      throw new AppError(
        'sign_in_failed',
        'This browser has not begun this sign-in, or took more than 10 minutes; begin again',
      );
    }
    return found as OfKind<K>;
  }

  /**
   * Takes what may be brought once. Kept for as long as it could be good, so that a second try finds it.
   * @throws AppError sign_in_failed when it was used before
   */
  async use(what: string, until: number): Promise<void> {
    if (await consumeOnce(this.models.signInUses, what, until)) return;
    throw new AppError('sign_in_failed', 'This sign-in was finished before; begin again');
  }
}

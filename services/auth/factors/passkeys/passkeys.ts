import type { PasskeyAssertion, PasskeyAttestation } from '../../../../contracts/auth/passkey-credential';
import type { PasskeyCreation, PasskeyRequest } from '../../../../contracts/auth/passkeys';
import { AppError } from '../../../../lib/errors';
import { randomId } from '../../../../lib/ids';
import { consumeOnce } from '../../../../lib/nonce-store';
import { SealedTexts } from '../../../../lib/sealed-text';
import type { AuthDeps } from '../../deps';
import type { UserDoc } from '../../models';
import type { PasskeyFactor } from '../models';
import { tooLate } from '../refusals';
import { challengeIn, creationOptions, handleOf, requestOptions } from './options';
import { type RelyingParty, relyingPartyOf } from './relying-party';
import { PasskeyStore } from './store';
import { invalidPasskey, verifyAssertion, verifyRegistration } from './verify';

const CHALLENGE_LIFETIME_MS = 5 * 60_000;
const ENROLMENT_LIFETIME_MS = 15 * 60_000;
const ENROLMENT = 'passkey enrolment';
const CONFIRMATION = 'passkey confirmation';
const SIGN_IN = 'passkey sign-in';

/** Whose passkeys alone a sign-in takes; those of all accounts where none is named. */
interface SignInAccount {
  readonly tenant_slug?: string | undefined;
  readonly email?: string | undefined;
}

/** What is sealed in an enrolment and in a confirmation. */
interface OfUser {
  readonly [name: string]: string;
  readonly id: string;
  readonly user_id: string;
}

type UserVerification = PasskeyRequest['options']['userVerification'];

/** Passkeys as second factor, and as a sign-in of their own. Every challenge is sealed, expires, and works once. */
export class Passkeys {
  readonly store: PasskeyStore;
  readonly #sealed: SealedTexts;
  readonly #party: RelyingParty | null;

  constructor(private readonly deps: Pick<AuthDeps, 'app' | 'models' | 'membership' | 'tenantOf'>) {
    this.store = new PasskeyStore(deps.models);
    this.#sealed = new SealedTexts(deps.app.keyring);
    this.#party = relyingPartyOf(deps.app.config);
  }

  get isAvailable(): boolean {
    return this.#party !== null;
  }

  get #now(): number {
    return this.deps.app.clock.now();
  }

  /** @throws AppError provider_not_configured */
  #required(): RelyingParty {
    if (this.#party !== null) return this.#party;
    throw new AppError(
      'provider_not_configured',
      'Browsers offer passkeys only to pages that have a name and come over HTTPS: BASE_URL, or FRONTEND_URL, must be such an address',
    );
  }

  /** @throws AppError conflict at the limit */
  beginEnrolment(user: UserDoc, tenantSlug: string): PasskeyCreation {
    const party = this.#required();
    this.store.assertRoom(user);
    const [enrolment, expires_at] = this.#sealOf(ENROLMENT, user, ENROLMENT_LIFETIME_MS);
    return { enrolment, options: creationOptions(party, enrolment, { user, tenantSlug }), expires_at };
  }

  /** The checked passkey of an enrolment. @throws AppError invalid_passkey, sign_in_failed */
  async confirmed(
    user: UserDoc,
    enrolment: string,
    credential: PasskeyAttestation,
    name: string,
  ): Promise<PasskeyFactor> {
    const party = this.#required();
    await this.#consumeOf(ENROLMENT, enrolment, user, ENROLMENT_LIFETIME_MS);
    const challenge = challengeIn(enrolment);
    const stored = await verifyRegistration(this.#laneOf(user), { party, challenge, credential });
    return { id: randomId(), name, ...stored, created_at: new Date(this.#now), last_used_at: null };
  }

  /** What a browser needs to answer a challenge of a user. @throws AppError not_found without a passkey */
  request(
    { passkeys = [] }: UserDoc,
    challenge: string,
    expires_at: string,
    verification: UserVerification,
  ): PasskeyRequest {
    const party = this.#required();
    if (passkeys.length === 0) throw new AppError('not_found', 'This account has no passkey');
    return { challenge, options: requestOptions(party, challenge, passkeys, verification), expires_at };
  }

  beginConfirmation(user: UserDoc): PasskeyRequest {
    return this.request(user, ...this.#sealOf(CONFIRMATION, user, CHALLENGE_LIFETIME_MS), 'required');
  }

  /** @throws AppError invalid_passkey, sign_in_failed */
  async confirm(user: UserDoc, challenge: string, credential: PasskeyAssertion): Promise<void> {
    await this.#consumeOf(CONFIRMATION, challenge, user, CHALLENGE_LIFETIME_MS);
    await this.use(user, challenge, credential, 'required');
  }

  beginSignIn({ tenant_slug = '', email = '' }: SignInAccount): PasskeyRequest {
    const party = this.#required();
    const expiresAt = this.#now + CHALLENGE_LIFETIME_MS;
    const challenge = this.#sealed.seal(SIGN_IN, { id: randomId(), tenant_slug, email }, expiresAt);
    const options = requestOptions(party, challenge, [], 'required');
    return { challenge, options, expires_at: new Date(expiresAt).toISOString() };
  }

  /**
   * The user of a passkey that signs in alone, which the authenticator has verified. `failed` gets the user of a
   * passkey that is refused. @throws AppError invalid_passkey, sign_in_failed, forbidden
   */
  async signIn(challenge: string, credential: PasskeyAssertion, failed: (user: UserDoc) => void) {
    this.#required();
    const attempt = this.#sealed.open(SIGN_IN, challenge, this.#now) as
      | (Required<SignInAccount> & { id: string })
      | null;
    if (attempt === null) throw tooLate();
    await this.#consume(attempt.id, CHALLENGE_LIFETIME_MS);
    const user = await this.#ownerOf(credential.id);
    if (user === null) throw invalidPasskey('it is not known here; it was removed, or belongs to another address');
    try {
      if (credential.response.userHandle?.replace(/=+$/, '') !== handleOf(user))
        throw invalidPasskey('it does not name the account that it was made for');
      await this.#assertAccount(user, attempt);
      const passkey = await this.use(user, challenge, credential, 'required');
      assertCounts(user, passkey);
      return { user, passkey };
    } catch (error) {
      failed(user);
      throw error;
    }
  }

  /** Checks the answer of one of the user's passkeys to a sealed challenge. @throws AppError invalid_passkey */
  async use(
    user: UserDoc,
    sealed: string,
    credential: PasskeyAssertion,
    verification: UserVerification,
  ): Promise<PasskeyFactor> {
    const party = this.#required();
    const stored = (user.passkeys ?? []).find(({ credential_id }) => credential_id === credential.id);
    if (stored === undefined) throw invalidPasskey('it is none of this account');
    const use = await verifyAssertion(this.#laneOf(user), {
      party,
      challenge: challengeIn(sealed),
      credential,
      stored,
      verifiesUser: verification === 'required',
    });
    if (!(await this.store.keepUse(user, stored, use, this.#now)))
      throw invalidPasskey('it was removed, or used elsewhere at the same moment');
    return stored;
  }

  async #ownerOf(credentialId: string): Promise<UserDoc | null> {
    const found = await this.store.ownerOf(credentialId);
    return found === null ? null : ((await this.deps.membership.find(found.tenant_id, found._id))?.user ?? null);
  }

  /** @throws AppError invalid_passkey when the sign-in is for another account */
  async #assertAccount(user: UserDoc, { tenant_slug, email }: Required<SignInAccount>): Promise<void> {
    const tenant = await this.deps.tenantOf(user.tenant_id);
    if ((tenant_slug || tenant.slug) === tenant.slug && (email || user.email) === user.email) return;
    throw invalidPasskey('it is for another account than the one that signs in here');
  }

  #sealOf(kind: string, { _id }: UserDoc, lifetimeMs: number): [text: string, expiresAt: string] {
    const expiresAt = this.#now + lifetimeMs;
    const content: OfUser = { id: randomId(), user_id: _id };
    return [this.#sealed.seal(kind, content, expiresAt), new Date(expiresAt).toISOString()];
  }

  /** Uses a text of `#sealOf` up. @throws AppError sign_in_failed */
  async #consumeOf(kind: string, text: string, { _id }: UserDoc, lifetimeMs: number): Promise<void> {
    const found = this.#sealed.open(kind, text, this.#now) as OfUser | null;
    if (found === null || found.user_id !== _id) throw tooLate();
    await this.#consume(found.id, lifetimeMs);
  }

  async #consume(id: string, lifetimeMs: number): Promise<void> {
    if (!(await consumeOnce(this.deps.models.signInUses, `passkey ${id}`, this.#now + lifetimeMs))) throw tooLate();
  }

  /** A lane of their own: attempts to sign in must not delay the tenant's runs. */
  #laneOf({ tenant_id }: UserDoc) {
    return this.deps.app.compute.lane(`passkey:${tenant_id}`);
  }
}

/**
 * Who has registered with the address of another person must not keep a way in when that person confirms it. As second
 * factor the passkey still counts. @throws AppError forbidden
 */
function assertCounts({ credentials_valid_from: since }: UserDoc, { created_at }: PasskeyFactor): void {
  if (since === undefined || since === null || created_at.getTime() > since.getTime()) return;
  throw new AppError(
    'forbidden',
    'This passkey was added before the e-mail address of the account was confirmed: sign in with the password and the passkey, then remove it and add it again',
  );
}

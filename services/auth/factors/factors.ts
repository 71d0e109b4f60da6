import { AppError } from '../../../lib/errors';
import { randomId } from '../../../lib/ids';
import { consumeOnce } from '../../../lib/nonce-store';
import { SealedTexts } from '../../../lib/sealed-text';
import { ofTenant } from '../../../lib/tenant';
import type { PasskeyAssertion } from '../../../contracts/auth/passkey-credential';
import type { SecondFactorMethod } from '../../../contracts/auth/second-factor';
import { AttemptLimiter } from '../attempt-limiter';
import type { SessionStart, UserDoc } from '../models';
import type { AuthDeps } from '../deps';
import { hasPasskey, hasTotp, NO_FACTORS, WITHOUT_PASSKEY } from './models';
import { hashedCodes, newRecoveryCodes, recoveryHash } from './recovery-codes';
import { lastFactor, tooLate } from './refusals';
import { newTotp, openTotp, sealTotp, stepOf } from './totp';

const CHALLENGE_LIFETIME_MS = 5 * 60_000;
const ENROLMENT_LIFETIME_MS = 15 * 60_000;
const CHALLENGE = 'second factor challenge';
const ENROLMENT = 'totp enrolment';

/** What a person shows of a second factor: one of them. */
interface FactorProof {
  readonly code?: string;
  readonly recovery_code?: string;
  readonly passkey?: PasskeyAssertion;
}

/** Where a proof comes from. A passkey signs a challenge: that of the sign-in, or one of `begin_passkey_confirmation`. */
interface ProofContext {
  readonly kind: 'sign-in' | 'confirmation';
  readonly address: string;
  readonly challenge: string;
}

/** A sign-in that lacks its second factor, sealed: its bearer holds it, and it needs no memory. */
interface Challenge {
  readonly [name: string]: string | number;
  readonly id: string;
  readonly user_id: string;
  readonly tenant_id: string;
  readonly via: SessionStart;
  readonly began: number;
}

/** A sign-in to be completed by a second factor. */
interface OpenChallenge {
  readonly id: string;
  readonly via: SessionStart;
  readonly user: UserDoc;
  readonly expiresAt: number;
}

/** Second factors of users: authenticator apps, passkeys and recovery codes. */
export class SecondFactors {
  readonly #sealed: SealedTexts;
  /** Guesses of codes, by user: a challenge may be asked for as often as the password is known. */
  readonly #attempts: AttemptLimiter;

  constructor(private readonly parts: AuthDeps) {
    const { keyring, shared } = parts.app;
    this.#sealed = new SealedTexts(keyring);
    this.#attempts = new AttemptLimiter(
      { name: 'factor', perPair: 10, perAddress: 100, perAccount: 20, words: 'Too many wrong codes' },
      shared,
    );
  }

  get #now(): number {
    return this.parts.app.clock.now();
  }

  /** The error by which a sign-in asks for the second factor of its user. */
  challenge(user: UserDoc, via: SessionStart): AppError {
    const now = this.#now;
    const expiresAt = now + CHALLENGE_LIFETIME_MS;
    const content: Challenge = { id: randomId(), user_id: user._id, tenant_id: user.tenant_id, via, began: now };
    const second_factor = {
      challenge: this.#sealed.seal(CHALLENGE, content, expiresAt),
      methods: methodsOf(user),
      expires_at: new Date(expiresAt).toISOString(),
    };
    return new AppError(
      'second_factor_challenge',
      'This account has a second factor: send the challenge with a code or a passkey to POST /api/v1/auth/second-factor',
      { body: { second_factor } },
    );
  }

  /** The sign-in of a challenge. What ends the sessions of its user ends it, too. @throws AppError sign_in_failed */
  async open(text: string): Promise<OpenChallenge> {
    // Sealed by `challenge` alone.
    const found = this.#sealed.open(CHALLENGE, text, this.#now) as unknown as Challenge | null;
    const member = found === null ? null : await this.parts.membership.find(found.tenant_id, found.user_id);
    if (found === null || member === null) throw tooLate();
    if (found.began < (member.user.sessions_valid_from?.getTime() ?? 0)) throw tooLate();
    return { id: found.id, via: found.via, user: member.user, expiresAt: found.began + CHALLENGE_LIFETIME_MS };
  }

  /** Completes a challenge, once: of two at the same time one succeeds. @throws AppError sign_in_failed */
  async close({ id }: OpenChallenge): Promise<void> {
    const until = this.#now + CHALLENGE_LIFETIME_MS;
    if (!(await consumeOnce(this.parts.models.signInUses, `challenge ${id}`, until))) throw tooLate();
  }

  /** Checks a code and uses it up, or a passkey. @throws AppError invalid_code, invalid_passkey, rate_limited */
  async check(user: UserDoc, proof: FactorProof, context: ProofContext): Promise<SecondFactorMethod> {
    const succeeded = await this.#attempts.admit(user._id, context.address, this.#now);
    const method = await this.#used(user, proof, context);
    if (method === null) throw new AppError('invalid_code', 'The code is wrong, has expired or was used before');
    succeeded();
    return method;
  }

  async #used(user: UserDoc, proof: FactorProof, context: ProofContext): Promise<SecondFactorMethod | null> {
    const { code, recovery_code, passkey } = proof;
    if (passkey !== undefined) return this.#usePasskey(user, passkey, context);
    if (code !== undefined) return (await this.#useCode(user, code)) ? 'totp' : null;
    if (recovery_code !== undefined) return (await this.#useRecoveryCode(user, recovery_code)) ? 'recovery_code' : null;
    throw new AppError('invalid_request', 'Send a `code`, a `recovery_code` or a `passkey`');
  }

  async #usePasskey(user: UserDoc, passkey: PasskeyAssertion, context: ProofContext): Promise<SecondFactorMethod> {
    const { passkeys } = this.parts;
    // The password was shown already, so the presence of its user is enough.
    if (context.kind === 'sign-in') await passkeys.use(user, context.challenge, passkey, 'preferred');
    else await passkeys.confirm(user, context.challenge, passkey);
    return 'passkey';
  }

  /** One conditional write: a code is accepted once, and none of an earlier step after it. */
  async #useCode(user: UserDoc, code: string): Promise<boolean> {
    const { totp } = user;
    if (totp === undefined || totp === null) return false;
    const step = await stepOf(openTotp(this.parts.app.keyring, user._id, totp), code, this.#now);
    if (step === null) return false;
    const seen = { _id: user._id, 'totp.enrolled_at': totp.enrolled_at, 'totp.last_step': { $lt: step } };
    const users = ofTenant(this.parts.models.users, user.tenant_id);
    return (await users.update(seen, { $set: { 'totp.last_step': step } })) !== null;
  }

  async #useRecoveryCode(user: UserDoc, code: string): Promise<boolean> {
    const hash = recoveryHash(user._id, code);
    const users = ofTenant(this.parts.models.users, user.tenant_id);
    return (await users.update({ _id: user._id, recovery_codes: hash }, { $pull: { recovery_codes: hash } })) !== null;
  }

  /** A secret that counts once its first code is confirmed; the enrolment holds it until then. */
  async beginTotp(user: UserDoc, tenantSlug: string) {
    if (hasTotp(user)) throw alreadyEnrolled();
    const { secret, uri } = await newTotp({ tenant: tenantSlug, email: user.email });
    const expiresAt = this.#now + ENROLMENT_LIFETIME_MS;
    const enrolment = this.#sealed.seal(ENROLMENT, { user_id: user._id, secret }, expiresAt);
    return { secret, uri, enrolment, expires_at: new Date(expiresAt).toISOString() };
  }

  /** The secret and the step of a confirmed enrolment. @throws AppError invalid_code, sign_in_failed, rate_limited */
  async confirmed(user: UserDoc, enrolment: string, code: string, address: string) {
    const succeeded = await this.#attempts.admit(`enrolment\n${user._id}`, address, this.#now);
    const found = this.#sealed.open(ENROLMENT, enrolment, this.#now) as { user_id: string; secret: string } | null;
    if (found === null || found.user_id !== user._id) throw tooLate();
    const step = await stepOf(found.secret, code, this.#now);
    if (step === null) throw new AppError('invalid_code', 'The code is not the one of this secret; check the clock');
    succeeded();
    return { secret: found.secret, step };
  }

  /** Stores a confirmed secret; recovery codes come with the first factor. @throws AppError conflict */
  async enrolTotp(user: UserDoc, { secret, step }: { secret: string; step: number }): Promise<string[] | null> {
    const sealed = sealTotp(this.parts.app.keyring, user._id, secret);
    const totp = { ...sealed, enrolled_at: new Date(this.#now), last_step: step };
    const codes = (user.recovery_codes ?? []).length === 0 ? newRecoveryCodes() : null;
    const users = ofTenant(this.parts.models.users, user.tenant_id);
    const enrolled = await users.update(
      { _id: user._id, totp: null },
      { $set: { totp, ...(codes === null ? {} : { recovery_codes: hashedCodes(user, codes) }) } },
    );
    if (enrolled === null) throw alreadyEnrolled();
    return codes;
  }

  /** Replaces the recovery codes. */
  async renewRecoveryCodes(user: UserDoc): Promise<string[]> {
    const codes = newRecoveryCodes();
    const users = ofTenant(this.parts.models.users, user.tenant_id);
    await users.update({ _id: user._id }, { $set: { recovery_codes: hashedCodes(user, codes) } });
    return codes;
  }

  /** Removes the authenticator app; the recovery codes go with the last factor. @throws AppError conflict */
  async removeTotp(user: UserDoc, mayLack: boolean): Promise<void> {
    const users = ofTenant(this.parts.models.users, user.tenant_id);
    const others = { _id: user._id, 'passkeys.0': { $exists: true } };
    if ((await users.update(others, { $unset: { totp: 1 } })) !== null) return;
    if (!mayLack) throw lastFactor();
    const none = { _id: user._id, ...WITHOUT_PASSKEY };
    if ((await users.update(none, { $unset: { totp: 1, recovery_codes: 1 } })) !== null) return;
    await users.update({ _id: user._id }, { $unset: { totp: 1 } });
  }

  /** Removes all second factors of a user. */
  async removeAll(tenantId: string, userId: string): Promise<void> {
    await ofTenant(this.parts.models.users, tenantId).update({ _id: userId }, { $unset: NO_FACTORS });
  }
}

/** What a user can show, the usual one first. */
export const methodsOf = (user: UserDoc): SecondFactorMethod[] => [
  ...(hasPasskey(user) ? (['passkey'] as const) : []),
  ...(hasTotp(user) ? (['totp'] as const) : []),
  ...((user.recovery_codes ?? []).length === 0 ? [] : (['recovery_code'] as const)),
];

const alreadyEnrolled = (): AppError =>
  new AppError('conflict', 'This account has an authenticator app already; remove it first');

import { randomBytes } from 'node:crypto';
import { sha256 } from '../../../lib/crypto';
import { AppError } from '../../../lib/errors';
import { ofTenant } from '../../../lib/tenant';
import type { AuthModels, MailTokenDoc, UserDoc } from '../models';

type Purpose = MailTokenDoc['purpose'];

/** For how long the link of a mail works. */
const LIFETIME_MS: Readonly<Record<Purpose, number>> = {
  password_reset: 3_600_000,
  verify_email: 3 * 86_400_000,
};

/** 256 random bits, in 43 characters that need no quoting in a link. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** The token of a mail does not work: unknown, used, expired or replaced by a newer one. */
export const deadToken = (): AppError =>
  new AppError('invalid_token', 'The link does not work: it has expired, was used already, or a newer one was sent');

/** Tokens that are mailed: each for one act, once, and only the newest of a kind. Stored as SHA-256. */
export class MailTokens {
  constructor(private readonly models: AuthModels) {}

  /** A new token; earlier ones for the same end are void. */
  async issue(user: UserDoc, purpose: Purpose, now: number): Promise<string> {
    const tokens = ofTenant(this.models.mailTokens, user.tenant_id);
    await tokens.remove({ user_id: user._id, purpose });
    const token = newToken();
    await tokens.insert({
      _id: sha256(token),
      user_id: user._id,
      purpose,
      email: user.email,
      created_at: new Date(now),
      expires_at: new Date(now + LIFETIME_MS[purpose]),
    });
    return token;
  }

  /** Whose token it is, without using it up. @throws AppError invalid_token */
  async look(token: string, purpose: Purpose, now: number): Promise<UserDoc> {
    const found = await this.models.mailTokens.findOne(valid(token, purpose, now)).lean();
    return this.#bearer(found);
  }

  /** Uses the token up; of two who try at once, one succeeds. @throws AppError invalid_token */
  async redeem(token: string, purpose: Purpose, now: number): Promise<UserDoc> {
    const found = await this.models.mailTokens.findOneAndDelete(valid(token, purpose, now)).lean();
    return this.#bearer(found);
  }

  /** The user, while the address is still the one that the mail went to. */
  async #bearer(found: MailTokenDoc | null): Promise<UserDoc> {
    if (found === null) throw deadToken();
    const user = await ofTenant(this.models.users, found.tenant_id).findOne({ _id: found.user_id });
    if (user === null || user.email !== found.email) throw deadToken();
    return user;
  }
}

const valid = (token: string, purpose: Purpose, now: number) => ({
  _id: sha256(token),
  purpose,
  expires_at: { $gt: new Date(now) },
});

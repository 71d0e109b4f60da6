import { errorCode } from '../../lib/errors';
import { AttemptLimiter } from './attempt-limiter';

/** Why a mail is sent. `notice`: something has happened to the account. */
export type MailCause = 'verification' | 'invitation' | 'password_reset' | 'notice';

/**
 * Mails to one mailbox in a quarter of an hour, from all tenants. Unauthenticated callers cause verifications, by registering, and
 * invitations: together with the others they stay below the total, so that they use up no other cause's mails.
 */
const MAX_MAILS: Readonly<Record<MailCause, number>> = {
  verification: 5,
  invitation: 10,
  password_reset: 10,
  notice: 10,
};
const MAX_MAILS_OF_ALL_CAUSES = 30;

const limiter = (max: number): AttemptLimiter =>
  new AttemptLimiter({ name: 'mailbox', perPair: max, perAddress: max, words: 'Too many mails' });

/** Bounds the mails to a mailbox, in this process. */
export class MailboxLimiter {
  readonly #all = limiter(MAX_MAILS_OF_ALL_CAUSES);
  readonly #causes: Readonly<Record<MailCause, AttemptLimiter>> = {
    verification: limiter(MAX_MAILS.verification),
    invitation: limiter(MAX_MAILS.invitation),
    password_reset: limiter(MAX_MAILS.password_reset),
    notice: limiter(MAX_MAILS.notice),
  };

  /** Counts a mail; false when the mailbox has had too many. */
  admits(cause: MailCause, mailbox: string, now: number): boolean {
    try {
      // A mail over the bound of its cause must not count against the other causes.
      for (const each of [this.#causes[cause], this.#all]) each.admitLocally('', mailbox.toLowerCase(), now);
      return true;
    } catch (fault) {
      if (errorCode(fault) !== 'rate_limited') throw fault;
      return false;
    }
  }
}

import { hasProvenEmail } from './organizations/ownership';
import type { UserDoc } from './models';

/** What of a credential decides about it; null for an API key. */
interface SessionFacts {
  /** Whether an identity provider of the tenant has signed the user in. */
  readonly sso: boolean;
  readonly mustEnrol: boolean;
}

/**
 * Whether a credential acts for an operator: a session of an account whose address is in OPERATORS and has been confirmed
 * by its owner. Nothing that a tenant decides counts, so neither API keys, nor its identity provider, nor its roles. Pure.
 */
export const isOperator = (operators: readonly string[], user: UserDoc, session: SessionFacts | null): boolean =>
  session !== null && !session.sso && !session.mustEnrol && operators.includes(user.email) && hasProvenEmail(user);

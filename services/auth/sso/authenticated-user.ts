import { sha256 } from '../../../lib/crypto';
import { AppError } from '../../../lib/errors';
import type { Json, JsonObject } from '../../../lib/json';
import { parseMailAddress } from '../../../lib/mail-address';

/** A user that a provider has authenticated. */
export interface AuthenticatedUser {
  /** The stable id of the user at the provider; see `subjectOf`. */
  readonly subject: string;
  readonly email: string;
  /** The values that role mappings match. */
  readonly values: readonly string[];
}

const MAX_SUBJECT_CHARS = 255;
const GOOGLE = /^(?:https:\/\/)?accounts\.google\.com$/;

/**
 * The user of verified ID token claims. Accounts are found by e-mail address, so the provider must have verified it:
 * otherwise a user who can edit the address could impersonate another one.
 * @throws AppError sign_in_refused
 */
export function userOfClaims(claims: JsonObject, roleClaim: string | null): AuthenticatedUser {
  const { sub, email } = claims;
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT_CHARS) {
    throw refused('The identity provider sent no valid `sub` claim');
  }
  const address = normalizeAddress(email);
  if (address === null) {
    throw refused(
      'The identity provider sent no e-mail address: configure it to send the claim `email` (scope `email`)',
    );
  }
  if (!isVerifiedAddress(claims, address)) {
    throw refused(
      'The identity provider has not verified the e-mail address: it must send `email_verified: true` (or `xms_edov: true`)',
    );
  }
  return {
    subject: subjectOf(String(claims.iss), sub),
    email: address,
    values: roleClaim === null ? [] : valuesOf(claims, roleClaim),
  };
}

/** An id that is unique across issuers: after a change of the provider, the same `sub` is a different user. */
export const subjectOf = (issuer: string, id: string): string => sha256(JSON.stringify([issuer, id]));

/** ASCII only: homoglyphs, and letters that lower case maps to others, could match another user's account. */
const ASCII = /^[\x21-\x7e]{3,254}$/;

/** The normalized address by which accounts are stored; null when it is invalid. */
export function normalizeAddress(given: Json | undefined): string | null {
  const text = typeof given === 'string' ? given.trim() : '';
  const address = ASCII.test(text) ? text.toLowerCase() : '';
  return parseMailAddress(address)?.address === address ? address : null;
}

export const refused = (message: string): AppError => new AppError('sign_in_refused', message);

function isVerifiedAddress({ iss, email_verified, xms_edov, hd }: JsonObject, email: string): boolean {
  // Google verifies an address once. It knows the current owner only for its own domains (developers.google.com, OpenID Connect).
  if (typeof iss === 'string' && GOOGLE.test(iss)) {
    return isTrue(email_verified) && (typeof hd === 'string' || /@(?:gmail|googlemail)\.com$/.test(email));
  }
  // Entra has no `email_verified`. `xms_edov`: the directory owns the domain of the address.
  return isTrue(email_verified) || (email_verified === undefined && isTrue(xms_edov));
}

/** Some providers send booleans as strings or numbers. */
const isTrue = (value: Json | undefined): boolean => value === true || value === 'true' || value === 1 || value === '1';

function valuesOf(claims: JsonObject, name: string): string[] {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  const listed = Array.isArray(value) ? value : [value];
  return listed.filter((each): each is string => typeof each === 'string');
}

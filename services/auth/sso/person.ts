import { sha256 } from '../../../lib/crypto';
import { AppError } from '../../../lib/errors';
import type { Json, JsonObject } from '../../../lib/json';
import { parseMailAddress } from '../../../lib/mail-address';

/** Somebody for whom a provider vouches. */
export interface Person {
  /** His id at the provider, which stays when everything else changes; see `subjectOf`. */
  readonly subject: string;
  readonly email: string;
  /** What role mappings look at. */
  readonly values: readonly string[];
}

const LONGEST_SUBJECT = 255;
const GOOGLE = /^(?:https:\/\/)?accounts\.google\.com$/;

/**
 * Whom the checked claims of an ID token name. Accounts are found by the address, so it counts only where the provider
 * vouches for it: anybody who may write what he likes there would be whoever he likes.
 * @throws AppError sign_in_refused
 */
export function personOfClaims(claims: JsonObject, roleClaim: string | null): Person {
  const { sub, email } = claims;
  if (typeof sub !== 'string' || sub === '' || sub.length > LONGEST_SUBJECT) {
    throw refused('The identity provider names nobody: there is no usable `sub` claim');
  }
  const address = addressOf(email);
  if (address === null) {
    throw refused('The identity provider tells no e-mail address: let it send the claim `email` (scope `email`)');
  }
  if (!vouchesFor(claims, address)) {
    throw refused(
      'The identity provider does not vouch for the e-mail address: it must send `email_verified: true` (or `xms_edov: true`)',
    );
  }
  return {
    subject: subjectOf(String(claims.iss), sub),
    email: address,
    values: roleClaim === null ? [] : valuesOf(claims, roleClaim),
  };
}

/** An id of the one issuer and of no other: where a tenant changes its provider, the new one's `42` is somebody else. */
export const subjectOf = (issuer: string, id: string): string => sha256(JSON.stringify([issuer, id]));

/** ASCII alone: what looks like another letter, or becomes one in lower case, would name somebody else's account. */
const ASCII = /^[\x21-\x7e]{3,254}$/;

/** An address as accounts are stored by it; null when it is none. */
export function addressOf(given: Json | undefined): string | null {
  const text = typeof given === 'string' ? given.trim() : '';
  const address = ASCII.test(text) ? text.toLowerCase() : '';
  return parseMailAddress(address)?.address === address ? address : null;
}

export const refused = (message: string): AppError => new AppError('sign_in_refused', message);

function vouchesFor({ iss, email_verified, xms_edov, hd }: JsonObject, email: string): boolean {
  // Google verifies an address once; whose it is today it knows for its own domains (developers.google.com, OpenID Connect).
  if (typeof iss === 'string' && GOOGLE.test(iss)) {
    return isTrue(email_verified) && (typeof hd === 'string' || /@(?:gmail|googlemail)\.com$/.test(email));
  }
  // Entra has no `email_verified`; `xms_edov` says that the owner of the address's domain is the directory's.
  return isTrue(email_verified) || (email_verified === undefined && isTrue(xms_edov));
}

/** Some providers send booleans as texts or numbers. */
const isTrue = (value: Json | undefined): boolean => value === true || value === 'true' || value === 1 || value === '1';

function valuesOf(claims: JsonObject, name: string): string[] {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  const listed = Array.isArray(value) ? value : [value];
  return listed.filter((each): each is string => typeof each === 'string');
}

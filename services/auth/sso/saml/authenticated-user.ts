import { normalizeAddress, type AuthenticatedUser, refused, subjectOf } from '../authenticated-user';
import type { Assertion } from './response';

const FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
const MAX_SUBJECT_CHARS = 255;

/** Names of the e-mail attribute, the standard name first. */
const EMAIL_ATTRIBUTES = [
  'urn:oid:0.9.2342.19200300.100.1.3',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  'email',
  'mail',
  'emailAddress',
  'Email',
];

/**
 * The user of an assertion. The address is taken from the NameID if it has the e-mail format: the directory identifies the
 * user by it, so it is the hardest to change. @throws AppError sign_in_refused
 */
export function userOfAssertion(
  { issuer, nameId, attributes }: Assertion,
  roleAttribute: string | null,
): AuthenticatedUser {
  const { value, format } = nameId;
  if (value === '' || value.length > MAX_SUBJECT_CHARS) throw refused('The identity provider sent an empty NameID');
  if (format === TRANSIENT) {
    throw refused(
      'The NameID changes with every sign-in (transient); configure the provider to send a persistent one or the e-mail address',
    );
  }
  const valuesOf = (name: string): readonly string[] =>
    Object.hasOwn(attributes, name) ? (attributes[name] ?? []) : [];
  const name = EMAIL_ATTRIBUTES.find((each) => valuesOf(each).length > 0);
  const listedAddresses = name === undefined ? [] : valuesOf(name);
  const email =
    format === FORMAT || listedAddresses.length === 0
      ? normalizeAddress(value)
      : listedAddresses.length === 1
        ? normalizeAddress(listedAddresses[0])
        : null;
  if (email === null) {
    throw refused(
      'The identity provider sent no e-mail address: configure it to send one as the NameID or as the attribute `email`',
    );
  }
  return { subject: subjectOf(issuer, value), email, values: roleAttribute === null ? [] : valuesOf(roleAttribute) };
}

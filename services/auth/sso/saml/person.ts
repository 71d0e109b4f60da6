import { addressOf, type Person, refused, subjectOf } from '../person';
import type { Assertion } from './response';

const FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
const LONGEST_SUBJECT = 255;

/** How providers call the attribute of the address, the standard's own name first. */
const EMAIL_ATTRIBUTES = [
  'urn:oid:0.9.2342.19200300.100.1.3',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  'email',
  'mail',
  'emailAddress',
  'Email',
];

/**
 * Whom an assertion names. His address is the NameID where that is one: it is what the directory itself knows him by,
 * and hardest for him to change. @throws AppError sign_in_refused
 */
export function personOfAssertion({ issuer, nameId, attributes }: Assertion, roleAttribute: string | null): Person {
  const { value, format } = nameId;
  if (value === '' || value.length > LONGEST_SUBJECT)
    throw refused('The identity provider names nobody: the NameID is empty');
  if (format === TRANSIENT) {
    throw refused(
      'The NameID changes with every sign-in (transient); let the provider send a persistent one or the e-mail address',
    );
  }
  const listed = (name: string): readonly string[] => (Object.hasOwn(attributes, name) ? (attributes[name] ?? []) : []);
  const name = EMAIL_ATTRIBUTES.find((each) => listed(each).length > 0);
  const told = name === undefined ? [] : listed(name);
  const email =
    format === FORMAT || told.length === 0 ? addressOf(value) : told.length === 1 ? addressOf(told[0]) : null;
  if (email === null) {
    throw refused(
      'The identity provider tells no e-mail address: let it send one as the NameID, or as the attribute `email`',
    );
  }
  return { subject: subjectOf(issuer, value), email, values: roleAttribute === null ? [] : listed(roleAttribute) };
}

import { attribute, childOf, childrenOf, type Element, SAML, SAMLP, InvalidSaml } from './xml';

/** Values that a response must have. */
export interface Expected {
  /** Entity id of the identity provider. */
  readonly issuer: string;
  /** Our entity id for this tenant. */
  readonly audience: string;
  /** URL of our assertion consumer service. */
  readonly recipient: string;
  readonly now: number;
}

/** A parsed assertion. */
export interface Assertion {
  readonly id: string;
  readonly issuer: string;
  /** Id of the request that it answers. */
  readonly inResponseTo: string;
  readonly nameId: { readonly value: string; readonly format: string | null };
  /** Values by attribute name. */
  readonly attributes: Readonly<Record<string, readonly string[]>>;
  /** End of validity, in epoch milliseconds. */
  readonly notOnOrAfter: number;
}

/** Allowed clock skew of the identity provider. */
const SKEW_MS = 60_000;
const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';
const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

const reject = (what: string): never => {
  throw new InvalidSaml(what);
};

/** Checks the response (SAML profiles 4.1.4.2). It may be unsigned, so nothing else is read from it. @throws InvalidSaml */
export function assertResponse(root: Element, expected: Expected): void {
  if (attribute(root, 'Version') !== '2.0') reject('the response is not SAML 2.0');
  const status = childOf(root, SAMLP, 'Status');
  const code = status && childOf(status, SAMLP, 'StatusCode');
  if (code === null || attribute(code, 'Value') !== SUCCESS) reject('the identity provider reports a failure');
  const destination = attribute(root, 'Destination');
  if (destination !== null && destination !== expected.recipient) reject('the response is for another destination');
  const issuer = childOf(root, SAML, 'Issuer');
  if (issuer !== null && issuer.text.trim() !== expected.issuer) reject('the response is from another issuer');
}

/** Parses a signed assertion and checks audience, recipient and times. @throws InvalidSaml */
export function parseAssertion(assertion: Element, expected: Expected): Assertion {
  const id = attribute(assertion, 'ID');
  const issuer = childOf(assertion, SAML, 'Issuer');
  if (attribute(assertion, 'Version') !== '2.0' || id === null) return reject('the assertion is not SAML 2.0');
  if (issuer?.text.trim() !== expected.issuer) reject('the assertion is from another issuer');
  const conditionsEnd = assertConditions(assertion, expected);
  for (const statement of childrenOf(assertion, SAML, 'AuthnStatement')) {
    const end = instantOf(statement, 'SessionNotOnOrAfter');
    if (end !== null && end <= expected.now - SKEW_MS) reject('the session at the identity provider has ended');
  }
  const subject = childOf(assertion, SAML, 'Subject');
  const nameId = subject && childOf(subject, SAML, 'NameID');
  if (!subject || !nameId) return reject('the assertion has no subject');
  const confirmed = confirmationOf(subject, expected);
  return {
    id,
    issuer: expected.issuer,
    inResponseTo: confirmed.inResponseTo,
    nameId: { value: nameId.text.trim(), format: attribute(nameId, 'Format') },
    attributes: attributesOf(assertion),
    notOnOrAfter: Math.min(conditionsEnd ?? confirmed.notOnOrAfter, confirmed.notOnOrAfter),
  };
}

/** Returns the end of validity of the conditions; null if they have none. */
function assertConditions(assertion: Element, { audience, now }: Expected): number | null {
  const conditions = childOf(assertion, SAML, 'Conditions');
  if (conditions === null) return reject('the assertion has no conditions');
  const begin = instantOf(conditions, 'NotBefore');
  const end = instantOf(conditions, 'NotOnOrAfter');
  if (begin !== null && begin > now + SKEW_MS) reject('the assertion is not valid yet');
  if (end !== null && end <= now - SKEW_MS) reject('the assertion has expired');
  const restrictions = childrenOf(conditions, SAML, 'AudienceRestriction');
  const hasOurAudience = (restriction: Element): boolean =>
    childrenOf(restriction, SAML, 'Audience').some(({ text }) => text.trim() === audience);
  if (restrictions.length === 0 || !restrictions.every(hasOurAudience)) reject('the assertion is for another audience');
  return end;
}

/** Returns the first bearer confirmation with a valid recipient, time and request id (SAML profiles 4.1.4.2). */
function confirmationOf(
  subject: Element,
  { recipient, now }: Expected,
): { inResponseTo: string; notOnOrAfter: number } {
  const problems = new Set<string>();
  for (const confirmation of childrenOf(subject, SAML, 'SubjectConfirmation')) {
    const data = childOf(confirmation, SAML, 'SubjectConfirmationData');
    if (attribute(confirmation, 'Method') !== BEARER || data === null) continue;
    const notOnOrAfter = instantOf(data, 'NotOnOrAfter');
    const inResponseTo = attribute(data, 'InResponseTo');
    if (attribute(data, 'Recipient') !== recipient) problems.add('the assertion is for another recipient');
    else if (notOnOrAfter === null || notOnOrAfter <= now - SKEW_MS) problems.add('the assertion has expired');
    else if (attribute(data, 'NotBefore') !== null) problems.add('the assertion is not valid yet');
    else if (inResponseTo === null || inResponseTo === '') problems.add('the assertion has no InResponseTo');
    else return { inResponseTo, notOnOrAfter };
  }
  return reject([...problems][0] ?? 'the assertion has no bearer confirmation');
}

/** Parses a time attribute to epoch milliseconds; null without the attribute. @throws InvalidSaml */
function instantOf(element: Element, name: string): number | null {
  const text = attribute(element, name);
  if (text === null) return null;
  const time = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? reject('the assertion has a malformed time') : time;
}

function attributesOf(assertion: Element): Record<string, string[]> {
  const found = new Map<string, string[]>();
  for (const statement of childrenOf(assertion, SAML, 'AttributeStatement')) {
    for (const each of childrenOf(statement, SAML, 'Attribute')) {
      const name = attribute(each, 'Name') ?? '';
      const values = childrenOf(each, SAML, 'AttributeValue').map(({ text }) => text.trim());
      found.set(name, [...(found.get(name) ?? []), ...values]);
    }
  }
  return Object.fromEntries(found);
}

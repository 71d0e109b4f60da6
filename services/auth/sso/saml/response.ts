import { attribute, childOf, childrenOf, type Element, SAML, SAMLP, XmlFault } from './xml';

/** What a response must say to be the answer to a request of ours. */
export interface Expected {
  /** Entity id of the identity provider. */
  readonly issuer: string;
  /** Our own for this tenant. */
  readonly audience: string;
  /** Our assertion consumer service. */
  readonly recipient: string;
  readonly now: number;
}

/** What an assertion says that holds for us. */
export interface Assertion {
  readonly id: string;
  readonly issuer: string;
  /** Id of the request that it answers. */
  readonly inResponseTo: string;
  readonly nameId: { readonly value: string; readonly format: string | null };
  /** Values by the attribute's name. */
  readonly attributes: Readonly<Record<string, readonly string[]>>;
  /** Epoch milliseconds; after it the assertion is worthless. */
  readonly notOnOrAfter: number;
}

/** How far the clocks of the two may be apart. */
const SKEW_MS = 60_000;
const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';
const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

const fault = (what: string): never => {
  throw new XmlFault(what);
};

/** The rules for a response itself (SAML profiles 4.1.4.2), which may be unsigned and is believed nothing. @throws XmlFault */
export function assertResponse(root: Element, expected: Expected): void {
  if (attribute(root, 'Version') !== '2.0') fault('the response is not of SAML 2.0');
  const status = childOf(root, SAMLP, 'Status');
  const code = status && childOf(status, SAMLP, 'StatusCode');
  if (code === null || attribute(code, 'Value') !== SUCCESS) fault('the identity provider reports a failure');
  const destination = attribute(root, 'Destination');
  if (destination !== null && destination !== expected.recipient) fault('the response is for another destination');
  const issuer = childOf(root, SAML, 'Issuer');
  if (issuer !== null && issuer.text.trim() !== expected.issuer) fault('the response is of another issuer');
}

/** What a signed assertion says, when it is for us and now. @throws XmlFault */
export function readAssertion(assertion: Element, expected: Expected): Assertion {
  const id = attribute(assertion, 'ID');
  const issuer = childOf(assertion, SAML, 'Issuer');
  if (attribute(assertion, 'Version') !== '2.0' || id === null) return fault('the assertion is not of SAML 2.0');
  if (issuer?.text.trim() !== expected.issuer) fault('the assertion is of another issuer');
  const conditionsEnd = assertConditions(assertion, expected);
  for (const statement of childrenOf(assertion, SAML, 'AuthnStatement')) {
    const end = instantOf(statement, 'SessionNotOnOrAfter');
    if (end !== null && end <= expected.now - SKEW_MS) fault('the session at the identity provider has ended');
  }
  const subject = childOf(assertion, SAML, 'Subject');
  const nameId = subject && childOf(subject, SAML, 'NameID');
  if (!subject || !nameId) return fault('the assertion has no subject');
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

/** The end of the validity, if it has one. */
function assertConditions(assertion: Element, { audience, now }: Expected): number | null {
  const conditions = childOf(assertion, SAML, 'Conditions');
  if (conditions === null) return fault('the assertion has no conditions');
  const begin = instantOf(conditions, 'NotBefore');
  const end = instantOf(conditions, 'NotOnOrAfter');
  if (begin !== null && begin > now + SKEW_MS) fault('the assertion is not valid yet');
  if (end !== null && end <= now - SKEW_MS) fault('the assertion has expired');
  const restrictions = childrenOf(conditions, SAML, 'AudienceRestriction');
  const forUs = (restriction: Element): boolean =>
    childrenOf(restriction, SAML, 'Audience').some(({ text }) => text.trim() === audience);
  if (restrictions.length === 0 || !restrictions.every(forUs)) fault('the assertion is for another audience');
  return end;
}

/** The one bearer confirmation that holds for us (SAML profiles 4.1.4.2): where, until when, and in answer to what. */
function confirmationOf(
  subject: Element,
  { recipient, now }: Expected,
): { inResponseTo: string; notOnOrAfter: number } {
  const faults = new Set<string>();
  for (const confirmation of childrenOf(subject, SAML, 'SubjectConfirmation')) {
    const data = childOf(confirmation, SAML, 'SubjectConfirmationData');
    if (attribute(confirmation, 'Method') !== BEARER || data === null) continue;
    const notOnOrAfter = instantOf(data, 'NotOnOrAfter');
    const inResponseTo = attribute(data, 'InResponseTo');
    if (attribute(data, 'Recipient') !== recipient) faults.add('the assertion is for another recipient');
    else if (notOnOrAfter === null || notOnOrAfter <= now - SKEW_MS) faults.add('the assertion has expired');
    else if (attribute(data, 'NotBefore') !== null) faults.add('the assertion is not valid yet');
    else if (inResponseTo === null || inResponseTo === '') faults.add('the assertion answers no request of ours');
    else return { inResponseTo, notOnOrAfter };
  }
  return fault([...faults][0] ?? 'the assertion has no bearer confirmation');
}

/** The time that an attribute gives, in epoch milliseconds; null without one. @throws XmlFault when it is none */
function instantOf(element: Element, name: string): number | null {
  const text = attribute(element, name);
  if (text === null) return null;
  const time = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? fault('the assertion has a malformed time') : time;
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

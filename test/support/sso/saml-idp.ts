import { randomBytes } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { SamlLib } from 'samlify';
import type { Certificate } from '../certificate';

/** The fields of a SAML response; tests replace some by wrong values. */
export interface SamlFields {
  readonly issuer: string;
  readonly recipient: string;
  readonly destination: string;
  readonly audience: string;
  readonly inResponseTo: string;
  readonly nameId: string;
  readonly nameIdFormat: string;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
  readonly assertionId: string;
  readonly responseId: string;
  readonly status: string;
  /** Epoch milliseconds. */
  readonly notBefore: number;
  readonly notOnOrAfter: number;
  readonly now: number;
}

const EMAIL = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
const NAMESPACES =
  'xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"';
export const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
export const ASSERTION = "/*[local-name(.)='Response']/*[local-name(.)='Assertion']";

export const newId = (): string => `_${randomBytes(16).toString('hex')}`;

/** The fields of a valid response to a request; fields that are not given are valid. */
export const samlFields = (
  given: Partial<SamlFields> & Pick<SamlFields, 'recipient' | 'audience' | 'inResponseTo'>,
): SamlFields => {
  const now = given.now ?? Date.now();
  return {
    issuer: 'https://idp.test/metadata',
    destination: given.recipient,
    nameId: 'ann@example.com',
    nameIdFormat: EMAIL,
    attributes: {},
    assertionId: newId(),
    responseId: newId(),
    status: 'urn:oasis:names:tc:SAML:2.0:status:Success',
    notBefore: now - 5_000,
    notOnOrAfter: now + 300_000,
    now,
    ...given,
  };
};

const time = (ms: number): string => new Date(ms).toISOString();

/** An assertion without signature. */
export function assertionXml(what: SamlFields): string {
  const attributes = Object.entries(what.attributes).map(
    ([name, values]) =>
      `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`).join('')}</saml:Attribute>`,
  );
  return (
    `<saml:Assertion ${NAMESPACES} ID="${what.assertionId}" Version="2.0" IssueInstant="${time(what.now)}">` +
    `<saml:Issuer>${what.issuer}</saml:Issuer>` +
    `<saml:Subject><saml:NameID Format="${what.nameIdFormat}">${what.nameId}</saml:NameID>` +
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData ` +
    `InResponseTo="${what.inResponseTo}" NotOnOrAfter="${time(what.notOnOrAfter)}" Recipient="${what.recipient}"/>` +
    `</saml:SubjectConfirmation></saml:Subject>` +
    `<saml:Conditions NotBefore="${time(what.notBefore)}" NotOnOrAfter="${time(what.notOnOrAfter)}">` +
    `<saml:AudienceRestriction><saml:Audience>${what.audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>` +
    `<saml:AuthnStatement AuthnInstant="${time(what.now)}"/>` +
    (attributes.length === 0 ? '' : `<saml:AttributeStatement>${attributes.join('')}</saml:AttributeStatement>`) +
    `</saml:Assertion>`
  );
}

/** A response with these assertions. */
export const responseXml = (what: SamlFields, content = assertionXml(what)): string =>
  `<samlp:Response ${NAMESPACES} ID="${what.responseId}" Version="2.0" IssueInstant="${time(what.now)}" ` +
  `Destination="${what.destination}" InResponseTo="${what.inResponseTo}"><saml:Issuer>${what.issuer}</saml:Issuer>` +
  `<samlp:Status><samlp:StatusCode Value="${what.status}"/></samlp:Status>${content}</samlp:Response>`;

/** Signs the assertion or the whole response. */
export function signed(
  xml: string,
  { key, cert }: Certificate,
  { covers = 'assertion', algorithm = RSA_SHA256 }: { covers?: 'assertion' | 'response'; algorithm?: string } = {},
): string {
  const place = covers === 'assertion' ? ASSERTION : "/*[local-name(.)='Response']";
  return SamlLib.constructSAMLSignature({
    rawSamlMessage: xml,
    isBase64Output: false,
    privateKey: key,
    privateKeyPass: '',
    signingCert: cert.replace(/-----[A-Z ]+-----|\s/g, ''),
    signatureAlgorithm: algorithm,
    transformationAlgorithms: [
      'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
      'http://www.w3.org/2001/10/xml-exc-c14n#',
    ],
    ...(covers === 'assertion' ? { referenceTagXPath: ASSERTION } : { isMessageSigned: true }),
    signatureConfig: {
      prefix: 'ds',
      location: { reference: `${place}/*[local-name(.)='Issuer']`, action: 'after' },
    },
  });
}

export const base64 = (xml: string): string => Buffer.from(xml).toString('base64');

/** The AuthnRequest in the address of a redirect. */
export function requestIn(location: string): {
  xml: string;
  id: string;
  relayState: string;
  issuer: string;
  acs: string;
} {
  const { searchParams } = new URL(location);
  const xml = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') as string, 'base64')).toString();
  const found = (pattern: RegExp): string => (pattern.exec(xml)?.[1] ?? '').replaceAll('&amp;', '&');
  return {
    xml,
    id: found(/ ID="([^"]+)"/),
    relayState: searchParams.get('RelayState') as string,
    issuer: found(/<saml:Issuer>([^<]+)</),
    acs: found(/AssertionConsumerServiceURL="([^"]+)"/),
  };
}

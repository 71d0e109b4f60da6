import { verifyAssertion } from '../../../../services/auth/sso/saml/verify';
import { signedAssertion } from '../../../../services/auth/sso/saml/signature';
import { parseXml } from '../../../../services/auth/sso/saml/xml';
import { signingCertificate } from '../../../support/certificate';
import {
  assertionXml,
  base64,
  newId,
  responseXml,
  type SamlFields,
  samlFields,
  signed,
} from '../../../support/sso/saml-idp';

const NOW = Date.now();
const RECIPIENT = 'https://flows.test/api/v1/auth/sso/callback';
const AUDIENCE = 'https://flows.test/api/v1/auth/sso/metadata?tenant_slug=acme';
const EVIL = 'owner@example.com';

const idp = signingCertificate();
const otherKey = signingCertificate();

const written = [jest.spyOn(console, 'log'), jest.spyOn(console, 'warn'), jest.spyOn(console, 'error')];
afterEach(() => written.forEach((method) => expect(method).not.toHaveBeenCalled()));

const validFields = (given: Partial<SamlFields> = {}): SamlFields =>
  samlFields({ recipient: RECIPIENT, audience: AUDIENCE, inResponseTo: '_request', now: NOW, ...given });

const check = (xml: string, { certificate = idp.cert, now = NOW } = {}) =>
  verifyAssertion(base64(xml), certificate, {
    issuer: 'https://idp.test/metadata',
    audience: AUDIENCE,
    recipient: RECIPIENT,
    now,
  });

const refusal = (xml: string, options: Parameters<typeof check>[1] = {}): string => {
  try {
    check(xml, options);
  } catch (error) {
    expect(error).toMatchObject({ type: 'sign_in_failed' });
    return (error as Error).message.replace('Invalid response of the identity provider: ', '');
  }
  throw new Error('The message was accepted');
};

const signatureOf = (xml: string): string => /<ds:Signature[\s\S]*<\/ds:Signature>/.exec(xml)?.[0] as string;
const assertionOf = (xml: string): string => /<saml:Assertion[\s\S]*<\/saml:Assertion>/.exec(xml)?.[0] as string;

describe('a SAML response', () => {
  it.each(['assertion', 'response'] as const)('is accepted when its %s is signed', (covers) => {
    const attributes = { groups: ['a', 'b'], mail: ['ann@example.com'] };
    expect(check(signed(responseXml(validFields({ attributes })), idp, { covers }))).toMatchObject({
      inResponseTo: '_request',
      nameId: { value: 'ann@example.com' },
      attributes,
    });
  });

  it('is accepted when both are signed', () => {
    const once = signed(responseXml(validFields()), idp);
    expect(check(signed(once, idp, { covers: 'response' })).nameId.value).toBe('ann@example.com');
  });

  it('is accepted with any of several stored certificates, while keys are being changed', () => {
    const xml = signed(responseXml(validFields()), idp);
    expect(check(xml, { certificate: otherKey.cert + idp.cert }).nameId.value).toBe('ann@example.com');
  });

  it('is accepted when clocks are 50 seconds apart, and refused at 70', () => {
    const xml = (now: number): string =>
      signed(responseXml(validFields({ notBefore: now, notOnOrAfter: now + 10_000 })), idp);
    expect(check(xml(NOW + 50_000)).id).toBeDefined();
    expect(check(xml(NOW - 60_000)).id).toBeDefined();
    expect(refusal(xml(NOW + 70_000))).toBe('the assertion is not valid yet');
    expect(refusal(xml(NOW - 80_000))).toBe('the assertion has expired');
  });
});

describe('a SAML response is refused', () => {
  it.each([
    [
      'without a signature',
      (what: SamlFields) => responseXml(what),
      'neither the response nor its assertion is signed',
    ],
    ["with another's key", (what: SamlFields) => signed(responseXml(what), otherKey), 'the signature does not match'],
    [
      'when a byte was changed',
      (what: SamlFields) => signed(responseXml(what), idp).replace('>ann@', '>bob@'),
      'the signature does not match',
    ],
    [
      'with SHA-1',
      (what: SamlFields) => signed(responseXml(what), idp, { algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }),
      'a signature must use RSA with SHA-256 or stronger',
    ],
    [
      'with an HMAC under the public key',
      (what: SamlFields) =>
        signed(responseXml(what), idp).replace(
          'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
          'http://www.w3.org/2000/09/xmldsig#hmac-sha1',
        ),
      'a signature must use RSA with SHA-256 or stronger',
    ],
    [
      'with a failure as its status',
      (what: SamlFields) =>
        signed(responseXml({ ...what, status: 'urn:oasis:names:tc:SAML:2.0:status:Responder' }), idp),
      'the identity provider reports a failure',
    ],
    [
      'encrypted',
      (what: SamlFields) =>
        responseXml(
          what,
          '<saml:EncryptedAssertion><x xmlns="http://www.w3.org/2001/04/xmlenc#"/></saml:EncryptedAssertion>',
        ),
      'the assertion is encrypted, which is not supported',
    ],
  ])('%s', (_, make, words) => {
    expect(refusal(make(validFields()))).toContain(words);
  });

  it.each<[string, Partial<SamlFields>, string]>([
    ['audience', { audience: 'https://flows.test/api/v1/auth/sso/metadata?tenant_slug=other' }, 'for another audience'],
    ['recipient', { recipient: 'https://evil.test/', destination: RECIPIENT }, 'for another recipient'],
    ['destination', { destination: 'https://evil.test/' }, 'for another destination'],
    ['issuer', { issuer: 'https://evil.test/' }, 'from another issuer'],
    ['request, though it answers none', { inResponseTo: '' }, 'has no InResponseTo'],
  ])('for another %s', (_, given, words) => {
    expect(refusal(signed(responseXml(validFields(given)), idp))).toContain(words);
  });

  it('without conditions, confirmation or audience', () => {
    const xml = assertionXml(validFields());
    const cut = (pattern: RegExp): string => refusal(signed(responseXml(validFields(), xml.replace(pattern, '')), idp));
    expect(cut(/<saml:Conditions[\s\S]*<\/saml:Conditions>/)).toBe('the assertion has no conditions');
    expect(cut(/<saml:AudienceRestriction>[\s\S]*<\/saml:AudienceRestriction>/)).toContain('another audience');
    expect(cut(/<saml:SubjectConfirmation [\s\S]*<\/saml:SubjectConfirmation>/)).toContain('no bearer confirmation');
    expect(cut(/ NotOnOrAfter="[^"]*"(?= Recipient)/)).toBe('the assertion has expired');
  });

  it('when its conditions have ended, though its confirmation has not', () => {
    const ended = `NotOnOrAfter="${new Date(NOW - 120_000).toISOString()}"><saml:AudienceRestriction>`;
    const xml = assertionXml(validFields()).replace(/NotOnOrAfter="[^"]*"><saml:AudienceRestriction>/, ended);
    expect(refusal(signed(responseXml(validFields(), xml), idp))).toBe('the assertion has expired');
  });

  it('when the stored certificate has expired', () => {
    const later = NOW + 2 * 86_400_000;
    const xml = signed(responseXml(validFields({ now: later, notBefore: later, notOnOrAfter: later + 1_000 })), idp);
    expect(refusal(xml, { now: later })).toContain('certificate of the identity provider is expired or not yet valid');
  });

  it('with a session that has ended', () => {
    const ended = `<saml:AuthnStatement SessionNotOnOrAfter="${new Date(NOW - 120_000).toISOString()}" AuthnInstant`;
    const xml = assertionXml(validFields()).replace('<saml:AuthnStatement AuthnInstant', ended);
    expect(refusal(signed(responseXml(validFields(), xml), idp))).toContain(
      'session at the identity provider has ended',
    );
  });
});

/** Later checks would refuse each of these too; these tests show that each check works by itself. */
describe('a malformed message is refused', () => {
  const what = validFields();
  const xml = signed(responseXml(what), idp);
  const change = (from: string | RegExp, to: string): string => {
    const changed = xml.replace(from, to);
    expect(changed).not.toBe(xml);
    return changed;
  };
  const before = (content: string): string => change('<samlp:Status>', `${content}<samlp:Status>`);
  const extension = (content: string): string => before(`<samlp:Extensions>${content}</samlp:Extensions>`);
  const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
  const TRANSFORM = '<ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/>';

  it.each<[string, () => string, string]>([
    [
      'another root',
      () => xml.replaceAll('samlp:Response', 'samlp:ArtifactResponse'),
      'the message is not a SAML response',
    ],
    ['a root of another namespace', () => change('SAML:2.0:protocol', 'evil'), 'the message is not a SAML response'],
    ['another version', () => change('Version="2.0"', 'Version="1.1"'), 'the response is not SAML 2.0'],
    ['a response in it', () => extension('<samlp:Response ID="x"/>'), 'the message contains another response'],
    ['encrypted data beside', () => extension('<EncryptedData xmlns=""/>'), 'the assertion is encrypted'],
    ['a signature elsewhere', () => extension(signatureOf(xml)), 'a signature at an unexpected place'],
    [
      'two signatures of one',
      () => change('<ds:Signature ', `${signatureOf(xml)}<ds:Signature `),
      'at an unexpected place',
    ],
    ['an id twice', () => change(what.responseId, what.assertionId), 'the message has a duplicate id'],
    ['an id twice, in small letters', () => extension(`<x xmlns="" id="${what.assertionId}"/>`), 'has a duplicate id'],
    [
      'an object in the signature',
      () => change('</ds:SignatureValue>', '</ds:SignatureValue><ds:Object/>'),
      'contains an object',
    ],
    [
      'a reference to the whole document',
      () => change(/URI="#[^"]*"/, 'URI=""'),
      'does not reference its parent element',
    ],
    [
      'a reference to elsewhere',
      () => change(/URI="#[^"]*"/, 'URI="https://evil.test/"'),
      'does not reference its parent element',
    ],
    [
      'a reference to the response',
      () => change(/URI="#[^"]*"/, `URI="#${what.responseId}"`),
      'does not reference its parent element',
    ],
    [
      'two references',
      () => change(/<ds:Reference[\s\S]*<\/ds:Reference>/, '$&$&'),
      'has a missing or duplicate element',
    ],
    ['a digest of SHA-1', () => change(SHA256, 'http://www.w3.org/2000/09/xmldsig#sha1'), 'a digest must use SHA-256'],
    [
      'a transform that cuts',
      () => change(TRANSFORM, `${TRANSFORM}<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"/>`),
      'must be enveloped',
    ],
    ['another transform', () => change(TRANSFORM, TRANSFORM.replace('#"', '#WithComments"')), 'must be enveloped'],
    [
      'another canonical form',
      () =>
        change(
          'CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"',
          'CanonicalizationMethod Algorithm="http://www.w3.org/TR/2001/REC-xml-c14n-20010315"',
        ),
      'must be enveloped',
    ],
  ])('with %s', (_, make, words) => {
    expect(refusal(make())).toContain(words);
  });

  it.each<[string, RegExp, string, string]>([
    ['another version', /Version="2.0"/, 'Version="1.1"', 'the assertion is not SAML 2.0'],
    ['a time that is none', /NotBefore="[^"]*"/, 'NotBefore="yesterday"', 'a malformed time'],
    ['a name twice', /<saml:NameID[\s\S]*<\/saml:NameID>/, '$&$&', 'the assertion has no subject'],
    ['no name', /<saml:NameID[\s\S]*<\/saml:NameID>/, '', 'the assertion has no subject'],
    [
      'a begin of its confirmation',
      /<saml:SubjectConfirmationData /,
      '$&NotBefore="2020-01-01T00:00:00Z" ',
      'not valid yet',
    ],
    ['no issuer', /<saml:Issuer>[^<]*<\/saml:Issuer>/, '<saml:Issuer/>', 'the assertion is from another issuer'],
    ['another method', /cm:bearer/, 'cm:holder-of-key', 'no bearer confirmation'],
  ])('with an assertion with %s', (_, from, to, words) => {
    const content = assertionXml(what).replace(from, to);
    expect(refusal(signed(responseXml(what, content), idp))).toContain(words);
  });

  it('with a response of another issuer around a valid assertion', () => {
    const response = responseXml(validFields({ issuer: 'https://evil.test/' }), assertionXml(what));
    expect(refusal(signed(response, idp))).toBe('the response is from another issuer');
  });
});

/**
 * Signature wrapping (Somorovsky et al., "On Breaking SAML", USENIX Security 2012): the signed element stays valid
 * somewhere, and a forged one is where a careless parser reads.
 */
describe('signature wrapping', () => {
  const forged = assertionXml(validFields({ nameId: EVIL }));
  const overAssertion = signed(responseXml(validFields()), idp);
  const overResponse = signed(responseXml(validFields()), idp, { covers: 'response' });
  const genuine = assertionOf(overAssertion);
  const bare = (xml: string): string => xml.replace(signatureOf(xml), '');
  const around = (content: string): string => responseXml(validFields(), content);
  const evilResponse = (inside: string): string => {
    const signature = signatureOf(overResponse);
    return responseXml(
      validFields({ nameId: EVIL }),
      signature.replace('</ds:Signature>', `${inside}</ds:Signature>`) + forged,
    );
  };
  const inObject = (xml: string): string => `<ds:Object>${xml}</ds:Object>`;

  it.each([
    [
      'XSW1: the signed response inside of the signature of a forged one',
      () => evilResponse(inObject(bare(overResponse))),
    ],
    [
      'XSW2: a detached signature before the signed response',
      () => responseXml(validFields(), signatureOf(overResponse) + bare(overResponse) + forged),
    ],
    ['XSW3: a forged assertion before the signed one', () => around(forged + genuine)],
    [
      'XSW4: the signed assertion inside of a forged one',
      () => around(forged.replace('</saml:Assertion>', `${genuine}</saml:Assertion>`)),
    ],
    [
      'XSW5: the signature in the forged assertion, the signed one after it',
      () => around(forged.replace('<saml:Subject>', `${signatureOf(genuine)}<saml:Subject>`) + bare(genuine)),
    ],
    [
      'XSW6: the signed assertion inside of the signature in a forged one',
      () =>
        around(
          forged.replace(
            '<saml:Subject>',
            `${signatureOf(genuine).replace('</ds:SignatureValue>', `</ds:SignatureValue>${inObject(bare(genuine))}`)}<saml:Subject>`,
          ),
        ),
    ],
    [
      'XSW7: the forged assertion in an extension',
      () => around(`<samlp:Extensions>${forged}</samlp:Extensions>${genuine}`),
    ],
    [
      'XSW8: the signed assertion in an object of the forged one',
      () =>
        around(
          forged.replace(
            '<saml:Subject>',
            `${signatureOf(genuine).replace('</ds:Signature>', `${inObject(bare(genuine))}</ds:Signature>`)}<saml:Subject>`,
          ),
        ),
    ],
    [
      'the same id twice',
      () => around(forged.replace(/ID="[^"]+"/, / ID="[^"]+"/.exec(genuine)?.[0].trim() as string) + genuine),
    ],
    [
      'the signed assertion as an attribute value',
      () =>
        around(
          forged.replace(
            '</saml:Assertion>',
            `<saml:AttributeStatement><saml:Attribute Name="a"><saml:AttributeValue>${genuine}</saml:AttributeValue></saml:Attribute></saml:AttributeStatement></saml:Assertion>`,
          ),
        ),
    ],
    [
      'the signed assertion in the confirmation data',
      () =>
        around(
          forged.replace(/(<saml:SubjectConfirmationData[^>]*)\/>/, `$1>${genuine}</saml:SubjectConfirmationData>`),
        ),
    ],
    [
      'a forged assertion in another namespace',
      () => around(`${genuine}${forged.replaceAll('urn:oasis:names:tc:SAML:2.0:assertion', 'urn:evil')}`),
    ],
    [
      'the signature of the assertion at the response',
      () =>
        responseXml(validFields({ nameId: EVIL }), signatureOf(genuine) + forged + `<x xmlns="">${bare(genuine)}</x>`),
    ],
  ])('%s is refused', (_, make) => {
    expect(refusal(make())).toBe('the response must have exactly one assertion, as its child');
  });
});

/** The second check after that of the structure: only the signed element is read. */
describe('for a signature by itself', () => {
  const forged = assertionXml(validFields({ nameId: EVIL }));
  const genuine = assertionOf(signed(responseXml(validFields()), idp));
  const read = (content: string) => {
    const xml = responseXml(validFields(), content);
    return signedAssertion(xml, parseXml(xml), [idp.cert]);
  };

  it('an unsigned name is never read', () => {
    const moved = forged.replace('<saml:Subject>', `${signatureOf(genuine)}<saml:Subject>`);
    for (const content of [
      forged + genuine,
      genuine + forged,
      moved + genuine.replace(signatureOf(genuine), ''),
      forged.replace('</saml:Assertion>', `${genuine}</saml:Assertion>`),
    ]) {
      expect(() => read(content)).toThrow(/^the signature (?:does not cover the assertion|does not match)/);
    }
  });

  it('an assertion within a signed one is refused', () => {
    const nested = assertionXml(validFields()).replace('</saml:Assertion>', `${forged}</saml:Assertion>`);
    const xml = signed(responseXml(validFields(), nested), idp);
    expect(() => signedAssertion(xml, parseXml(xml), [idp.cert])).toThrow('the assertion contains another assertion');
  });
});

describe('ambiguous XML is refused', () => {
  const xml = signed(responseXml(validFields({ nameId: 'owner@example.com.evil.test' })), idp);

  it.each([
    ['a comment in the name', xml.replace('example.com.evil', 'example.com<!-- -->.evil'), 'a comment'],
    ['a CDATA section', xml.replace('owner@', '<![CDATA[owner@]]>'), 'a CDATA section'],
    ['a processing instruction', xml.replace('owner@', '<?x y?>owner@'), 'a processing instruction'],
    ['a document type', `<!DOCTYPE r>${xml}`, 'a document type'],
    [
      'an external entity',
      `<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>${xml.replace('owner@', '&x;')}`,
      'a document type',
    ],
    [
      'entities that expand',
      `<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>${xml.replace('owner@', '&b;')}`,
      'a document type',
    ],
    ['an undefined entity', xml.replace('owner@', '&x;'), 'not well-formed'],
    ['two roots', xml + xml, 'not well-formed'],
    ['another encoding', `<?xml version="1.0" encoding="UTF-7"?>${xml}`, 'an encoding other than UTF-8'],
    ['nothing', '', 'not well-formed'],
    ['no XML', 'hello', 'not well-formed'],
    ['deep nesting', '<a>'.repeat(50) + '</a>'.repeat(50), 'too many or too deeply'],
    ['too much', `<a>${'x'.repeat(300_000)}</a>`, 'longer than'],
  ])('%s', (_, message, words) => {
    expect(refusal(message)).toContain(words);
  });

  it('with arbitrary bytes', () => {
    expect(refusal('\u0000\ufffe')).toContain('not well-formed');
    expect(newId()).not.toBe(newId());
  });
});

import { SamlLib } from 'samlify';
import { identityProvider } from './identity-provider';
import { attribute, childOf, type Element, everyOf, parseXml, SAML, XmlFault } from './xml';

/**
 * The assertion that a signature covers: read from the very bytes of which the digest was taken, not from the message.
 * All other parts of the message are thus unsigned and ignored. The structure has been checked before.
 * @throws XmlFault when no certificate fits
 */
export function signedAssertion(xml: string, root: Element, certificates: readonly string[]): Element {
  const verified = certificates.map((pem) => verifiedWith(xml, pem)).find((text) => text !== null);
  if (verified === undefined) {
    throw new XmlFault('the signature is not one of the certificate that is stored for the identity provider');
  }
  const assertion = parseXml(verified);
  const shown = childOf(root, SAML, 'Assertion');
  const same = shown !== null && attribute(shown, 'ID') === attribute(assertion, 'ID');
  if (assertion.uri !== SAML || assertion.name !== 'Assertion' || !same) {
    throw new XmlFault('the signature covers something else than the assertion');
  }
  if ([...everyOf(assertion)].some((each) => each !== assertion && each.name === 'Assertion')) {
    throw new XmlFault('the assertion has another one in it');
  }
  return assertion;
}

/** The assertion's canonical text; null when this certificate has not signed it. */
function verifiedWith(xml: string, pem: string): string | null {
  const { entityMeta } = identityProvider('provider', 'https://provider', pem);
  try {
    const [valid, assertion] = SamlLib.verifySignature(xml, { metadata: entityMeta });
    return valid && typeof assertion === 'string' ? assertion : null;
  } catch {
    // It throws for whatever it cannot make sense of, another certificate in the message included.
    return null;
  }
}

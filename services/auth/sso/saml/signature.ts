import { SamlLib } from 'samlify';
import { identityProvider } from './identity-provider';
import { attribute, childOf, type Element, withDescendants, parseXml, SAML, InvalidSaml } from './xml';

/**
 * Returns the signed assertion, parsed from the bytes that the digest covers instead of from the message, so that unsigned
 * parts are ignored. Call `assertStructure` before.
 * @throws InvalidSaml if no certificate verifies the signature
 */
export function signedAssertion(xml: string, root: Element, certificates: readonly string[]): Element {
  const verified = certificates.map((pem) => verifyWith(xml, pem)).find((text) => text !== null);
  if (verified === undefined) {
    throw new InvalidSaml('the signature does not match the stored certificate of the identity provider');
  }
  const assertion = parseXml(verified);
  const original = childOf(root, SAML, 'Assertion');
  const isSameAssertion = original !== null && attribute(original, 'ID') === attribute(assertion, 'ID');
  if (assertion.uri !== SAML || assertion.name !== 'Assertion' || !isSameAssertion) {
    throw new InvalidSaml('the signature does not cover the assertion');
  }
  if ([...withDescendants(assertion)].some((each) => each !== assertion && each.name === 'Assertion')) {
    throw new InvalidSaml('the assertion contains another assertion');
  }
  return assertion;
}

/** Returns the canonical text of the assertion; null if this certificate does not verify the signature. */
function verifyWith(xml: string, pem: string): string | null {
  const { entityMeta } = identityProvider('provider', 'https://provider', pem);
  try {
    const [valid, assertion] = SamlLib.verifySignature(xml, { metadata: entityMeta });
    return valid && typeof assertion === 'string' ? assertion : null;
  } catch {
    // samlify throws for any unexpected input, including another certificate in the message.
    return null;
  }
}

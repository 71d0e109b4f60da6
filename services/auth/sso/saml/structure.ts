import { attribute, childOf, childrenOf, DSIG, type Element, withDescendants, SAML, SAMLP, InvalidSaml } from './xml';

/** RSA with SHA-2. SHA-1 is broken, and anyone can compute an HMAC with a public key. */
const SIGNATURE_METHODS: ReadonlySet<string> = new Set([
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
]);
const DIGEST_METHODS: ReadonlySet<string> = new Set([
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512',
]);
const EXCLUSIVE_C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const ENVELOPED_SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';

const reject = (what: string): never => {
  throw new InvalidSaml(what);
};

/**
 * Prevents signature wrapping: a message must have one response with one assertion as its child, and every signature must
 * be a child of the response or the assertion and reference its parent. All wrapping attacks (XSW1 to 8) need a second
 * assertion or response, a signature elsewhere, or a duplicate id.
 * @throws InvalidSaml
 */
export function assertStructure(root: Element): void {
  if (root.uri !== SAMLP || root.name !== 'Response') reject('the message is not a SAML response');
  const all = [...withDescendants(root)];
  const named = (uri: string, name: string): Element[] => all.filter((each) => each.uri === uri && each.name === name);
  if (named(SAML, 'EncryptedAssertion').length > 0 || all.some(({ name }) => name === 'EncryptedData')) {
    reject('the assertion is encrypted, which is not supported: configure the provider to sign it without encryption');
  }
  // By local name in any namespace, because readers may ignore the namespace.
  const assertions = all.filter(({ name }) => name === 'Assertion');
  const assertion = childOf(root, SAML, 'Assertion');
  if (assertion === null || assertions.length !== 1)
    reject('the response must have exactly one assertion, as its child');
  if (all.filter(({ name }) => name === 'Response').length !== 1) reject('the message contains another response');
  assertUniqueIds(all);
  const places = [root, assertion as Element];
  const signatures = places.flatMap((place) => childrenOf(place, DSIG, 'Signature').map((each) => ({ place, each })));
  if (signatures.length === 0) reject('neither the response nor its assertion is signed');
  const hasOtherSignature = all.filter(({ name }) => name === 'Signature').length !== signatures.length;
  if (hasOtherSignature || new Set(signatures.map(({ place }) => place)).size !== signatures.length) {
    reject('the message has a signature at an unexpected place');
  }
  for (const { place, each } of signatures) assertSignature(each, place);
}

/** Checks every attribute that a reader may use as an id. */
function assertUniqueIds(all: readonly Element[]): void {
  const ids = all.flatMap(({ attributes }) =>
    Object.entries(attributes).flatMap(([name, value]) => (name.toLowerCase() === 'id' ? [value] : [])),
  );
  if (new Set(ids).size !== ids.length) reject('the message has a duplicate id');
}

function assertSignature(signature: Element, signed: Element): void {
  const info = requiredChild(signature, 'SignedInfo');
  const reference = requiredChild(info, 'Reference');
  if (childrenOf(signature, DSIG, 'Object').length > 0) reject('a signature contains an object');
  const id = attribute(signed, 'ID') ?? '';
  if (id === '' || attribute(reference, 'URI') !== `#${id}`) {
    reject('a signature does not reference its parent element');
  }
  if (!SIGNATURE_METHODS.has(algorithm(requiredChild(info, 'SignatureMethod')))) {
    reject('a signature must use RSA with SHA-256 or stronger');
  }
  if (!DIGEST_METHODS.has(algorithm(requiredChild(reference, 'DigestMethod'))))
    reject('a digest must use SHA-256 or stronger');
  const transforms = requiredChild(reference, 'Transforms').children.map(algorithm);
  const canonical = algorithm(requiredChild(info, 'CanonicalizationMethod'));
  if (
    transforms.length !== 2 ||
    transforms[0] !== ENVELOPED_SIGNATURE ||
    transforms[1] !== EXCLUSIVE_C14N ||
    canonical !== EXCLUSIVE_C14N
  ) {
    reject('a signature must be enveloped, with exclusive canonicalization');
  }
}

/** Returns the only child with this name. */
const requiredChild = (element: Element, name: string): Element =>
  childOf(element, DSIG, name) ?? reject('a signature has a missing or duplicate element');

const algorithm = (element: Element): string => attribute(element, 'Algorithm') ?? '';

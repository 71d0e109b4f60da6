import { attribute, childOf, childrenOf, DSIG, type Element, everyOf, SAML, SAMLP, XmlFault } from './xml';

/** SHA-2 with RSA; SHA-1 is broken, and an HMAC under a public key is anybody's. */
const SIGNATURE_METHODS: ReadonlySet<string> = new Set([
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
]);
const DIGEST_METHODS: ReadonlySet<string> = new Set([
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512',
]);
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';

const fault = (what: string): never => {
  throw new XmlFault(what);
};

/**
 * Whether a message is one in which the signature can only mean one thing: a response with one assertion at its place,
 * and a signature on either that names exactly the element it stands in. Every way of wrapping (XSW1 to 8) needs a
 * second assertion or response, a signature elsewhere, or an id that is there twice.
 * @throws XmlFault
 */
export function assertStructure(root: Element): void {
  if (root.uri !== SAMLP || root.name !== 'Response') fault('the message is no SAML response');
  const all = [...everyOf(root)];
  const named = (uri: string, name: string): Element[] => all.filter((each) => each.uri === uri && each.name === name);
  if (named(SAML, 'EncryptedAssertion').length > 0 || all.some(({ name }) => name === 'EncryptedData')) {
    fault('the assertion is encrypted, which is not supported: let the provider sign it, without encryption');
  }
  // By local names: what an element of another namespace is called must not decide who looks at it.
  const assertions = all.filter(({ name }) => name === 'Assertion');
  const assertion = childOf(root, SAML, 'Assertion');
  if (assertion === null || assertions.length !== 1) fault('the response must have one assertion, and as its child');
  if (all.filter(({ name }) => name === 'Response').length !== 1) fault('the message has a response in it');
  assertUniqueIds(all);
  const places = [root, assertion as Element];
  const signatures = places.flatMap((place) => childrenOf(place, DSIG, 'Signature').map((each) => ({ place, each })));
  if (signatures.length === 0) fault('neither the response nor its assertion is signed');
  const elsewhere = all.filter(({ name }) => name === 'Signature').length !== signatures.length;
  if (elsewhere || new Set(signatures.map(({ place }) => place)).size !== signatures.length) {
    fault('the message has a signature at an unexpected place');
  }
  for (const { place, each } of signatures) assertSignature(each, place);
}

/** All attributes that some reader takes for an id. */
function assertUniqueIds(all: readonly Element[]): void {
  const ids = all.flatMap(({ attributes }) =>
    Object.entries(attributes).flatMap(([name, value]) => (name.toLowerCase() === 'id' ? [value] : [])),
  );
  if (new Set(ids).size !== ids.length) fault('the message has an id twice');
}

function assertSignature(signature: Element, signed: Element): void {
  const info = part(signature, 'SignedInfo');
  const reference = part(info, 'Reference');
  if (childrenOf(signature, DSIG, 'Object').length > 0) fault('a signature has an object in it');
  const id = attribute(signed, 'ID') ?? '';
  if (id === '' || attribute(reference, 'URI') !== `#${id}`) {
    fault('a signature covers another element than the one it stands in');
  }
  if (!SIGNATURE_METHODS.has(algorithm(part(info, 'SignatureMethod')))) {
    fault('a signature must be of RSA with SHA-256 or more');
  }
  if (!DIGEST_METHODS.has(algorithm(part(reference, 'DigestMethod')))) fault('a digest must be of SHA-256 or more');
  const transforms = part(reference, 'Transforms').children.map(algorithm);
  const canonical = algorithm(part(info, 'CanonicalizationMethod'));
  if (
    transforms.length !== 2 ||
    transforms[0] !== ENVELOPED ||
    transforms[1] !== EXCLUSIVE ||
    canonical !== EXCLUSIVE
  ) {
    fault('a signature must be enveloped, with exclusive canonicalization');
  }
}

/** The one child of that name that a signature's element must have. */
const part = (element: Element, name: string): Element =>
  childOf(element, DSIG, name) ?? fault('a signature lacks a part, or has one twice');

const algorithm = (element: Element): string => attribute(element, 'Algorithm') ?? '';

import { AppError } from '../../../../lib/errors';
import { validCertificates } from '../certificate';
import { type Assertion, assertResponse, type Expected, readAssertion } from './response';
import { signedAssertion } from './signature';
import { assertStructure } from './structure';
import { parseXml, XmlFault } from './xml';

/**
 * The assertion in a message that was posted, when the provider has signed it, for us, and now. Whether it answers a
 * request of this browser, and for the first time, is for the caller to see.
 * @throws AppError sign_in_failed
 */
export function checkedAssertion(message: string, certificate: string, expected: Expected): Assertion {
  const certificates = validCertificates(certificate, expected.now).map(({ pem }) => pem);
  if (certificates.length === 0) {
    throw new AppError(
      'sign_in_failed',
      'The stored certificate of the identity provider is not valid now; an owner must store its new one',
    );
  }
  try {
    const xml = Buffer.from(message, 'base64').toString();
    const root = parseXml(xml);
    assertStructure(root);
    assertResponse(root, expected);
    return readAssertion(signedAssertion(xml, root, certificates), expected);
  } catch (error) {
    if (!(error instanceof XmlFault)) throw error;
    const words = `The identity provider's answer is refused: ${error.message}`;
    throw new AppError('sign_in_failed', words, {}, { cause: error });
  }
}

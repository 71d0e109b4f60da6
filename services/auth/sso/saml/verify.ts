import { AppError } from '../../../../lib/errors';
import { validCertificates } from '../certificate';
import { type Assertion, assertResponse, type Expected, parseAssertion } from './response';
import { signedAssertion } from './signature';
import { assertStructure } from './structure';
import { parseXml, InvalidSaml } from './xml';

/**
 * Verifies a posted SAML response: signature, audience, recipient and times. The caller checks that it answers a request
 * of this browser, and only once.
 * @throws AppError sign_in_failed
 */
export function verifyAssertion(message: string, certificate: string, expected: Expected): Assertion {
  const certificates = validCertificates(certificate, expected.now).map(({ pem }) => pem);
  if (certificates.length === 0) {
    throw new AppError(
      'sign_in_failed',
      'The stored certificate of the identity provider is expired or not yet valid; an owner must store the current one',
    );
  }
  try {
    const xml = Buffer.from(message, 'base64').toString();
    const root = parseXml(xml);
    assertStructure(root);
    assertResponse(root, expected);
    return parseAssertion(signedAssertion(xml, root, certificates), expected);
  } catch (error) {
    if (!(error instanceof InvalidSaml)) throw error;
    const words = `Invalid response of the identity provider: ${error.message}`;
    throw new AppError('sign_in_failed', words, {}, { cause: error });
  }
}

import { ComputePool } from '../../../../lib/compute';
import { verifyOnThread } from '../../../../services/auth/sso/saml/task';
import { signingCertificate } from '../../../support/certificate';
import { base64, responseXml, type SamlFields, samlFields, signed } from '../../../support/sso/saml-idp';
import { STALL_MS, stallMs } from '../../../support/stall';

const NOW = Date.now();
const RECIPIENT = 'https://flows.test/api/v1/auth/sso/callback';
const AUDIENCE = 'https://flows.test/api/v1/auth/sso/metadata?tenant_slug=acme';

const idp = signingCertificate();

let compute: ComputePool;
beforeAll(() => {
  compute = new ComputePool();
});
afterAll(() => compute.close());

const response = (given: Partial<SamlFields> = {}): string =>
  signed(
    responseXml(samlFields({ recipient: RECIPIENT, audience: AUDIENCE, inResponseTo: '_request', now: NOW, ...given })),
    idp,
  );

const check = (xml: string) =>
  verifyOnThread(compute.lane('acme'), {
    message: base64(xml),
    certificate: idp.cert,
    expected: { issuer: 'https://idp.test/metadata', audience: AUDIENCE, recipient: RECIPIENT, now: NOW },
  });

describe('a posted SAML response', () => {
  it('is checked on a compute thread', async () => {
    expect(await check(response())).toMatchObject({ inResponseTo: '_request', nameId: { value: 'ann@example.com' } });
  });

  it('is refused there with the message and the code of the check', async () => {
    await expect(check(response({ audience: 'https://other.test' }))).rejects.toMatchObject({
      type: 'sign_in_failed',
      message: 'Invalid response of the identity provider: the assertion is for another audience',
    });
  });

  it('does not block the main thread, even with thousands of unsigned elements', async () => {
    const many = response().replace('</saml:Assertion>', `${'<x a="" b=""/>'.repeat(4_800)}</saml:Assertion>`);
    const refused = () => expect(check(many)).rejects.toMatchObject({ type: 'sign_in_failed' });
    expect(await stallMs(refused)).toBeLessThan(STALL_MS);
  });
});

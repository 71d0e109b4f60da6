import { parseCertificates } from '../../../../services/auth/sso/certificate';
import { signingCertificate } from '../../../support/certificate';

const BEGIN = '-----BEGIN CERTIFICATE-----';
const { cert } = signingCertificate();

describe('the certificates of a text', () => {
  it('are read from PEM blocks and from bare base64', () => {
    expect(parseCertificates(`${cert}\n${cert}`)).toHaveLength(2);
    expect(parseCertificates(cert.replace(/-----[^-]+-----/g, ''))).toHaveLength(1);
  });

  it('are counted by their first lines, so that blocks without an end are cheap', () => {
    expect(parseCertificates(BEGIN.repeat(2_400))).toEqual({ problem: 'has more than 5 certificates' });
    expect(parseCertificates(cert.repeat(6))).toEqual({ problem: 'has more than 5 certificates' });
  });
});
